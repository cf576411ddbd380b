"""Files that people of the field have, as they come: read, told, or refused with a hint."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from grammar.errors import CorpusError, OptionError, TreewrightError
from grammar.messages import heard_by
from induction import read_corpus
from tests.induction.conventions.given import read


def labelled(rows: list[dict[str, Any]]) -> list[tuple[Any, Any]]:
    return [(row.get("label"), row["text"]) for row in rows]


def lines(*rows: Any) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


# --- which column holds the texts ----------------------------------------------------------------

LONG = "Warsaw is the capital of Poland and stands on the Vistula river in the east."


def test_a_longer_column_comes_before_a_title(tmp_path):
    row = {"title": "Warsaw", "context": LONG, "question": "What is Warsaw?", "answers": ["x"]}
    rows, said = read(tmp_path, "a.jsonl", lines(row, row))
    assert rows[0]["text"] == LONG
    assert said[0] == "texts may be in 'title', 'question', too: --text title reads those"
    corpus = read_corpus(tmp_path / "a.jsonl", text="question")
    assert corpus.column("text")[0] == row["question"]


def test_a_title_alone_is_the_text(tmp_path):
    rows, said = read(tmp_path, "a.csv", "Title,stars\nA good day,3\nA bad day,1\n")
    assert (labelled(rows)[0], len(said)) == ((3, "A good day"), 1)


def test_columns_that_are_as_long_are_refused(tmp_path):
    given = [{"title": "a b c d e", "passage": "a b c d e f", "question": "a b c d e"}]
    with pytest.raises(OptionError, match="'title', 'passage', 'question' may all hold the texts"):
        read(tmp_path, "a.jsonl", lines(*given))


def test_texts_within_a_nested_column_are_no_titles(tmp_path):
    squad = {"version": "1", "data": [{"title": "Warsaw", "paragraphs": [{"context": LONG}]}]}
    with pytest.raises(OptionError, match="within the column 'paragraphs', and not in 'title'"):
        read(tmp_path, "a.json", json.dumps(squad))
    assert read_corpus(tmp_path / "a.json", text="title").column("text") == ["Warsaw"]


def test_the_hint_names_a_column_that_is_there(tmp_path):
    with pytest.raises(CorpusError) as error:
        read(tmp_path, "a.csv", "my text,b\nwe slept so well,and so did they\n")
    assert "--text 'my text'" in error.value.hint


def test_a_word_a_row_is_no_text(tmp_path):
    with pytest.raises(CorpusError, match=r"each row holds a word \('Word'\)"):
        read(tmp_path, "a.csv", "Word,Tag\nLondon,B-geo\nis,O\n")


@pytest.mark.parametrize(
    ("given", "label"),
    [
        ({"overall": 5.0, "reviewText": "It is good.", "summary": "Good", "asin": "B0"}, 5.0),
        ({"stars": 1.0, "text": "It is bad.", "business_id": "x", "useful": 0}, 1.0),
    ],
)
def test_reviews_of_shops_have_their_stars(tmp_path, given, label):
    rows, _ = read(tmp_path, "a.json", lines(given, given))
    assert rows[0]["label"] == label


def test_pairs_of_mrpc_are_pairs(tmp_path):
    text = '\ufeffQuality\t#1 ID\t#1 String\t#2 String\n1\t7\tHe "so said.\tSo he said.\n'
    rows, _ = read(tmp_path, "a.tsv", text)
    assert (rows[0]["text"], rows[0]["text_pair"]) == ('He "so said.', "So he said.")


# --- tables without a line of names --------------------------------------------------------------

SMS = "ham{0}Go there now, do it.\nham{0}I am so glad\nspam{0}Win a big prize\n"


@pytest.mark.parametrize(
    ("name", "sign"), [("a.tsv", "\t"), ("a.txt", "\t"), ("a.csv", "|"), ("a.csv", ";")]
)
def test_a_table_without_names_is_read_if_it_is_sure(tmp_path, name, sign):
    rows, said = read(tmp_path, name, SMS.format(sign))
    assert labelled(rows) == [
        ("ham", "Go there now, do it."), ("ham", "I am so glad"), ("spam", "Win a big prize"),
    ]  # fmt: skip
    assert said[-1] == (
        f"{name} has no line of names: text is read from column 2, label from column 1"
    )


def test_texts_may_come_first(tmp_path):
    rows, _ = read(tmp_path, "a.txt", "a stirring film\t1\na flat film\t0\nthey love it\t1\n")
    assert labelled(rows) == [(1, "a stirring film"), (0, "a flat film"), (1, "they love it")]


def test_titles_stay_beside_longer_texts(tmp_path):
    news = "".join(
        f'"{k % 2 + 1}","Stocks fall","The stocks of many firms fell again on day {k} of May."\n'
        for k in range(4)
    )
    rows, _ = read(tmp_path, "a.csv", news)
    assert (rows[0]["label"], rows[0]["column2"]) == (1, "Stocks fall")
    assert rows[3]["text"].endswith("day 3 of May.")


def test_rows_without_names_keep_their_lines(tmp_path):
    (tmp_path / "a.tsv").write_text(SMS.format("\t"))
    assert read_corpus(tmp_path / "a.tsv").where(0).startswith(f"{tmp_path}/a.tsv:1,")


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("a.tsv", "70017\tneg\tThis is a bad one.\n70019\tpos\tThis is a good one.\n",
         "column1,label,text (with tabs for commas)"),
        ("a.tsv", "We go home\tWir gehen heim\nWe sleep now\tWir schlafen jetzt\n",
         "text,text_pair (with tabs for commas)"),
        ("a.csv", '"1","It is a film of this kind"\n"2","It is a book of that kind"\n',
         "label,text;"),
    ],
)  # fmt: skip
def test_a_table_that_is_not_sure_is_refused_with_names_that_fit(tmp_path, name, text, names):
    with pytest.raises(OptionError, match="no line of names") as error:
        read(tmp_path, name, text)
    assert f"such as {names}" in error.value.hint
    sign = "\t" if name.endswith("tsv") else ","
    line = names.split(" ")[0].strip(";").replace(",", sign)
    assert read(tmp_path, name, f"{line}\n{text}")[0][0]["text"]


@pytest.mark.parametrize(
    "text",
    [
        "Kommentar,wer\nDer Film war sehr gut,anna\nDas war gar nichts,otto\n",
        "note,2019\nit was a good year,many\nit was a bad year,few\n",
    ],
)
def test_names_are_not_taken_for_a_row(tmp_path, text):
    assert len(read(tmp_path, "a.csv", text)[0]) == 2


# --- quotes in TSV -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('text\tlabel\n"a tab \t and ""quotes"""\tx\n"so"\ty\n', 'a tab \t and "quotes"'),
        ('text\tlabel\n"two\nlines"\tx\n', "two\nlines"),
        ('"text"\t"label"\n"he said ""so"""\t"x"\n', 'he said "so"'),
    ],
)
def test_quoted_cells_of_tsv_are_read_as_csv_has_them(tmp_path, text, found):
    rows, said = read(tmp_path, "a.tsv", text)
    assert (rows[0]["text"], said) == (found, ["a.tsv quotes cells as CSV does"])


def test_quotes_that_may_be_of_the_text_are_kept_and_told(tmp_path):
    text = 'text\tlabel\n"he said ""so"" to me"\tx\n'
    rows, said = read(tmp_path, "a.tsv", text)
    assert rows[0]["text"] == '"he said ""so"" to me"'
    assert "--format csv" in said[0]
    assert read(tmp_path, "a.tsv", text, format="csv")[0][0]["text"] == 'he said "so" to me'
    assert read(tmp_path, "b.tsv", 'text\tlabel\n"so" it is\tx\n')[1] == []


# --- classes before lines -------------------------------------------------------------------------

TREC = "DESC:manner How did it come ?\nHUM:ind Who was it ?\nNUM:count How many are there ?\n"


@pytest.mark.parametrize("name", ["a.txt", "train_5500.label"])
def test_lines_of_trec_have_a_class_and_a_finer_one(tmp_path, name):
    rows, said = read(tmp_path, name, TREC)
    assert rows[0] == {"text": "How did it come ?", "label": "DESC", "fine": "DESC:manner"}
    assert "as TREC has" in "".join(said)
    rows, _ = read(tmp_path, name, TREC, label="fine")
    assert rows[0]["label"] == "DESC:manner"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("1 a good film\n0 a bad film\n1 a fine one\n0 a poor one\n", (1, "a good film")),
        ("DESC How is it ?\nHUM Who is it ?\nDESC What is it ?\nHUM Who ?\n",
         ("DESC", "How is it ?")),
    ],
)  # fmt: skip
def test_numbers_and_capitals_before_lines_are_classes(tmp_path, text, first):
    rows, said = read(tmp_path, "a.txt", text)
    assert labelled(rows)[0] == first
    assert "read as the column 'class'" in said[0]
    assert labelled(read(tmp_path, "a.txt", text, format="text")[0])[0][1] == text.split("\n")[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("pos: a good film\nneg: a bad film\npos: a fine one\nneg: so\n", "as a class may"),
        ("pos,a good film\nneg,a bad film\npos,a fine one\nneg,so\n", "as a class may"),
        ("1 We slept.\n2 We woke.\n3 We slept.\n", "begins with its number"),
        ("We slept: well\nWe woke: so\nThey slept\nThey woke\n", ""),
        ("I slept\nI woke\nWe slept\nWe woke\n", ""),
    ],
)
def test_words_that_may_be_classes_stay_and_are_told(tmp_path, text, told):
    rows, said = read(tmp_path, "a.txt", text)
    assert [row["text"] for row in rows] == text.split("\n")[:-1]
    assert (told in said[0]) if told else not said


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("1 3:0.5 7:1.0\n-1 2:0.1 9:2\n", "LIBSVM"),
        ("The/DT dog/NN slept/VBD ./.\nWe/PRP saw/VBD it/PRP ./.\n", "every word has a tag"),
        ("The_DT dog_NN slept_VBD\nWe_PRP saw_VBD it_PRP\n", "every word has a tag"),
    ],
)
def test_lines_that_are_no_texts_are_refused(tmp_path, text, cause):
    with pytest.raises(CorpusError, match=cause):
        read(tmp_path, "a.txt", text)


# --- classes by number ----------------------------------------------------------------------------


def test_lists_of_numbers_are_sets_of_classes(tmp_path):
    rows, said = read(
        tmp_path, "a.jsonl", lines({"text": "a", "labels": [27]}, {"text": "b", "labels": [3, 27]})
    )
    assert [row["label"] for row in rows] == [["27"], ["3", "27"]]
    assert "lists of numbers" in "".join(said)
    rows, _ = read(tmp_path, "b.jsonl", lines({"text": "a", "label": [0, 1]}))
    assert rows[0]["label"] == [0.0, 1.0]


def test_numbers_with_commas_are_sets_of_classes(tmp_path):
    rows, _ = read(tmp_path, "a.tsv", "text\tlabel\tid\na\t27\tx\nb\t3,27,4\ty\n")
    assert [row["label"] for row in rows] == [["27"], ["3", "27", "4"]]
    rows, _ = read(tmp_path, "b.tsv", "text\tlabel\na\t3,5\nb\t4\n")
    assert [row["label"] for row in rows] == ["3,5", "4"]


def test_names_of_tags_are_in_files_of_hugging_face(tmp_path):
    info = {"features": {"ner_tags": {"feature": {"names": ["O", "B-PER", "I-PER"]}}}}
    table = pa.table({"tokens": [["Ann", "Lee", "sang"]], "ner_tags": [[1, 2, 0]]})
    note = {b"huggingface": json.dumps({"info": info}).encode()}
    pq.write_table(table.replace_schema_metadata(note), tmp_path / "a.parquet")
    assert read_corpus(tmp_path / "a.parquet")[0]["spans"] == [
        {"start": 0, "end": 7, "label": "PER"}
    ]
    for wrong in (b"{}", b"[]", b"\xff", b'{"info": {"features": {"ner_tags": []}}}'):
        pq.write_table(
            table.replace_schema_metadata({b"huggingface": wrong}), tmp_path / "b.parquet"
        )
        assert read_corpus(tmp_path / "b.parquet")[0]["ner_tags"] == [1, 2, 0]


# --- tokens and tags ------------------------------------------------------------------------------

ONTONOTES = """#begin document (bc/cctv/00/cctv_0000); part 000
bc/cctv/00 0 0 In   IN  (TOP(S(PP*  -    - - Speaker#1 *        * -
bc/cctv/00 0 1 May  NNP (NP*))      -    - - Speaker#1 (DATE)   * -
bc/cctv/00 0 2 Ann  NNP (NP*        -    - - Speaker#1 (PERSON* (ARG0* (12
bc/cctv/00 0 3 Lee  NNP *)          -    - - Speaker#1 *)       *) 12)
bc/cctv/00 0 4 sang VBD (VP*)))     sing 1 1 Speaker#1 *        (V*) -

bc/cctv/00 0 0 (    -LRB- (TOP*     -    - - Speaker#1 *        -
bc/cctv/00 0 1 so   RB  *)          -    - - Speaker#1 *        -

#end document
"""


@pytest.mark.parametrize("name", ["a.conll", "a.v4_gold_conll", "a.txt"])
def test_columns_of_ontonotes_are_read(tmp_path, name):
    rows, said = read(tmp_path, name, ONTONOTES)
    assert "CoNLL-2012" in said[-1]
    assert rows[0]["text"] == "In May Ann Lee sang"
    assert rows[0]["tags"] == ["IN", "NNP", "NNP", "NNP", "VBD"]
    assert rows[0]["tree"] == (
        "(TOP (S (PP (IN In) (NP (NNP May))) (NP (NNP Ann) (NNP Lee)) (VP (VBD sang))))"
    )
    assert rows[0]["spans"] == [
        {"start": 3, "end": 6, "label": "DATE"}, {"start": 7, "end": 14, "label": "PERSON"},
    ]  # fmt: skip
    assert rows[1]["tree"] == "(TOP (-LRB- -LRB-) (RB so))"


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("(VP*)))", "(VP*))", "no tree"),
        (" sing 1 1 Speaker#1 *        (V*) -", "", "has 6 columns"),
    ],
)
def test_faults_of_ontonotes_are_named_with_their_line(tmp_path, old, new, cause):
    with pytest.raises(CorpusError, match=cause) as error:
        read(tmp_path, "a.conll", ONTONOTES.replace(old, new))
    assert ":2" in error.value.where or ":6" in error.value.where


def test_words_and_their_parts_of_speech_have_no_spans(tmp_path):
    rows, said = read(tmp_path, "a.conll", "The\tDT\ndog\tNN\n\nWe\tPRP\nslept\tVBD\n")
    assert rows[1] == {"text": "We slept", "tokens": ["We", "slept"], "tags": ["PRP", "VBD"]}
    assert "tags of words" in said[0]
    with pytest.raises(CorpusError, match="'NN' says nothing of a span"):
        read(tmp_path, "b.conll", "in\tO\nLondon\tNN\n")


def test_a_sentence_and_its_tags_a_line_are_refused_by_their_cause(tmp_path):
    text = "BOS show fares EOS\tO O B-fare atis_fare\nBOS go EOS\tO O atis_go\n"
    with pytest.raises(CorpusError, match="a line holds a whole sentence"):
        read(tmp_path, "a.iob", text)


CONLL_2003 = "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nrejects VBZ I-VP O\n\n"


@pytest.mark.parametrize("name", ["eng.testa", "conll2003", "a.txt"])
def test_files_without_a_known_ending_are_told_by_their_lines(tmp_path, name):
    rows, _ = read(tmp_path, name, CONLL_2003)
    assert rows[0]["spans"] == [{"start": 0, "end": 2, "label": "ORG"}]


@pytest.mark.parametrize(
    ("name", "data", "hint"),
    [
        ("nlu.yml", b"nlu:\n- intent: greet\n", "- intent: NAME"),
        ("a.csv.zip", b"PK\x03\x04\0", "unpack it first"),
        ("a.xlsx", b"PK\x03\x04\0", "save the sheet as .csv"),
        ("a.bin", b"\0\1\2", "name the format"),
        ("a.en", b"We slept.\nWe woke.\n", "--format text"),
    ],
)
def test_other_files_are_refused_with_what_to_do(tmp_path, name, data, hint):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(TreewrightError) as error:
        read_corpus(tmp_path / name)
    assert hint in error.value.hint


def test_the_case_of_an_ending_says_nothing(tmp_path):
    assert read(tmp_path, "A.CSV", "text,label\na b,1\n")[0] == [{"text": "a b", "label": 1}]


def test_json_of_rasa_has_intents_and_entities(tmp_path):
    own = [{"start": 0, "end": 3, "value": "Ann", "entity": "name"}]
    said = [{"text": "Ann sings", "intent": "song", "entities": own},
            {"text": "so long", "intent": "bye", "entities": []}]  # fmt: skip
    nlu = {"rasa_nlu_data": {"common_examples": said, "regex_features": []}}
    rows, _ = read(tmp_path, "a.json", json.dumps(nlu))
    assert rows[0]["spans"] == [{"start": 0, "end": 3, "label": "name"}]
    assert [row["label"] for row in rows] == ["song", "bye"]


# --- folders ---


def _folders(root: Any, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_folders_of_texts_are_classes(tmp_path):
    _folders(tmp_path, train__pos__1="A good one.\nSo.", train__neg__2="A bad one.", README="so")
    said: list[str] = []
    with heard_by(said.append):
        corpus = read_corpus(tmp_path / "train")
    assert corpus.column("label") == ["neg", "pos"]
    assert corpus.column("text")[1] == "A good one.\nSo."
    assert said[0].endswith("is a class, and each file a text: neg, pos")
    assert corpus.where(1).startswith(f"{tmp_path}/train/pos/1,")


def test_folders_of_folders_of_texts_are_refused_with_one_that_works(tmp_path):
    _folders(tmp_path, test__pos__1="a", test__neg__2="b", train__pos__1="a", train__neg__2="b")
    with pytest.raises(CorpusError, match="folders within") as error:
        read_corpus(tmp_path)
    assert len(read_corpus(error.value.hint.split("such as ")[1])) == 2


def test_folders_of_other_tools_are_named(tmp_path):
    (tmp_path / "seq.in").write_text("so it is\n")
    with pytest.raises(CorpusError, match="files of their own"):
        read_corpus(tmp_path)


def test_links_out_of_folders_of_texts_are_refused(tmp_path):
    _folders(tmp_path, a__pos__1="a", a__neg__2="b", secret="x")
    (tmp_path / "a" / "neg" / "3").symlink_to(tmp_path / "secret")
    with pytest.raises(TreewrightError, match="symbolic link"):
        read_corpus(tmp_path / "a")

"""Tables of others: read if that is certain, told if likely, refused if it were wrong."""

from __future__ import annotations

import pytest

from grammar.errors import CorpusError, OptionError
from tests.induction.conventions.given import read

# --- what parts columns ------------------------------------------------------------------------

FILMS = [{"text": "a film", "label": 1}, {"text": "b, film", "label": 0}]


@pytest.mark.parametrize(
    ("sign", "name"),
    [("|", "'|'"), ("\t", "tabs"), (";", "semicolons"), ("^", "'^'"), ("~", "'~'")],
)
def test_another_sign_between_columns_is_recognised(tmp_path, sign, name):
    text = f'text{sign}label\na film{sign}1\n"b, film"{sign}0\n'
    assert read(tmp_path, "a.csv", text) == (FILMS, [f"columns of a.csv are separated by {name}"])


def test_a_tsv_with_bars_is_read(tmp_path):
    rows, said = read(tmp_path, "a.tsv", "text|label\na film|1\nb, film|0\n")
    assert (rows, said) == (FILMS, ["columns of a.tsv are separated by '|'"])


def test_a_sign_in_all_rows_that_parts_them_unlike_is_refused(tmp_path):
    with pytest.raises(CorpusError, match=r"one column, 'text\|label', and '\|' in all rows"):
        read(tmp_path, "a.csv", "text|label\na|film|1\nb film|0\n")


@pytest.mark.parametrize("sign", [" ", ":", "/"])
def test_a_rare_sign_between_usual_names_is_recognised(tmp_path, sign):
    text = f'text{sign}label\n"a film"{sign}1\n"b, film"{sign}0\n'
    assert read(tmp_path, "a.csv", text)[0] == FILMS


def test_excel_may_declare_the_sign(tmp_path):
    assert read(tmp_path, "a.csv", "sep=;\ntext;label\na film;1\nb, film;0\n")[0] == FILMS


def test_two_signs_between_columns_are_refused(tmp_path):
    with pytest.raises(CorpusError, match=r"separated by '\|\|', more than one"):
        read(tmp_path, "a.csv", "text||label\na film||1\n")


def test_a_sign_in_the_name_alone_is_a_name(tmp_path):
    rows, _ = read(tmp_path, "a.csv", "text|long\na film of it\nanother film\n")
    assert rows == [{"text": "a film of it"}, {"text": "another film"}]


def test_names_that_are_given_tell_the_width(tmp_path):
    rows, _ = read(tmp_path, "a.csv", "a film|1\nb film|0\n", names=["text", "label"])
    assert [row["label"] for row in rows] == [1, 0]


# --- quotes ------------------------------------------------------------------------------------


def test_quotes_behind_a_backslash_are_read_if_rows_are_whole_so(tmp_path):
    rows, said = read(tmp_path, "a.csv", 'text,label\n"he said \\"so\\", yes",1\n"x",0\n')
    assert rows[0]["text"] == 'he said "so", yes'
    assert said == ['a.csv writes a quote within quotes as \\"']


def test_a_backslash_before_the_last_quote_is_one(tmp_path):
    rows, said = read(tmp_path, "a.csv", 'text,label\n"in C:\\",1\n"so ""here""",0\n')
    assert ([row["text"] for row in rows], said) == (["in C:\\", 'so "here"'], [])


def test_quotes_in_neither_way_are_refused_with_their_line(tmp_path):
    with pytest.raises(CorpusError, match="neither doubled") as error:
        read(tmp_path, "a.csv", 'text,label\n"x",0\n"he said \\"so" yes",1\n')
    assert error.value.where.endswith("a.csv:3")


# --- columns that count, and lines without names ------------------------------------------------


@pytest.mark.parametrize(("name", "first"), [("", 0), ("Unnamed: 0", 0), ("", 1)])
def test_an_index_without_a_name_is_left_out(tmp_path, name, first):
    text = f'{name},text,label\n{first},a film,1\n{first + 1},"b, film",0\n'
    rows, said = read(tmp_path, "a.csv", text)
    assert rows == FILMS
    assert said == ["the first column of a.csv has no name and counts its rows: it is left out"]


def test_a_column_without_a_name_that_does_not_count_is_kept(tmp_path):
    rows, _ = read(tmp_path, "a.csv", ",text\n7,a film\n9,b film\n")
    assert [row[""] for row in rows] == ["7", "9"]


@pytest.mark.parametrize(
    "text",
    [
        "1,a good film to see,pos\n2,b good film to see,neg\n",
        "pos,this is a long text of many words\nneg,and this is another of them too\n",
        "3,Stocks fall again\n4,Stocks rise again\n",
    ],
)
def test_a_first_row_is_not_taken_for_names(tmp_path, text):
    with pytest.raises(OptionError, match="seems to be no line of names"):
        read(tmp_path, "a.csv", text)


# --- which column holds the texts ----------------------------------------------------------------


def test_the_only_column_of_long_texts_is_the_text_and_it_is_told(tmp_path):
    text = "Kommentar,wer,label\nDer Film war sehr gut,anna,1\nDas war gar nichts,otto,0\n"
    rows, said = read(tmp_path, "a.csv", text)
    assert rows[0] == {"text": "Der Film war sehr gut", "wer": "anna", "label": 1}
    assert said == ["text is read from the column 'Kommentar'"]


def test_errors_name_the_columns_as_the_file_has_them(tmp_path):
    text = "Zeit,Kommentar,Antwort,Sentiment\n1,so ist es gut,so ist es auch,pos\n"
    with pytest.raises(CorpusError, match="no column 'text'") as error:
        read(tmp_path, "a.csv", text)
    assert error.value.where.endswith("columns 'Zeit', 'Kommentar', 'Antwort', 'Sentiment'")


def test_classes_that_differ_only_in_case_or_space_are_told(tmp_path):
    _, said = read(tmp_path, "a.csv", "text,label\na,Pos\nb,pos\nc,pos \nd,neg\n")
    assert said == ["a.csv: the classes 'Pos', 'pos', 'pos ' differ only in white space or case"]


# --- lines that are more than texts ---------------------------------------------------------------


def test_lines_of_fasttext_have_labels(tmp_path):
    rows, said = read(tmp_path, "a.txt", "__label__pos a good film\n__label__neg a bad , film\n")
    assert rows == [
        {"text": "a good film", "label": "pos"}, {"text": "a bad , film", "label": "neg"},
    ]  # fmt: skip
    assert said == ["a.txt is read as lines of fastText: the label is what stands behind __label__"]


def test_a_single_label_in_a_text_is_no_convention(tmp_path):
    rows, said = read(tmp_path, "a.txt", "__label__pos a good film\nanother film\n")
    assert (rows[0], said) == ({"text": "__label__pos a good film"}, [])


@pytest.mark.parametrize("sign", ["\t", "|", "::"])
def test_lines_that_are_rows_are_refused_unless_they_are_said_to_be_texts(tmp_path, sign):
    text = f"ham{sign}see you at the cafe\nspam{sign}win a prize\n"
    with pytest.raises(CorpusError, match="this is a table, and no text"):
        read(tmp_path, "a.txt", text)
    rows, _ = read(tmp_path, "a.txt", text, format="text")
    assert rows[0] == {"text": f"ham{sign}see you at the cafe"}


@pytest.mark.parametrize("sign", ["\t", "|", ";", ","])
def test_lines_under_usual_names_are_a_table(tmp_path, sign):
    text = f"label{sign}text\nham{sign}see you\nspam{sign}win a prize\n"
    rows, said = read(tmp_path, "a.txt", text)
    assert rows == [{"label": "ham", "text": "see you"}, {"label": "spam", "text": "win a prize"}]
    assert said[0].startswith("a.txt is read as a table")


# --- tokens and tags -----------------------------------------------------------------------------

NAMED = [{"text": "John sings", "tokens": ["John", "sings"],
          "spans": [{"start": 0, "end": 4, "label": "PER"}]}]  # fmt: skip


@pytest.mark.parametrize("name", ["a.conll", "a.tsv", "a.csv", "a.txt"])
@pytest.mark.parametrize("first", [0, 1])
def test_a_column_that_counts_words_is_left_out(tmp_path, name, first):
    text = f"# of a page\n{first}\tJohn\tB-PER\n{first + 1}\tsings\tO\n\n"
    rows, said = read(tmp_path, name, text)
    assert rows == NAMED
    assert f"{name}: the first column counts the words of each sentence, and is left out" in said


def test_spans_within_spans_are_told(tmp_path):
    text = "#\thttp://a.b\n1\tJohn\tB-PER\tO\n2\tsings\tO\tO\n"
    rows, said = read(tmp_path, "a.tsv", text)
    assert rows == NAMED
    assert said[-1] == "a.tsv: spans within spans (the last column) are not kept"


def test_parts_of_speech_and_chunks_are_read_as_before(tmp_path):
    rows, _ = read(tmp_path, "a.conll", "EU NNP B-NP B-ORG\nrejects VBZ B-VP O\n")
    assert rows[0]["tags"] == ["NNP", "VBZ"]
    assert rows[0]["spans"] == [{"start": 0, "end": 2, "label": "ORG"}]


def test_words_and_numbers_without_tags_are_refused(tmp_path):
    with pytest.raises(CorpusError, match="of which the first counts words"):
        read(tmp_path, "a.conll", "1\tB-PER\n2\tO\n3\tO\n4\tO\n")


X8 = "1\tGo\tgo\tV\tVB\t_\t0\tROOT\n2\thome\thome\tR\tRB\t_\t1\tADV\n\n"
TABLES = {
    "MaltTab": "Go\tVB\t0\tROOT\nhome\tRB\t1\tADV\n\n",
    "CoNLL-X": X8,
    "CoNLL-X; projective heads are not kept": X8.replace("ROOT\n", "ROOT\t0\tROOT\n").replace(
        "ADV\n", "ADV\t1\tADV\n"
    ),
    "Stanford CoreNLP; entities are not kept": (
        "1\tGo\tgo\tVB\tO\t0\tROOT\n2\thome\thome\tRB\tO\t1\tADV\n"
    ),
    "CoNLL-2009; predicates and arguments are not kept": (
        "1\tGo\tgo\tgo\tVB\tVB\t_\t_\t0\t0\tROOT\tROOT\tY\tgo.01\n"
        "2\thome\thome\thome\tRB\tRB\t_\t_\t1\t1\tADV\tADV\t_\t_\n"
    ),
}


@pytest.mark.parametrize(("told", "text"), TABLES.items(), ids=TABLES)
@pytest.mark.parametrize("name", ["a.conll", "a.conllx", "a.txt", "a.tsv"])
def test_other_tables_of_dependencies_are_read(tmp_path, name, told, text):
    rows, said = read(tmp_path, name, text)
    assert (rows[0]["text"], rows[0]["heads"], rows[0]["deprels"]) == (
        "Go home", [0, 1], ["ROOT", "ADV"],
    )  # fmt: skip
    assert said[-1] == f"{name} is read as {told}"


def test_ten_columns_of_conllu_are_read_whatever_the_name(tmp_path):
    text = X8.replace("ROOT\n", "ROOT\t_\t_\n").replace("ADV\n", "ADV\t_\tSpaceAfter=No\n")
    rows, said = read(tmp_path, "a.conll", text)
    assert (rows[0]["heads"], said) == ([0, 1], [])


def test_a_conllu_with_spaces_is_told_what_reads_it(tmp_path):
    text = "1 Go go V _ _ 0 root _ _\n2 home home R _ _ 1 adv _ _\n"
    with pytest.raises(CorpusError, match="parted by spaces, and those of CoNLL-U by tabs"):
        read(tmp_path, "a.conllu", text)
    assert read(tmp_path, "a.conllu", text, format="conll")[0][0]["heads"] == [0, 1]


def test_a_conllu_of_eight_columns_is_told_what_reads_it(tmp_path):
    with pytest.raises(CorpusError, match="8 fields, not 10") as error:
        read(tmp_path, "a.conllu", X8)
    assert "--format conll" in error.value.hint
    rows, _ = read(tmp_path, "a.conllu", X8, format="conll")
    assert rows[0]["heads"] == [0, 1]


@pytest.mark.parametrize(
    ("text", "row", "name"),
    [
        ("IN: jump OUT: I_JUMP\nIN: run OUT: I_RUN\n", {"target": "I_JUMP"}, "scan"),
        ("(3 (2 A) (4 gem))\n(1 (2 So) (0 bad))\n", {"label": 3}, "sst"),
        ('{"text": "so"}\n', {"text": "so"}, "jsonl"),
        ("(S (NP We) (VP slept))\n", {"text": "We slept"}, "brackets"),
    ],
)
def test_lines_of_another_format_are_read_as_that(tmp_path, text, row, name):
    rows, said = read(tmp_path, "a.txt", text)
    assert row.items() <= rows[0].items()
    assert said == [f"a.txt is read as lines of the format {name}"]
    assert read(tmp_path, "a.txt", text, format="text")[0][0] == {"text": text.split("\n")[0]}

"""Small files as people show them: few rows say as much as many, or it is told what they may be."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from grammar import BracketError, CorpusError, OptionError
from grammar.messages import heard_by
from induction import read_corpus, read_treebank
from tests.induction.conventions.given import read

NEWS = (
    '3,"Bears Claw Back","Short-sellers are seeing green again."\n'
    '3,"Carlyle Looks Up","The firm has a reputation for well-timed plays."\n'
    '4,"War on Terrorism","The author is responsible for most viruses."\n'
    '1,"A New Format","A group of companies said so on Thursday."\n'
)


def test_digits_that_come_again_are_classes_in_few_rows(tmp_path):
    rows, said = read(tmp_path, "train.csv", NEWS)
    assert rows[3]["label"] == 1
    assert said[0].endswith("no line of names: text is read from column 3, label from column 1")
    rows, _ = read(tmp_path, "b.tsv", "5\tLoved it all\n1\tA waste of time\n5\tBest of the year\n")
    assert [row["label"] for row in rows] == [5, 1, 5]


def test_numbers_of_rows_are_not_proposed_as_classes(tmp_path):
    with pytest.raises(OptionError) as caught:
        read(tmp_path, "a.txt", "! Alas|179257\na very good film|22936\nthe worst of all|40532\n")
    assert "such as text,id (with '|' for commas)" in caught.value.hint


def test_columns_that_may_hold_classes_are_told_in_few_rows(tmp_path):
    rows = "id\ttweet\tpart_a\tpart_b\n1\tso it is here\tOFF\tT\n2\tgo on home now\tOFF\tU\n"
    _, said = read(tmp_path, "a.tsv", rows + "3\tit is all fine\tNOT\tV\n")
    assert "'part_a' has 2 different values: --label part_a reads them" in said[0]
    answers = [{"passage": "so it is", "answer": value} for value in (True, True, False)]
    _, said = read(tmp_path, "a.jsonl", "".join(json.dumps(row) + "\n" for row in answers))
    assert any("--label answer reads them" in message for message in said)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_lists_of_0_and_1_are_sets_of_classes(tmp_path, name):
    lists = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    as_csv = "text,labels\n" + "".join(f'a film,"{row}"\n' for row in lists)
    as_lines = "".join(json.dumps({"text": "a film", "labels": row}) + "\n" for row in lists)
    rows, said = read(tmp_path, name, as_csv if name == "a.csv" else as_lines)
    assert [row["label"] for row in rows] == [["0", "2"], ["1"], []]
    assert any(
        "0 and 1 for each class in the column of classes are read as sets" in line for line in said
    )


def test_lists_with_one_1_each_stay_distributions(tmp_path):
    rows, _ = read(tmp_path, "a.csv", 'text,label\na,"[1, 0]"\nb,"[0, 1]"\n')
    assert rows[0]["label"] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("i feel humiliated;sadness\nso hopeless;sadness\nit is wrong;anger\n", "'anger'"),
        ("Net sales rose .@positive\nIt fell .@negative\nSo it was .@positive\n", "'negative'"),
        ("It was bad .####[([2], 'NEG')]\nIt was good .####[([2], 'POS')]\n", "'####' once"),
        ("so it is [SEP] it is so\nnot so [SEP] so not\n", "'[SEP]' once"),
    ],
)
def test_what_is_behind_a_sign_in_all_texts_is_told(tmp_path, lines, told):
    rows, said = read(tmp_path, "a.txt", lines)
    assert rows[0]["text"] == lines.split("\n")[0]
    assert any(told in message for message in said)


@pytest.mark.parametrize(
    ("name", "lines", "cause"),
    [
        ("a.txt", "2275|t|Naloxone.\n2275|a|In rats.\n2275\t0\t8\tNaloxone\tD\n", "PubTator"),
        ("a.raw", "But the $T$ was bad .\nstaff\n-1\nThe $T$ is good .\nfood\n1\n", "an aspect"),
        ("a.cupt", "# global.columns = ID FORM\n1\tWe\n2\tgo\n", "CoNLL-U Plus"),
    ],
)  # fmt: skip
def test_lines_that_are_no_texts_are_named(tmp_path, name, lines, cause):
    (tmp_path / name).write_text(lines)
    with pytest.raises(CorpusError, match=cause):
        read_corpus(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "what", "hint"),
    [
        ("train.py", ".py is a program", "write the rows that are in it as .jsonl"),
        ("a.sgm", ".sgm is a document in SGML", "write a row for each text"),
    ],
)
def test_files_that_hold_no_rows_are_named_by_their_ending(tmp_path, name, what, hint):
    (tmp_path / name).write_text("TRAIN = [\n    ('so', 1),\n]\n")
    with pytest.raises(OptionError, match=what) as caught:
        read_corpus(tmp_path / name)
    assert caught.value.hint.startswith(hint)


def test_other_xml_says_how_to_give_texts(tmp_path):
    (tmp_path / "a.xml").write_text("<?xml version='1.0'?><sentences><text>So.</text></sentences>")
    with pytest.raises(BracketError) as caught:
        read_corpus(tmp_path / "a.xml")
    assert "write a row for each text as .csv or .jsonl" in caught.value.hint


def test_a_comma_in_a_text_without_quotes_says_so(tmp_path):
    (tmp_path / "a.csv").write_text("text,label\nit is 1,000 or so,a\nno,b\n")
    with pytest.raises(CorpusError) as caught:
        read_corpus(tmp_path / "a.csv")
    assert caught.value.hint.startswith("put a text that holds a comma in double quotes")


def test_words_and_their_parts_of_speech_are_told_by_the_tags(tmp_path):
    rows, _ = read(tmp_path, "a.txt", "The DET\ncat NOUN\nsleeps VERB\n\nWe PRON\ngo VERB\n")
    assert rows[1] == {"text": "We go", "tokens": ["We", "go"], "tags": ["PRON", "VERB"]}


def test_the_language_before_all_tokens_is_left_out(tmp_path):
    lines = "en:Ann\tB-PER\nen:Lee\tI-PER\nen::\tO\n\nen:so\tO\n"
    rows, said = read(tmp_path, "train", lines)
    assert rows[0]["tokens"] == ["Ann", "Lee", ":"]
    assert any("all tokens begin with 'en:'" in message for message in said)
    rows, _ = read(tmp_path, "train", "en:Ann\tB-PER\nen:Lee\tI-PER\nso\tO\n")
    assert rows[0]["tokens"][0] == "en:Ann"


def test_a_column_of_trees_under_another_name_gives_the_texts(tmp_path):
    rows, _ = read(tmp_path, "a.csv", 'id,parse\n1,"(S (NP I) (VP see))"\n2,"(S (VP go))"\n')
    assert rows[0] == {"text": "I see", "tree": "(S (NP I) (VP see))"}


@pytest.mark.parametrize(
    ("text", "tree", "told"),
    [
        ("(S (NP##g=m|n=s## (D##lem=le## le)) (V dort))", "(S (NP (D le)) (V dort))", "SPMRL"),
        ("(S (d El el) (n gato gato) (v duerme dormir) (f . .))",
         "(S (d El) (n gato) (v duerme) (f .))", "lemma"),
        ("wsj_01.0 (S (NP I) (VP go))\nwsj_01.1 (S (VP go))\n", "(S (NP I) (VP go))", "before"),
        ("(S (VP (N 1) (V 2)) (P 0))\tWe it saw\n", "(S (P We) (VP (N it) (V saw)))", "places"),
    ],
)  # fmt: skip
def test_other_habits_of_treebanks_are_read(tmp_path, text, tree, told):
    (tmp_path / "a.discbr").write_text(text)
    said: list[str] = []
    with heard_by(said.append):
        assert str(read_treebank(tmp_path / "a.discbr")[0]) == tree
    assert any(told in message for message in said)


def test_lemmas_of_five_columns_are_left_out(tmp_path):
    lines = "Bonn Bonn NE I-NC I-LOC\nlebt leben VVFIN I-VC O\n\nDer d ART I-NC O\n"
    rows, said = read(tmp_path, "deu.train", lines)
    assert rows[0]["tags"] == ["NE", "VVFIN"]
    assert rows[0]["spans"] == [{"start": 0, "end": 4, "label": "LOC"}]
    assert "deu.train: lemmas (the second column) are not kept" in said


def test_tags_of_tweets_are_of_words(tmp_path):
    rows, _ = read(tmp_path, "a.conll", "I\tO\nlove\tV\n#it\t#\n\nYou\tO\nrock\tV\n!\t,\n")
    assert rows[0]["tags"] == ["O", "V", "#"]
    assert "spans" not in rows[0]


def test_the_index_of_pandas_is_left_out(tmp_path):
    table = pa.table({"text": ["a b", "c d"], "__index_level_0__": [5, 9]})
    pq.write_table(table, tmp_path / "a.parquet")
    assert read_corpus(tmp_path / "a.parquet").names == ("id", "text")


def test_words_with_tags_behind_a_dash_are_trees_with_tags(tmp_path):
    (tmp_path / "a.mrg").write_text("(S (NP the_DT dog_NN) (VP barks_VBZ))\n")
    (tree,) = read_treebank(tmp_path / "a.mrg")
    assert str(tree) == "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))"


def test_brackets_with_two_words_each_stay_as_they_are(tmp_path):
    text = "(S (NP the dog) (VP sees cats) (PP in it) (NP a tree))"
    (tmp_path / "a.mrg").write_text(text)
    assert str(read_treebank(tmp_path / "a.mrg")[0]) == text


def test_tokens_with_tags_without_prefixes_are_read(tmp_path):
    given = "Ann\tperson-actor\nsang\tO\n\nin\tO\nRome\tlocation-city\nonce\tO\n"
    (first, _), said = read(tmp_path, "train.txt", given)
    assert first["text"] == "Ann sang"
    assert first["spans"] == [{"start": 0, "end": 3, "label": "person-actor"}]
    assert said[0].endswith("train.txt holds a token a line: it is read as CoNLL (.conll)")


def test_a_tab_before_all_lines_is_no_column(tmp_path):
    given = "\tThe/at jury/nn said/vbd so/rb ./.\n\n\n\tIt/pps was/bedz late/rb ./.\n"
    with pytest.raises(CorpusError, match="tag behind it"):
        read(tmp_path, "ca01.txt", given)


def test_quoted_cells_of_a_table_in_a_txt_are_told(tmp_path):
    given = "text\tlabel\n" + '"He said ""no"" and left"\tneg\nso it went on\tpos\n' * 3
    _, said = read(tmp_path, "survey.txt", given)
    assert any("quote" in message for message in said)


def test_names_are_proposed_as_classes_before_counts(tmp_path):
    rows = [
        ("a1.json", "true", "Says so of taxes", "70"),
        ("a2.json", "false", "It is so", "0"),
        ("a3.json", "true", "Nobody said that", "7"),
        ("a4.json", "false", "As I said", "0"),
    ]
    given = "".join("\t".join(row) + "\n" for row in rows * 2)
    with pytest.raises(OptionError) as caught:
        read(tmp_path, "train.tsv", given)
    assert "column1,label,text,column4" in caught.value.hint


def test_tasks_without_spans_stand_among_others(tmp_path):
    span = {"value": {"start": 0, "end": 3, "labels": ["PER"]}, "type": "labels"}
    tasks = [
        {"id": 1, "data": {"text": "Ann sang"}, "annotations": [{"result": [span]}]},
        {"id": 2, "data": {"text": "So it is"}, "annotations": [{"was_cancelled": True}]},
    ]
    rows, _ = read(tmp_path, "export.json", json.dumps(tasks))
    assert [len(row["spans"]) for row in rows] == [1, 0]

"""Words a row, lists in cells, parts of data sets, classes in files beside: read, and told."""

from __future__ import annotations

import json

import pytest

from grammar.errors import CorpusError, TreewrightError
from grammar.messages import heard_by
from induction import read_corpus, read_treebank
from tests.induction.conventions.given import read

_FIRST = "Sentence #,Word,POS,Tag\nSentence: 1,in,IN,O\n,Bonn,NNP,B-geo\nSentence: 2,so,RB,O\n"
_EACH = "sentence_id,word,pos,tag\n1,in,IN,O\n1,Bonn,NNP,B-geo\n2,so,RB,O\n"
_LISTS = "Sentence,POS,Tag\nin Bonn,\"['IN', 'NNP']\",\"['O', 'B-geo']\"\nso,['RB'],['O']\n"


@pytest.mark.parametrize("given", [_FIRST, _EACH, _LISTS])
def test_words_and_tags_of_kaggle_are_sentences_with_spans(tmp_path, given):
    rows, said = read(tmp_path, "a.csv", given)
    assert rows[0] == {
        "text": "in Bonn", "tokens": ["in", "Bonn"], "tags": ["IN", "NNP"],
        "spans": [{"start": 3, "end": 7, "label": "geo"}],
    }  # fmt: skip
    assert len(rows) == 2
    assert "spans are made of" in said[0]


def test_a_first_word_without_a_sentence_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="the first word has no sentence in 'sentence'"):
        read(tmp_path, "a.csv", "sentence,word\n,in\n1,so\n")


def test_a_tag_at_fault_has_its_sentence(tmp_path):
    with pytest.raises(CorpusError, match="'X' says nothing of a span") as found:
        read(tmp_path, "a.csv", "sentence,word,tag\n1,in,O\n1,Bonn,B-geo\n2,so,X\n")
    assert str(found.value.where).endswith("sentence 2, column 'tag'")


def test_lists_in_cells_are_lists(tmp_path):
    given = 'tokens,ner_tags\n"[\'it\', ""\'s""]","[0, 3]"\n"[\'so\']",[0]\n'
    rows, _ = read(tmp_path, "a.csv", given)
    assert rows[0] == {"text": "it 's", "tokens": ["it", "'s"], "ner_tags": [0, 3]}


@pytest.mark.parametrize("cell", ["['a' 'b']", "[f(1)]", "['a', 2]", r"['\x41']", "[[['a']]]"])
def test_what_is_no_list_of_words_stays_text(tmp_path, cell):
    rows, _ = read(tmp_path, "a.csv", f'text,tokens_of\nit was so,"{cell}"\n')
    assert rows[0]["tokens_of"] == cell
    with pytest.raises(TreewrightError):
        read(tmp_path, "b.csv", f'text,tokens\nit was so,"{cell}"\n')


def test_io_and_prefixes_behind_labels_are_spans(tmp_path):
    rows, said = read(tmp_path, "a.conll", "EU\tORG\nin\tO\nNew\tLOC\nYork\tLOC\n")
    assert [one["label"] for one in rows[0]["spans"]] == ["ORG", "LOC"]
    assert "no B- and I- (IO)" in said[0]
    rows, said = read(tmp_path, "b.conll", "EU\tORG-B\nin\tO\nNew\tLOC-B\nYork\tLOC-I\n")
    assert rows[0]["spans"][1] == {"start": 6, "end": 14, "label": "LOC"}
    assert "LOC-B are read as B-LOC" in said[0]


def test_the_part_for_training_is_read_as_clinc_has_it(tmp_path):
    parts = {"oos_val": [["a b", "oos"]], "train": [["c d", "x"], ["e f", "y"]], "oos_test": []}
    rows, said = read(tmp_path, "a.json", json.dumps(parts))
    assert rows == [{"text": "c d", "label": "x"}, {"text": "e f", "label": "y"}]
    assert said[0].endswith("its part 'train'; not 'oos_val'")
    with pytest.raises(CorpusError, match="several parts, val, test"):
        read(tmp_path, "b.json", json.dumps({"val": [["a", "b"]], "test": [["c", "d"]]}))


def test_lists_under_names_of_classes_are_texts(tmp_path):
    rows, said = read(tmp_path, "a.json", json.dumps({"pos": ["so good", "fine"], "neg": ["bad"]}))
    assert rows[2] == {"text": "bad", "label": "neg"}
    assert "under the names of their classes: pos, neg" in said[0]


def test_questions_of_squad_are_pairs(tmp_path):
    asked = {"id": "q1", "question": "Who ran?", "answers": [{"text": "We", "answer_start": 0}]}
    article = {"title": "T", "paragraphs": [{"context": "We ran.", "qas": [asked]}]}
    given = json.dumps({"version": "1.1", "data": [article]})
    rows, said = read(tmp_path, "a.json", given)
    assert rows == [{"text": "Who ran?", "text_pair": "We ran."}]
    assert "answers are not kept" in said[0]


def _folder(tmp_path, **files: str):
    for name, text in files.items():
        (tmp_path / f"{name}.txt").write_text(text)
    return tmp_path


def test_classes_in_a_file_beside_are_read_as_tweet_eval_has_them(tmp_path):
    folder = _folder(
        tmp_path, train_text="so\nit\n", train_labels="1\n0\n", val_text="a\n", val_labels="0\n",
        mapping="0\tanger\n1\tjoy\n",
    )  # fmt: skip
    said: list[str] = []
    with heard_by(said.append):
        corpus = read_corpus(folder)
        other = read_corpus(folder / "val_text.txt")
    assert (corpus.column("label"), other.column("label")) == (["joy", "anger"], ["anger"])
    assert said[0].endswith("named as mapping.txt says; not of val_text.txt, which may be named")
    assert "train_text.txt:2" in corpus.where(1)
    assert "label" not in read_corpus(folder / "val_text.txt", format="text").names


def test_files_of_texts_and_classes_that_differ_are_refused(tmp_path):
    folder = _folder(tmp_path, train_text="so\nit\n", train_labels="1\n")
    with pytest.raises(CorpusError, match="train_text.txt has 2 lines, and train_labels.txt has 1"):
        read_corpus(folder)
    (tmp_path / "train_text.txt").unlink()
    folder = _folder(tmp_path, a_text="so\n", a_label="1\n", b_text="so\n", b_label="1\n")
    with pytest.raises(CorpusError, match="the folder holds several parts") as found:
        read_corpus(folder)
    assert str(folder / "a_text.txt") in found.value.hint


def test_a_file_a_class_is_read_as_the_reviews_of_pang_and_lee(tmp_path):
    (tmp_path / "rt-polarity.pos").write_text("good\n")
    (tmp_path / "rt-polarity.neg").write_text("bad\nso bad\n")
    corpus = read_corpus(tmp_path)
    assert corpus.column("label") == ["neg", "neg", "pos"]
    assert "rt-polarity.neg:2" in corpus.where(1)


def test_trees_in_a_table_have_their_words(tmp_path):
    given = '{"tree": "(S (NP We) (VP slept))"}\n{"tree": "(S (NP They) (VP ran))"}\n'
    rows, said = read(tmp_path, "a.jsonl", given)
    assert rows[0] == {"text": "We slept", "tree": "(S (NP We) (VP slept))"}
    assert said == ["text is made of the words of the trees in 'tree'"]
    assert [str(tree) for tree in read_treebank(tmp_path / "a.jsonl")][1] == rows[1]["tree"]


def test_cola_has_its_class_in_the_second_column(tmp_path):
    marks = [("1", ""), ("0", "*")] * 3
    given = "".join(f"gj{n % 2}\t{one}\t{star}\tHe saw {n} of us.\n" for n, (one, star) in
                    enumerate(marks))  # fmt: skip
    rows, said = read(tmp_path, "a.tsv", given)
    assert (rows[1]["label"], rows[1]["text"]) == (0, "He saw 1 of us.")
    assert said[0].endswith("text is read from column 4, label from column 2")


@pytest.mark.parametrize(
    ("name", "given", "cause"),
    [
        ("a.tsv", "#FORMAT=WebAnno TSV 3.3\n\n#Text=a\n1-1\t0-1\ta\t_\n", "this is WebAnno TSV"),
        ("a.sdp", "#SDP 2015\n#1\n1\tWe\twe\tPRP\t-\t+\t_\n", "semantic dependencies"),
        ("a.TextGrid", 'File type = "ooTextFile"\n', "a TextGrid of Praat"),
        ("a.props", "The (S1(S(NP* * - - (A1*\nend *)) * - - *)\n", "CoNLL-2005"),
        ("a.pos", "[ We/PRP ]\nran/VBD ./.\n====\n[ We/PRP ]\nsat/VBD ./.\n", "has a tag behind"),
        ("a.jsonl", '{"text": "NaN", "label": NaN}\n{"text": "b", "label": "c"}\n', "NaN is no"),
        ("a.csv", 'text,label\n"good,pos\nbad,neg\n', "a quote opens a cell, and is not closed"),
        ("a.mrg", "Tree('S', [Tree('NP', ['We'])])\n", "NLTK as repr prints"),
    ],
)
def test_what_is_of_another_kind_is_named(tmp_path, name, given, cause):
    with pytest.raises(TreewrightError, match=cause) as found:
        read(tmp_path, name, given)
    assert found.value.hint

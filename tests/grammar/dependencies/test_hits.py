"""Hits of requests: columns, counts, samples, pictures; and the columns of treebanks."""

from __future__ import annotations

import re

import pytest

from grammar.dependencies.treebank import DependencyTreebank
from grammar.errors import CorpusError, OptionError
from grammar.messages import heard_by

BANK = DependencyTreebank.from_columns(
    form=[["we", "saw", "the", "cats", "."], ["cats", "ran"], ["a", "_"]],
    lemma=[["we", "see", "the", "cat", "."], ["cat", "run"], ["_", "_"]],
    upos=[["PRON", "VERB", "DET", "NOUN", "PUNCT"], ["NOUN", "VERB"], ["DET", "SYM"]],
    features=[["_", "_", "_", "Number=Plur", "_"], ["Number=Plur|Case=Nom", "_"], ["_", "_"]],
    misc=[["_", "_", "_", "SpaceAfter=No", "_"], ["Gloss=x", "_"], ["_", "_"]],
    head=[[2, 0, 4, 2, 2], [2, 0], [2, 0]],
    deprel=[["nsubj", "root", "det", "obj", "punct"], ["nsubj:x", "root"], ["det", "root"]],
    variables={"sent_id": ["a", "b", "c"], "genre": ["news", "poem", "poem"]},
)
NOUNS = BANK.search("pattern { e: V -> N; N [upos=NOUN] }")


def test_columns() -> None:
    assert NOUNS.to_arrow().to_pylist()[1] == {
        "sentence": 1, "sent_id": "b", "text": "cats ran",
        "V": 2, "V.form": "ran", "V.lemma": "run", "V.upos": "VERB", "V.deprel": "root",
        "N": 1, "N.form": "cats", "N.lemma": "cat", "N.upos": "NOUN", "N.deprel": "nsubj:x",
        "e.label": "nsubj:x",
    }  # fmt: skip
    assert NOUNS.facts() == {
        "request": NOUNS.request, "hits": 2, "sentences_with_hits": 2, "sentences": 3,
    }  # fmt: skip
    assert list(NOUNS.to_pandas()["N"]) == [4, 1]
    assert NOUNS.values("N", "Gloss") == [None, "x"]
    assert NOUNS.values("e", "label") == ["obj", "nsubj:x"]
    assert NOUNS.lines(1) == ["we saw the cats.  [V: saw; N: cats]", "... and 1 more"]


def test_counts() -> None:
    found = NOUNS.count(by=["genre", "N.lemma"])
    assert found.table.to_pylist() == [
        {"genre": "news", "N.lemma": "cat", "hits": 1, "sentences": 1, "per_1000_words": 200.0},
        {"genre": "poem", "N.lemma": "cat", "hits": 1, "sentences": 1, "per_1000_words": 250.0},
    ]
    assert NOUNS.count(by="lemma")["run"] == NOUNS.count(by="V.lemma")["run"] == 1
    assert NOUNS.count(by="N.Case")[None] == 1
    assert NOUNS.count(by="e.label")["obj"] == 1


@pytest.mark.parametrize("name", ["N.Tense", "M.form", "e.form", "genres", "N.", ".", ""])
def test_what_cannot_be_counted_is_told(name: str) -> None:
    with pytest.raises(OptionError, match="there is no variable") as told:
        NOUNS.count(by=name)
    assert "N.lemma" in told.value.hint


def test_parts_and_samples() -> None:
    words = BANK.search("pattern { X [] }")
    assert len(words) == 9
    assert words.sample(4, seed=1).word("X").tolist() == words.sample(4, seed=1).word("X").tolist()
    assert len(words.sample(99)) == 9
    assert words[2:4].values("X") == ["the", "cats"]
    assert len(words.take([])) == 0
    with pytest.raises(OptionError, match="-1 hits cannot be drawn"):
        words.sample(-1)
    with pytest.raises(OptionError, match="no node of the pattern is named Y"):
        words.values("Y")


def test_sentences_keep_what_they_have() -> None:
    kept = BANK.search("pattern { X [form=ran] }").sentences()
    assert (len(kept), kept.text(0), kept.variables["genre"]) == (1, "cats ran", ["poem"])
    assert kept.heads.tolist() == [1, -1]
    assert repr(kept) == "DependencyTreebank(1 sentences, 2 words)"


def test_an_underscore_is_a_form_and_no_value() -> None:
    assert BANK.search('pattern { X [form="_"] }').values("X", "lemma") == [None]
    assert len(BANK.search("pattern { X [form] }")) == 9
    assert len(BANK.search("pattern { X [lemma] }")) == 7
    assert BANK.features == ("Case", "Number")


def test_nothing_is_found_in_nothing() -> None:
    empty = BANK.take([])
    hits = empty.search("pattern { X -> Y } without { Y -> Z }")
    assert len(hits) == 0
    assert hits.to_arrow().num_rows == 0
    assert hits._repr_svg_() is None
    with pytest.raises(OptionError, match="there is no hit to draw"):
        hits.show()


def test_a_picture_marks_words_and_arcs() -> None:
    drawn = NOUNS.show().svg()
    bold = re.findall(r'fill="(#\w+)" font-weight="bold"[^>]*>([^<]+)<', drawn)
    assert [text for _, text in bold] == ["obj", "saw", "cats", "nsubj:x", "cats", "ran"]
    assert len({colour for colour, text in bold if text in ("saw", "ran")}) == 1
    assert BANK.search("pattern { X [form=a] }").show_sentence(0).svg().count("bold") == 0
    for sentence in (-1, 3):
        with pytest.raises(OptionError, match="sentences are 0 to 2"):
            NOUNS.show_sentence(sentence)


def test_arcs_do_not_lie_on_each_other() -> None:
    words = 30
    bank = DependencyTreebank.from_columns(
        form=[[str(n) for n in range(words)]],
        head=[[0, *([1] * (words - 1))]],
        deprel=[["root"] + ["a long relation"] * (words - 1)],
    )
    drawn = bank.search("pattern { X -> Y }").show_sentence(0)
    tops = {shape.y for shape in drawn.shapes if getattr(shape, "text", "") == "a long relation"}
    assert len(tops) == words - 1
    assert min(tops) > 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"form": [["a"]], "head": [[2]]}, "the head 2 is no word of the sentence, which has 1"),
        ({"form": [["a"]], "head": [[-1]]}, "the head -1 is no word"),
        ({"form": [["a"]], "lemma": [["a", "b"]]}, "the column lemma has another number"),
        ({"form": [["a"]], "tag": [["a"]]}, "words have no column 'tag'"),
        ({"form": [["a"]], "variables": {"genre": []}}, "the variable genre has 0 values"),
    ],
)
def test_columns_are_checked(given: dict, said: str) -> None:
    with pytest.raises(CorpusError, match=said):
        DependencyTreebank.from_columns(**given)


def test_a_feature_that_no_word_has_is_told() -> None:
    said: list[str] = []
    with heard_by(said.append):
        assert len(BANK.search("pattern { V [Upos=VERB] } without { V [!Tense] }")) == 0
    known = "form, lemma, upos, xpos, deprel, Case, Number"
    assert said == [
        f"no word has the feature {name}; there are {known}" for name in ("Upos", "Tense")
    ]

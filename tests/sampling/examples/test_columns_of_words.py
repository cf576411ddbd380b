"""Columns with a value for each word: beside other words they are never left as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from grammar.messages import heard_by
from induction import Corpus, read_corpus
from sampling import augment
from sampling.examples.other_columns import Travelling, columns_of_words
from sampling.method import METHODS

SENTENCES = [
    "Ann Lee went to New York yesterday .",
    "Bo Berg went to Cape Town today .",
    "Our office in Oslo hired Jens Berg last week .",
    "Acme Steel sold its mill near Porto .",
    "The train to Cape Town was late again .",
    "Nobody at Blue Lantern had met Aiko .",
]
TOKENS = [sentence.split() for sentence in SENTENCES]
PER, LOC = {"Ann", "Lee", "Bo", "Berg", "Jens", "Aiko"}, {"New", "York", "Cape", "Town", "Oslo"}
KINDS = {
    "numbers": [[len(word) for word in row] for row in TOKENS],
    "parts of speech": [["." if word == "." else "NN" for word in row] for row in TOKENS],
    "fractions": [[len(word) / 4 for word in row] for row in TOKENS],
    "yes or no": [[word[0].isupper() for word in row] for row in TOKENS],
}
METHODS_OF_WORDS = (
    "sub2", "treemix", "randmix", "alp", "eda", "aeda", "random-word", "switchout", "worddrop",
    "shuffle", "eda(alpha_sr=0,alpha_ri=0) | worddrop", "0.5*aeda + 0.5*shuffle",
)  # fmt: skip
NEED_MORE = {
    "geca", "geca-stream", "grammar", "names", "linda", "ctxsub", "ssmba", "backtranslation",
    "prompted", "fluent", "agree", "mention-replacement", "label-wise",
}  # fmt: skip
"""Pairs, a model, spans, or names; all go the same way to other columns."""


def io_tags() -> list[list[str]]:
    """Tags without prefixes."""
    return [
        ["PER" if word in PER else "LOC" if word in LOC else "O" for word in row] for row in TOKENS
    ]


def test_no_method_is_forgotten() -> None:
    known = {name for part in METHODS_OF_WORDS for name in METHODS if name in part}
    assert known | NEED_MORE >= {*METHODS}


@pytest.mark.parametrize("method", METHODS_OF_WORDS)
def test_new_words_have_no_values_of_others(method: str) -> None:
    given: dict[str, Any] = {"tokens": TOKENS, "label": ["a", "b"] * 3, **KINDS}
    said: list[str] = []
    with heard_by(said.append):
        made = augment(given, method, n=12, seed=1, keep_originals=True).corpus
    for name, rows in KINDS.items():
        assert made.column(name)[: len(TOKENS)] == rows
        assert made.column(name)[len(TOKENS) :] == [None] * 12
    assert any("new examples have none where their words are others" in one for one in said)


@pytest.mark.parametrize("name", KINDS)
def test_the_hint_makes_them_move(name: str) -> None:
    corpus = read_corpus({"tokens": TOKENS, name: KINDS[name]}, rename={name: "tags"})
    known: dict[str, set[str]] = {}
    for row in corpus:
        for word, tag in zip(row["tokens"], row["tags"], strict=True):
            known.setdefault(word, set()).add(tag)
    made = augment(corpus, "0.5*worddrop + 0.5*shuffle", n=12).corpus
    for row in made:
        pairs = zip(row["tokens"], row["tags"], strict=True)
        assert all(tag in known[word] for word, tag in pairs)


def test_words_are_what_stands_between_white_space_where_there_are_no_tokens() -> None:
    corpus = Corpus.from_columns(text=SENTENCES, pos=KINDS["numbers"], years=[[1, 2]] * 6)
    assert columns_of_words(corpus) == ["pos"]
    made = augment(corpus, "worddrop", n=4).corpus
    assert made.column("pos") == [None] * 4
    assert made.column("years") == [[1, 2]] * 4


def test_texts_of_one_word_make_no_column_of_texts_one_of_words() -> None:
    names = Corpus.from_columns(text=["Ann", "Bo", "Cy"], day=["Mo", "Mo", "Tu"])
    assert columns_of_words(names) == []


def test_values_of_the_same_words_travel_also_through_a_file(tmp_path: Path) -> None:
    corpus = Corpus.from_columns(id=["0"], text=["so it is"], pos=[[1, 2, 3]], day=["Mo"])
    parents = pa.array([{"parents": ["0"]}] * 2)
    made = pa.table({"text": ["so it is", "so is it"], "provenance": parents})
    travelling = Travelling.of(corpus, shared=False)
    assert travelling is not None
    travelling.save(tmp_path / "a.arrow")
    for one in (travelling, Travelling.load(tmp_path / "a.arrow")):
        joined = one.joined(made)
        assert joined.column("pos").to_pylist() == [[1, 2, 3], None]
        assert joined.column("day").to_pylist() == ["Mo", "Mo"]


@pytest.mark.parametrize("with_text", [False, True])
@pytest.mark.parametrize("name", ["ner_tags", "ner", "entity_tags"])
def test_tags_without_prefixes_are_spans(name: str, with_text: bool) -> None:
    given: dict[str, Any] = {"tokens": TOKENS, name: io_tags()}
    said: list[str] = []
    with heard_by(said.append):
        corpus = read_corpus({**given, "text": SENTENCES} if with_text else given)
    assert corpus[0]["spans"] == [
        {"start": 0, "end": 7, "label": "PER"},
        {"start": 16, "end": 24, "label": "LOC"},
    ]
    assert name not in corpus.names
    assert any("no B- and I- (IO)" in one for one in said)
    assert any(f"spans of {name!r}" in one or f"made of {name!r}" in one for one in said)


def test_tags_beside_other_words_than_those_of_the_text_stay() -> None:
    given = {"text": ["Ann left"], "tokens": [["Bo", "left"]], "ner_tags": [["B-PER", "O"]]}
    assert read_corpus(given).column("ner_tags") == [["B-PER", "O"]]
    for row, where in (("Ann left", "text"), ("Ann Lee", "text")):
        given = {where: [row], "tokens": [["Ann", "Lee", "left"]], "ner_tags": [["B-PER", "O"]]}
        assert "spans" not in read_corpus(given).names
    asked = read_corpus({"tokens": TOKENS, "ner_tags": io_tags()}, rename={"ner_tags": "tags"})
    assert asked.column("tags") == io_tags()


def test_tags_in_a_cell_are_of_the_words_too() -> None:
    tags = [" ".join("." if word == "." else "NN" for word in row) for row in TOKENS]
    corpus = Corpus.from_columns(text=SENTENCES, pos=tags, copy=[s.lower() for s in SENTENCES])
    assert columns_of_words(corpus) == ["pos"]
    assert augment(corpus, "worddrop", n=4).corpus.column("pos") == [None] * 4


@pytest.mark.parametrize("given", [{"tokens": TOKENS}, {"text": SENTENCES}])
@pytest.mark.parametrize("name", ["label", "labels"])
def test_labels_of_words_are_tags(given: dict[str, Any], name: str) -> None:
    said: list[str] = []
    with heard_by(said.append):
        corpus = read_corpus({**given, name: KINDS["parts of speech"]})
    assert corpus.column("tags") == KINDS["parts of speech"]
    assert f"{name!r} has a value for each word: they are read as tags" in said
    with heard_by(said.append):
        corpus = read_corpus({**given, name: KINDS["numbers"]})
    assert corpus.column("tags")[0] == list(map(str, KINDS["numbers"][0]))


def test_few_sets_of_classes_are_no_tags() -> None:
    corpus = read_corpus({"text": ["so good", "bad"], "labels": [["a", "b"], ["b"]]})
    assert corpus.column("label") == [["a", "b"], ["b"]]

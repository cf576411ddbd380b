"""Labelled spans in new examples: whole, where their words are, and none lost."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from grammar.errors import CorpusError, NothingNewError, OptionError, SchemaError
from induction.corpus.corpus import Corpus
from sampling.examples.labels import check_corpus
from sampling.method import METHODS, induce
from sampling.opening import open_sampler
from sampling.spans.sub2 import Sub2
from sampling.stream import Sampler, ShortfallWarning
from sampling.words.eda import EDA
from sampling.words.shuffle import Shuffle
from tests.sampling.entities.labelled import corpora, names_of, torn_words

NO_WORDNET = {"alpha_sr": 0, "alpha_ri": 0}
EDITED: dict[str, tuple[str, dict[str, Any]]] = {
    "eda": ("eda", {**NO_WORDNET, "alpha_rd": 0.4}),
    "eda-code": ("eda", {**NO_WORDNET, "alpha_rd": 0.4, "repair": "none"}),
    "aeda": ("aeda", {}),
    "random-word": ("random-word", {"replaced": 2}),
    "switchout": ("switchout", {}),
    "worddrop": ("worddrop", {"p": 0.4}),
    "worddrop-blank": ("worddrop", {"p": 0.4, "blank": "<unk>"}),
    "shuffle": ("shuffle", {}),
    "fluent": ("fluent", {"of": "worddrop(p=0.4)", "candidates": 2}),
}
EXCHANGED: dict[str, tuple[str, dict[str, Any]]] = {
    "sub2": ("sub2", {"phrase": False}),
    "sub2-plain": ("sub2", {"phrase": False, "length": True, "repair": "none"}),
    "sub2-spans": ("sub2", {"task": "spans"}),
    "randmix": ("randmix", {"threshold": 0.7}),
}
REFUSING = ("geca", "geca-stream", "grammar", "names", "alp")


def made(method: str, corpus: Corpus, options: dict[str, Any], n: int = 12) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        sampler: Sampler = induce(method, corpus, **options)
        return sampler.sample(n, seed=3)


def check_made(new: Corpus, corpus: Corpus, *, parents: int) -> None:
    check_corpus(new)
    source = {row["id"]: row for row in corpus}
    for row in new:
        assert not torn_words(row), row
        ids = row["provenance"]["parents"]
        known = sum((names_of(source[id]) for id in ids), Counter())
        assert names_of(row) <= known, (row, known)
        if parents == 1:
            assert names_of(row) == known, (row, known)


@pytest.mark.parametrize("name", EDITED)
@given(corpus=corpora())
@settings(max_examples=25)
def test_edited_texts_keep_the_spans_of_their_text(name: str, corpus: Corpus) -> None:
    method, options = EDITED[name]
    check_made(made(method, corpus, options), corpus, parents=1)


@pytest.mark.parametrize("name", EXCHANGED)
@given(corpus=corpora())
@settings(max_examples=25)
def test_exchanged_words_take_their_spans_along(name: str, corpus: Corpus) -> None:
    method, options = EXCHANGED[name]
    try:
        new = made(method, corpus, options)
    except NothingNewError:
        return
    check_made(new, corpus, parents=2)


def test_constituents_take_their_spans_along() -> None:
    corpus = Corpus.from_columns(
        text=["Ann Lee saw New York", "the owl saw a big dog"],
        tree=[
            "(S (NP (N Ann) (N Lee)) (VP (V saw) (NP (N New) (N York))))",
            "(S (NP (D the) (N owl)) (VP (V saw) (NP (D a) (A big) (N dog))))",
        ],
        label=[0, 1],
        spans=[
            [{"start": 0, "end": 7, "label": "P"}, {"start": 12, "end": 20, "label": "L"}],
            [{"start": 4, "end": 7, "label": "A"}],
        ],
    )  # fmt: skip
    new = Sub2.induce(corpus, phrase=True, label=True).sample(3, seed=1)
    check_corpus(new)
    found = {row["text"]: tuple(sorted(names_of(row))) for row in new}
    known = {
        "the owl saw New York": (("New York", "L"), ("owl", "A")),
        "Ann Lee saw a big dog": (("Ann Lee", "P"),),
        "Ann Lee saw the owl": (("Ann Lee", "P"), ("owl", "A")),
    }
    assert found.items() & known.items(), found
    assert all(found[text] == names for text, names in known.items() if text in found)
    mixed = made("treemix", corpus, {"high": 0.9}, n=10)
    check_corpus(mixed)
    assert {label for row in mixed for _, label in names_of(row)} == {"P", "L", "A"}
    moved = Shuffle.induce(corpus, structure="tree").sample(5)
    check_corpus(moved)
    assert all(len(names_of(row)) in (1, 2) for row in moved)


def test_a_place_that_would_cut_a_span_is_none() -> None:
    spans = [[{"start": 0, "end": 8, "label": "L"}]] * 2
    corpus = Corpus.from_columns(text=["New York", "Old Town"], spans=spans)
    with pytest.raises(NothingNewError, match="cut no labelled span"):
        Sub2.induce(corpus, phrase=False, max_words=1, whole=False)


def test_what_stands_between_the_words_of_a_span_moves_with_them() -> None:
    text = "a dog met Jay-Z there"
    tokens = [["a", "dog", "met", "Jay", "-", "Z", "there"]]
    tree = ["(S (NP (D a) (N dog)) (VP (V met) (NP (N Jay) (H -) (N Z)) (R there)))"]
    spans = [[{"start": 10, "end": 15, "label": "P"}]]
    corpus = Corpus.from_columns(text=[text], tokens=tokens, tree=tree, spans=spans)
    new = Shuffle.induce(corpus, structure="tree").sample(4)
    assert all(names_of(row) == {("Jay-Z", "P"): 1} for row in new)


@pytest.mark.parametrize("structure", ["tree", "dependency"])
def test_a_span_across_constituents_is_not_parted(structure: str) -> None:
    columns: dict[str, Any] = {
        "tree": ["(S (A (X a b) c) (B d e f) g)"],
        "dependency": [[2, 0, 2, 5, 2, 5, 6]],
    }
    spans = [[{"start": 4, "end": 7, "label": "P"}]]
    name = "tree" if structure == "tree" else "heads"
    given = {"tokens": [list("abcdefg")], name: columns[structure]}
    corpus = Corpus.from_columns(text=["a b c d e f g"], spans=spans, **given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        new = Shuffle.induce(corpus, structure=structure).sample(50)
    assert len(new) == 1  # of all groups, one does not end within the span
    assert all(names_of(row) == {("c d", "P"): 1} for row in new)


def test_names_keep_their_capitals_wherever_they_come_to_stand() -> None:
    texts = ["The Hague is far .", "see him now ."]
    spans = [[{"start": 0, "end": 9, "label": "L"}], []]
    corpus = Corpus.from_columns(text=texts * 2, spans=spans * 2)
    new = Sub2.induce(corpus, phrase=False, length=True).sample(20)
    assert any("The Hague" in text and not text.startswith("The") for text in new.column("text"))
    assert not any("the Hague" in text for text in new.column("text"))


@pytest.mark.parametrize("name", ["sub2", "eda"])
@given(corpus=corpora())
@settings(max_examples=5)
def test_a_saved_grammar_has_them(name: str, corpus: Corpus, tmp_path_factory: Any) -> None:
    method, options = {**EDITED, **EXCHANGED}[name]
    sampler = induce(method, corpus, **options)
    path: Path = tmp_path_factory.mktemp("grammar") / "g.arrow"
    sampler.grammar.save(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        assert open_sampler(path).sample(9).table == sampler.sample(9).table


def test_a_saved_grammar_whose_spans_lie_outside_its_texts_is_refused(tmp_path: Path) -> None:
    bad = [[{"start": 0, "end": 90, "label": "L"}], []]
    sampler = Sub2.induce(Corpus.from_columns(text=["a b c", "d e f"]), phrase=False)
    grammar = sampler.grammar
    examples = grammar.examples.with_column("spans", bad)
    broken = type(grammar)(
        grammar.method, grammar.version, examples, grammar.sites, grammar.pools,
        (*grammar.columns, "spans"), grammar.mixes, grammar.options,
    )  # fmt: skip
    broken.save(tmp_path / "g.arrow")
    with pytest.raises(Exception, match="none of a text"):
        open_sampler(tmp_path / "g.arrow")


@pytest.mark.parametrize("method", REFUSING)
def test_other_methods_refuse_spans(method: str) -> None:
    corpus = Corpus.from_columns(
        text=["walk left", "jump left"], label=[0, 1], spans=[[], []],
        tree=["(S (V walk) (R left))", "(S (V jump) (R left))"],
    )  # fmt: skip
    options = {"a": "x", "b": "y"} if method == "names" else {}
    with pytest.raises(CorpusError, match="cannot keep the column 'spans'"):
        induce(method, corpus, **options)


def test_every_method_says_whether_it_carries_spans() -> None:
    without = {name for name, method in METHODS.items() if not method.sampler.carries_spans}
    models = {name for name, method in METHODS.items() if method.needs_model}
    assert without == {*REFUSING, *models} - {"ctxsub", "ssmba"}


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("sub2", {"phrase": False}), ("randmix", {"threshold": 0.7}), ("eda", NO_WORDNET),
        ("worddrop", {}), ("shuffle", {}), ("aeda", {}),
    ],
)  # fmt: skip
def test_tags_that_stand_for_spans_are_refused(method: str, options: dict[str, Any]) -> None:
    corpus = Corpus.from_columns(
        text=["Ann Lee left", "Bo saw her"], label=[0, 1],
        tags=[["B-PER", "I-PER", "O"], ["B-PER", "O", "O"]],
    )  # fmt: skip
    with pytest.raises(CorpusError, match="would tear the spans") as caught:
        induce(method, corpus, **options)
    assert "with_spans" in str(caught.value.hint)


def test_tags_in_their_own_places_are_not_refused() -> None:
    corpus = Corpus.from_columns(
        text=["Ann Lee left", "Bo saw her"], tags=[["B-PER", "I-PER", "O"], ["B-PER", "O", "O"]]
    )
    for method, options in (("random-word", {}), ("sub2", {"task": "tags"})):
        new = induce(method, corpus, **options).sample(3)
        assert set(map(tuple, new.column("tags"))) <= set(map(tuple, corpus.column("tags")))


@pytest.mark.parametrize(
    ("spans", "what"),
    [
        ([(0, 9)], "none of a text"), ([(2, 2)], "none of a text"), ([(0, 4)], "white space"),
        ([(0, 3), (1, 5)], "overlap"), ([(0, 2)], "words of its own"), ([(1, 3)], "words of its"),
    ],
)  # fmt: skip
def test_spans_that_are_none_are_refused(spans: list[tuple[int, int]], what: str) -> None:
    column = [[{"start": a, "end": b, "label": "X"} for a, b in spans]]
    corpus = Corpus.from_columns(text=["Ann Lee"], spans=column)
    with pytest.raises(CorpusError, match=what):
        EDA.induce(corpus, **NO_WORDNET)


def test_a_saved_grammar_whose_spans_are_none_is_refused(tmp_path: Path) -> None:
    spans = [[{"start": a, "end": b, "label": "P"}] for a, b in ((0, 7), (4, 7))]
    corpus = Corpus.from_columns(text=["Ann Lee sang", "and Bob"], spans=spans)
    grammar = Sub2.induce(corpus, task="spans").grammar
    spans[0] = [{"start": 0, "end": 70, "label": "P"}]
    examples = grammar.examples.with_column("spans", spans)
    replace(grammar, examples=examples).save(tmp_path / "g.arrow")
    with pytest.raises(SchemaError, match="the span 0 to 70 is none of a text of 12 characters"):
        open_sampler(tmp_path / "g.arrow")


def test_part_of_a_word_may_be_a_span_where_letters_are_not_parted() -> None:
    spans = [[{"start": 0, "end": 8, "label": "L"}, {"start": 26, "end": 30, "label": "L"}]]
    text = "New York-based men of the U.S., who went away"
    corpus = Corpus.from_columns(text=[text], spans=spans)
    new = EDA.induce(corpus, **NO_WORDNET).sample(20)
    check_corpus(new)
    assert all(names_of(row) == {("New York", "L"): 1, ("U.S.", "L"): 1} for row in new)


def test_texts_made_anew_would_lose_the_places_of_spans() -> None:
    corpus = Corpus.from_columns(text=["a b", "c d"], spans=[[], []])
    with pytest.raises(OptionError, match="'spans' are others"):
        Sub2.induce(corpus, phrase=False, tokenised=True)

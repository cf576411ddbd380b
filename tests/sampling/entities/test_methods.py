"""Methods made for labelled spans: what each of them may change, and how often it does."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from grammar.errors import CorpusError, OptionError
from induction.corpus.corpus import Corpus
from induction.corpus.entities.columns import tags_of_spans
from sampling.examples.labels import check_corpus
from sampling.explanations.explain import explain
from sampling.spans.sub2 import Sub2
from sampling.stream import ShortfallWarning
from sampling.words.label_wise import LabelWise
from sampling.words.mentions import MentionReplacement
from sampling.words.sampler import TokenSampler
from sampling.words.shuffle import Shuffle
from tests.sampling.entities.labelled import corpora, names_of, torn_words

SPANS = [[(0, 7, "PER"), (12, 16, "LOC")], [(0, 2, "PER")], [(8, 16, "LOC")]]
TEXTS = ["Ann Lee saw Rome .", "Bo left for good .", "back to New York !"]


def people(**columns: Any) -> Corpus:
    spans = [[{"start": a, "end": b, "label": x} for a, b, x in row] for row in SPANS]
    return Corpus.from_columns(text=TEXTS, spans=spans, **columns)


def sampled(sampler: TokenSampler, n: int, **which: Any) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        return sampler.sample(n, **which)


def skeleton(row: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return what stands between the spans of an example, and their labels."""
    cuts = [0, *(x for s in row["spans"] for x in (s["start"], s["end"])), len(row["text"])]
    between = [row["text"][a:b] for a, b in zip(cuts[::2], cuts[1::2], strict=True)]
    return between, [s["label"] for s in row["spans"]]


@given(corpus=corpora())
@settings(max_examples=30)
def test_mentions_are_replaced_by_mentions_of_their_label_and_nothing_else(corpus: Corpus) -> None:
    new = sampled(MentionReplacement.induce(corpus, p=0.7), 12)
    check_corpus(new)
    source = {row["id"]: row for row in corpus}
    known = set().union(*(names_of(row) for row in corpus))
    for row in new:
        host = source[row["provenance"]["parents"][0]]
        assert skeleton(row) == skeleton(host)
        assert names_of(row).keys() <= known
        assert not torn_words(row)
        if "tokens" in corpus.names:
            assert "".join(row["tokens"]) == "".join(row["text"].split())
        places = row["provenance"]["spans"]
        assert 1 <= len(places) <= len(row["spans"])
        assert all(place["start"] < place["end"] for place in places)


def test_all_that_mention_replacement_can_make() -> None:
    sampler = MentionReplacement.induce(people())
    assert sampler.count() == 3 + 1 + 1
    assert set(sampled(sampler, 99).column("text")) == {
        "Bo saw Rome .", "Bo saw New York .", "Ann Lee saw New York .", "Ann Lee left for good .",
        "back to Rome !",
    }  # fmt: skip
    grammar = sampler.grammar
    assert {grammar.rule_text(k) for k in range(4)} == {
        "LOC -> Rome", "LOC -> New York", "PER -> Ann Lee", "PER -> Bo",
    }  # fmt: skip


def test_mentions_are_drawn_as_often_as_they_occur_but_for_their_own() -> None:
    texts = ["Al x"] + ["Bo y"] * 3 + ["Cy z"]
    spans = [[{"start": 0, "end": 2, "label": "P"}]] * 5
    sampler = MentionReplacement.induce(Corpus.from_columns(text=texts, spans=spans), p=1.0,
                                        distinct=False)  # fmt: skip
    new = sampler.sample(4000, seed=1)
    drawn = Counter(row["text"] for row in new if row["provenance"]["parents"] == ["0"])
    assert drawn["Bo x"] / sum(drawn.values()) == pytest.approx(0.75, abs=0.05)
    likely = {row["text"]: row["provenance"]["log_probability"] for row in new}
    assert np.exp(likely["Bo x"]) == pytest.approx(0.75)
    assert np.exp(likely["Cy x"]) == pytest.approx(0.25)


def test_words_that_touch_a_mention_touch_the_next_one() -> None:
    tokens = [["(", "Ann", ")", "'s"], ["Bo", "Li", "went"]]
    spans = [[{"start": 1, "end": 4, "label": "P"}], [{"start": 0, "end": 5, "label": "P"}]]
    corpus = Corpus.from_columns(text=["(Ann)'s", "Bo Li went"], tokens=tokens, spans=spans)
    new = sampled(MentionReplacement.induce(corpus), 4)
    assert sorted(new.column("text")) == ["(Bo Li)'s", "Ann went"]
    assert ["(", "Bo", "Li", ")", "'s"] in new.column("tokens")


def test_a_mention_in_a_longer_word_stays() -> None:
    spans = [[{"start": 0, "end": 8, "label": "L"}], [{"start": 3, "end": 7, "label": "L"}]]
    corpus = Corpus.from_columns(text=["New York-based", "in Rome"], spans=spans)
    with pytest.raises(CorpusError, match="no span can be replaced"):
        MentionReplacement.induce(corpus)


@given(corpus=corpora())
@settings(max_examples=30)
def test_label_wise_words_had_the_same_label_somewhere(corpus: Corpus) -> None:
    new = sampled(LabelWise.induce(corpus, p=0.5), 12)
    check_corpus(new)
    if "tokens" not in corpus.names:
        return
    source = dict(zip(corpus.column("id"), tags_of_spans(corpus), strict=True))
    rows = zip(corpus.column("tokens"), tags_of_spans(corpus), strict=True)
    known = {pair for tokens, tags in rows for pair in zip(tokens, tags, strict=True)}
    for row, tags in zip(new, tags_of_spans(new), strict=True):
        assert tags == source[row["provenance"]["parents"][0]]
        assert set(zip(row["tokens"], tags, strict=True)) <= known


@given(corpus=corpora())
@settings(max_examples=30)
def test_words_are_shuffled_within_their_segments(corpus: Corpus) -> None:
    sampler = Shuffle.induce(corpus, structure="segments", rate=0.7)
    new = sampled(sampler, 12)
    check_corpus(new)
    source = {row["id"]: row for row in corpus}
    for row in new:
        host = source[row["provenance"]["parents"][0]]
        for mine, its in zip(segments(row), segments(host), strict=True):
            assert mine[1] == its[1]
            assert sorted(mine[0].split()) == sorted(its[0].split())


def segments(row: dict[str, Any]) -> list[tuple[str, str | None]]:
    found: list[tuple[str, str | None]] = []
    at = 0
    for span in row["spans"]:
        found.append((row["text"][at : span["start"]], None))
        found.append((row["text"][span["start"] : span["end"]], span["label"]))
        at = span["end"]
    return [*found, (row["text"][at:], None)]


def test_protected_words_stay_in_every_method() -> None:
    for sampler in (
        LabelWise.induce(people(), p=0.9, protect="Rome|good"),
        MentionReplacement.induce(people(), p=0.9, protect="Rome|good"),
        Shuffle.induce(people(), structure="segments", protect="Rome|good"),
    ):
        for row in sampled(sampler, 20):
            text = TEXTS[int(row["provenance"]["parents"][0])]
            assert ("Rome" in text) <= ("Rome" in row["text"])
            assert ("good" in text) <= ("good" in row["text"])


def test_sub2_exchanges_spans_with_what_is_around_them() -> None:
    sampler = Sub2.induce(people(), task="spans", max_words=3)
    names = sampler.grammar.pools.names
    assert {"PER", "LOC", "PER ·", "· LOC"} <= set(names)
    texts = set(sampled(sampler, 99).column("text"))
    assert {"Bo saw Rome .", "Ann Lee left for good ."} <= texts
    by_tag = Sub2.induce(
        people(
            tags=[["N", "N", "V", "N", "."], ["N", "V", "P", "A", "."], ["A", "P", "N", "N", "!"]]
        ),
        task="spans",
    )
    assert "PER V" in by_tag.grammar.pools.names
    assert not any(name.endswith("·") for name in by_tag.grammar.pools.names)


def test_an_example_shows_the_mention_that_was_put_in() -> None:
    new = MentionReplacement.induce(people()).sample(5)
    row = next(r for r in new if r["text"] == "back to Rome !")
    shown = str(explain(new, row["id"], source=people()))
    assert "⟦−New York⟧" in shown
    assert "⟦+Rome⟧" in shown


@pytest.mark.parametrize("method", [MentionReplacement, LabelWise])
def test_what_these_methods_need(method: Any) -> None:
    with pytest.raises(CorpusError, match="no column 'spans'"):
        method.induce(Corpus.from_columns(text=["a", "b"]))
    with pytest.raises(OptionError, match="p=0 replaces no"):
        method.induce(people(), p=0)
    with pytest.raises(CorpusError):
        method.induce(Corpus.from_columns(text=["a a", "a"], spans=[[], []]))


def test_mentions_refuse_what_hangs_on_their_words() -> None:
    tokens = [text.split() for text in TEXTS]
    tree = [f"(S {' '.join(f'(X {w})' for w in words)})" for words in tokens]
    with pytest.raises(CorpusError, match="cannot keep the column 'tree'"):
        MentionReplacement.induce(people(tree=tree))


def test_spans_need_spans() -> None:
    with pytest.raises(CorpusError, match="no column 'spans'"):
        Shuffle.induce(Corpus.from_columns(text=["a b", "c d"]), structure="segments")
    with pytest.raises(CorpusError, match="no column 'spans'"):
        Sub2.induce(Corpus.from_columns(text=["a b", "c d"]), task="spans")

"""CtxSub and SSMBA: what the model sees, what is drawn, and what stays as it is."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from induction.corpus.corpus import Corpus
from sampling.examples.class_names import number_classes
from sampling.method import induce
from sampling.neural.masked.edits import chosen_words, drawn, replaced, words_of
from sampling.neural.masked.model import MaskedModel, mask_score, open_masked
from sampling.operators.method import fluent
from tests.sampling.neural.conftest import OTHERS, TEXTS


@given(st.text(max_size=30), st.data())
def test_untouched_characters_stay_and_new_words_stand_where_it_is_said(
    text: str, data: st.DataObject
) -> None:
    spans = [s for s in words_of(text) if data.draw(st.booleans())]
    words = [data.draw(st.sampled_from(["a", "[MASK]", "größer"])) for _ in spans]
    made, begins = replaced(text, spans, words)
    for begin, word in zip(begins, words, strict=True):
        assert made[begin : begin + len(word)] == word
    back, _ = replaced(
        made,
        [(b, b + len(w)) for b, w in zip(begins, words, strict=True)],
        [text[slice(*s)] for s in spans],
    )
    assert back == text


@given(st.integers(1, 30), st.floats(0, 1), st.integers(0, 9))
def test_a_share_of_the_words_is_chosen(size: int, share: float, seed: int) -> None:
    found = chosen_words([(0, 1)] * size, share, np.random.default_rng(seed))
    assert found == sorted(set(found))
    assert max(1, int(share * size)) <= len(found) <= int(share * size) + 1


def test_words_are_drawn_by_their_probability() -> None:
    likely = np.log(np.array([0.5, 0.3, 0.15, 0.05]))
    allowed = np.array([True, False, True, True])
    random = np.random.default_rng(0)
    counts = Counter(drawn(likely, allowed, 0, False, random)[0] for _ in range(4000))
    assert set(counts) == {0, 2, 3}
    assert counts[0] / 4000 == pytest.approx(0.5 / 0.7, abs=0.03)
    assert {drawn(likely, allowed, 2, False, random)[0] for _ in range(200)} == {0, 2}
    piece, chance = drawn(likely, allowed, 2, False, np.random.default_rng(1))
    assert chance == pytest.approx(np.log({0: 0.5, 2: 0.15}[piece] / 0.65))
    assert drawn(likely, allowed, 0, True, random) == (0, 0.0)


class Watched(MaskedModel):
    """A model that keeps what it was shown."""

    seen: list[str]

    def log_probabilities(self, texts: Any, places: Any) -> Any:
        self.__dict__.setdefault("seen", []).extend(texts)
        return super().log_probabilities(texts, places)


def watched(name: str, folder: Path, corpus: Corpus, **options: Any) -> tuple[Any, Watched]:
    sampler = induce(name, corpus, model=str(folder), **options)
    opened = open_masked(str(folder))
    spy = Watched(opened.model, opened.tokenizer)
    sampler.__dict__["model"] = spy
    return sampler, spy


def table(sampler: Any, n: int) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sampler.sample(n)


def test_ctxsub_masks_its_words_and_never_puts_a_word_back(
    masked_folder: Path, corpus: Corpus
) -> None:
    sampler, spy = watched("ctxsub", masked_folder, corpus, share=0.4)
    made = table(sampler, 8)
    texts = dict(zip(corpus.column("id"), corpus.column("text"), strict=True))
    labels = dict(zip(corpus.column("id"), corpus.column("label"), strict=True))
    for row in made:
        [parent] = row["provenance"]["parents"]
        old, new = texts[parent].split(), row["text"].split()
        changed = sum(a != b for a, b in zip(old, new, strict=True))
        assert max(1, int(0.4 * len(old))) <= changed <= int(0.4 * len(old)) + 1
        assert row["label"] == labels[parent]
    assert all("[MASK]" in text for text in spy.seen)


def test_the_name_of_the_class_stands_before_what_the_model_sees(masked_folder: Path) -> None:
    corpus = Corpus.from_columns(text=OTHERS, label=["bad", "good"] * 4)
    sampler, spy = watched("ctxsub", masked_folder, corpus, label=True)
    made = table(sampler, 3)
    assert {text.split(" : ")[0] for text in spy.seen} == {"bad", "good"}
    assert not any(" : " in text for text in made.column("text"))


def test_ssmba_corrupts_as_bert_does(masked_folder: Path) -> None:
    corpus = Corpus.from_columns(text=["my aunt sings here tonight"] * 1, label=[1])
    sampler, spy = watched("ssmba", masked_folder, corpus, share=0.2)
    random = np.random.default_rng(0)
    seen = Counter(
        "mask" if word == "[MASK]" else "same" if word == "aunt" else "random"
        for word in (sampler._corrupted("aunt", random) for _ in range(2000))
    )
    assert seen["mask"] / 2000 == pytest.approx(0.8, abs=0.03)
    assert seen["same"] / 2000 == pytest.approx(0.1, abs=0.03)
    assert table(sampler, 2).column("label") == [1, 1]
    walking, spy = watched("ssmba", masked_folder, corpus, share=0.2, steps=2)
    table(walking, 1)
    assert len(spy.seen) % 2 == 0


def test_capitals_spaces_and_marks_stay(masked_folder: Path) -> None:
    corpus = Corpus.from_columns(text=["  She reads,\tno  tea!"])
    for name in ("ctxsub", "ssmba"):
        for row in table(induce(name, corpus, model=str(masked_folder)), 5):
            spaces = [row["text"][s:e] for s, e in _between(row["text"])]
            assert spaces == ["  ", " ", ",\t", "  ", "!"]
            assert row["text"].strip()[0].isupper()


def _between(text: str) -> list[tuple[int, int]]:
    words = words_of(text)
    edges = [0, *(edge for word in words for edge in word), len(text)]
    return list(zip(edges[::2], edges[1::2], strict=True))


def test_a_model_scores_for_fluent(masked_folder: Path, corpus: Corpus) -> None:
    score = mask_score(str(masked_folder))
    known, odd = score(Corpus.from_columns(text=[TEXTS[2], "here tea dogs that she"]))
    assert known > odd
    plain = induce("random-word", corpus)
    chosen = fluent(plain, corpus, score=score, candidates=8, power=20)
    assert np.mean(score(chosen.sample(4))) > np.mean(score(plain.sample(8)))


def test_classes_keep_their_names_where_they_were_numbered(masked_folder: Path) -> None:
    named = Corpus.from_columns(text=["she reads", "no one came"], label=["good", "bad"])
    for corpus in (number_classes(named), named):
        sampler = induce("ctxsub", corpus, model=str(masked_folder), label=True)
        assert sampler.class_names() == ("bad", "good")

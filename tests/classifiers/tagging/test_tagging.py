"""The tagger of entities: its search and averages against slow twins, its scores by hand."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classifiers.tagging.features import Features, shape_of
from classifiers.tagging.parts_of_speech import WordTagger
from classifiers.tagging.perceptron import Weights, best_tags, trained
from classifiers.tagging.scores import span_scores
from classifiers.tagging.tagger import EntityTagger
from grammar.errors import CorpusError, OptionError
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from sampling.examples.labels import check_corpus
from sampling.examples.text_columns import read_side
from tests.sampling.entities.labelled import corpora

TAGS = 5


def allowed(tags: tuple[int, ...]) -> bool:
    """Whether an inner tag stands only behind one of its span."""
    before = (0, *tags[:-1])
    return all(t % 2 or t == 0 or b in (t, t - 1) for b, t in zip(before, tags, strict=True))


def value(tags: tuple[int, ...], features: np.ndarray, weights: Weights) -> float:
    before = (len(weights.follows) - 1, *tags[:-1])
    follows = sum(weights.follows[b, t] for b, t in zip(before, tags, strict=True))
    known = ((f, t) for row, t in zip(features, tags, strict=True) for f in row if f >= 0)
    return float(follows + sum(weights.emitted[f, t] for f, t in known))


MAY = {"spans": EntityTagger.following(TAGS // 2), "any": WordTagger.following(TAGS)}


def weights_of(seed: int, features: int, may: str) -> Weights:
    draw = np.random.default_rng(seed)
    return Weights(draw.normal(size=(features, TAGS)), draw.normal(size=(TAGS + 1, TAGS)), MAY[may])


@given(seed=st.integers(0, 10**6), words=st.integers(1, 4), may=st.sampled_from(list(MAY)))
@settings(max_examples=60)
def test_the_best_tags_are_the_best_of_all(seed: int, words: int, may: str) -> None:
    weights = weights_of(seed, 6, may)
    features = np.random.default_rng(seed).integers(-1, 6, (words, 3)).astype(np.int32)
    found = best_tags(features, np.array([0, words]), weights)
    best = max(
        filter(allowed if may == "spans" else None, itertools.product(range(TAGS), repeat=words)),
        key=lambda tags: value(tags, features, weights),
    )
    assert tuple(found.tolist()) == best


def plain_training(
    features: np.ndarray, offsets: np.ndarray, gold: np.ndarray, order: np.ndarray, count: int
) -> Weights:
    """The slow obvious twin: the mean of the weights before each sentence and after the last."""
    now = Weights(np.zeros((count, TAGS)), np.zeros((TAGS + 1, TAGS)), MAY["spans"])
    sums = [now.emitted.copy(), now.follows.copy()]
    for i in order.tolist():
        row = slice(int(offsets[i]), int(offsets[i + 1]))
        bounds = np.array([0, row.stop - row.start])
        found = best_tags(features[row], bounds, now).tolist()
        right = gold[row].tolist()
        for tags, step in ((right, 1.0), (found, -1.0)):
            before = TAGS
            for w, tag in enumerate(tags):
                now.follows[before, tag] += step
                for f in features[row][w]:
                    if f >= 0:
                        now.emitted[f, tag] += step
                before = tag
        sums[0] += now.emitted
        sums[1] += now.follows
    return Weights(*(total / (len(order) + 1) for total in sums), MAY["spans"])


@given(seed=st.integers(0, 10**6))
@settings(max_examples=25)
def test_weights_are_averaged_over_all_steps(seed: int) -> None:
    draw = np.random.default_rng(seed)
    offsets = np.array([0, 2, 5, 6])
    features = draw.integers(-1, 5, (6, 3)).astype(np.int32)
    gold = np.array([1, 2, 0, 3, 4, 1], np.int32)
    order = draw.integers(0, 3, 7)
    made = trained(features, offsets, gold, order, 5, MAY["spans"])
    slow = plain_training(features, offsets, gold, order, 5)
    assert np.allclose(made.emitted, slow.emitted)
    assert np.allclose(made.follows, slow.follows)


@given(corpus=corpora())
@settings(max_examples=20)
def test_what_is_found_is_always_spans(corpus: Corpus) -> None:
    tagger = EntityTagger.train(corpus, steps=30)
    found = tagger.tag(corpus)
    check_corpus(found)
    again = EntityTagger.train(corpus, steps=30).tag(corpus)
    assert again.table == found.table
    assert found.column("text") == corpus.column("text")


@pytest.mark.parametrize(
    ("form", "shape"),
    [("NATO", "X"), ("Élan", "Xx"), ("2nd", "dx"), ("e-mail", "x-x"), ("", ""), ("東京", "x")],
)
def test_shapes_of_words(form: str, shape: str) -> None:
    assert shape_of(form) == shape


def test_features_are_of_a_word_and_of_its_neighbours() -> None:
    side = read_side(Corpus.from_columns(text=["Ann saw Bo", "Ann"]))
    known = Features()
    columns = known.of(side, learn=True)
    assert (columns >= 0).all()
    assert (columns[0, :5] == columns[3, :5]).all()
    assert (columns[0, 5:8] == columns[3, 5:8]).all()  # nothing stands before either
    assert (columns[0, 8:] != columns[3, 8:]).any()
    other = known.of(read_side(Corpus.from_columns(text=["Ann went"])))
    assert other[0, 0] == columns[0, 0]
    assert other[1, 0] == -1


def test_scores_are_strict() -> None:
    def corpus(*spans: tuple[int, int, str]) -> Corpus:
        column = [[{"start": a, "end": b, "label": x} for a, b, x in spans]]
        return Corpus.from_columns(text=["Ann Lee in Rome"], spans=column)

    gold = corpus((0, 7, "P"), (11, 15, "L"))
    scores = span_scores(gold, corpus((0, 3, "P"), (11, 15, "L")))
    assert (scores[""].both, scores[""].f1) == (1, 0.5)
    assert (scores["P"].f1, scores["L"].f1) == (0.0, 1.0)
    assert span_scores(gold, corpus((11, 15, "P")))[""].precision == 0.0
    nothing = span_scores(corpus(), corpus())[""]
    assert (nothing.precision, nothing.recall, nothing.f1) == (0.0, 0.0, 0.0)
    with pytest.raises(CorpusError, match="texts are not the same"):
        span_scores(gold, Corpus.from_columns(text=["x"], spans=[[]]))


def test_what_a_tagger_needs() -> None:
    with pytest.raises(CorpusError, match="no column 'spans'"):
        EntityTagger.train(Corpus.from_columns(text=["a b"]))
    with pytest.raises(CorpusError, match="no span to learn from"):
        EntityTagger.train(Corpus.from_columns(text=["a b"], spans=[[]]))
    good = Corpus.from_columns(text=["Ann"], spans=[[{"start": 0, "end": 3, "label": "P"}]])
    with pytest.raises(OptionError, match="steps"):
        EntityTagger.train(good, steps=0)


def test_tweets(data_folder: Path) -> None:
    train = read_corpus(data_folder / "ner/wnut17/train.conll.gz")
    dev = read_corpus(data_folder / "ner/wnut17/dev.conll.gz")
    scores = span_scores(dev, EntityTagger.train(train).tag(dev))
    assert scores[""].f1 > 0.18
    assert scores["location"].f1 > 0.35


def test_a_tagger_of_words_learns_their_tags_and_repeats() -> None:
    tags = [["PRON", "VERB"], ["PROPN", "VERB", "PROPN"]]
    corpus = Corpus.from_columns(text=["we left", "Ann met Bo"], tags=tags)
    tagger = WordTagger.train(corpus)
    assert tagger.tag(corpus).column("tags") == tags
    again = WordTagger.train(corpus)
    assert np.array_equal(again.weights.emitted, tagger.weights.emitted)
    assert WordTagger.train(corpus, seed=1).names == tagger.names


def test_a_tagger_of_words_refuses_what_teaches_nothing() -> None:
    with pytest.raises(CorpusError, match="no column 'tags'"):
        WordTagger.train(Corpus.from_columns(text=["we left"]))
    with pytest.raises(CorpusError, match="the corpus is empty"):
        WordTagger.train(Corpus.from_columns(text=[], tags=[]))
    with pytest.raises(CorpusError, match="1 tags for 2 words"):
        WordTagger.train(Corpus.from_columns(text=["we left"], tags=[["PRON"]]))
    with pytest.raises(CorpusError, match="row 1"):
        WordTagger.train(Corpus.from_columns(text=["we", "he"], tags=[["PRON"], ["PRON", "X"]]))
    with pytest.raises(OptionError, match="steps"):
        WordTagger.train(Corpus.from_columns(text=["we"], tags=[["PRON"]]), steps=0)

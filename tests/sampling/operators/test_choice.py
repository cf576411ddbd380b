"""The choice of a model: what was given wears out, and is counted the slow way."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from nltk import Tree

from induction.corpus.corpus import Corpus
from induction.corpus.readers import read_reviews
from sampling.joins.phrases import phrases_of
from sampling.joins.score import Tilt
from sampling.method import induce
from sampling.operators.choice import Choice
from sampling.operators.repetition_penalty import Traits, Wear, fillers_of

SEED = 5
DRAWS = 64


class Recorder:
    """A score that likes all alike, and keeps what it was asked."""

    def __init__(self, corpus: Corpus) -> None:
        self.sides = {n: corpus.column(n) for n in ("text", "text_pair") if n in corpus.names}
        self.asked: list[tuple[Corpus, Any]] = []

    def of(self, made: Corpus, less: Any, best: int, readings: Any) -> Any:
        self.asked.append((made, less))
        return -less


@functools.cache
def reviews() -> Corpus:
    return Corpus(read_reviews().table.slice(0, 60))


def chosen(
    of: str, count: int, power: float = 1.0, corpus: Corpus | None = None
) -> tuple[list[Any], Recorder]:
    """Return the examples that are chosen, and what their score was asked."""
    score = Recorder(corpus or reviews())
    inner = induce("fluent", corpus or reviews(), of=of)
    stream = Choice(inner, SEED, Tilt(score, power, DRAWS))
    columns = stream.take(count)
    table = inner.table(columns[:-1], SEED, np.arange(len(columns[0])))
    return list(Corpus(table)), score


def test_texts_that_are_split_anew_may_have_fewer_words() -> None:
    spans = [[{"start": 1, "end": 4}], [{"start": 0, "end": 1}]]
    made = pa.array([{"parents": ["a"], "spans": each} for each in spans])
    table = pa.table({"id": ["1", "2"], "text": ["It Cannot be", "So it is"], "provenance": made})
    # the first was put together of it, can, not, be and well
    assert fillers_of(table.slice(0, 1))[0].startswith("can")
    assert fillers_of(table)[1] == "so"
    shorter = table.set_column(1, "text", pa.array(["It", "So it is"]))
    assert fillers_of(shorter) == ["", "so"]


def put_in(row: Any) -> str:
    words = Tree.fromstring(row["tree"]).leaves() if "tree" in row else row["text"].split()
    inside = [range(span["start"], span["end"]) for span in row["provenance"]["spans"]]
    return " ".join(w for k, w in enumerate(words) if any(k in span for span in inside)).lower()


class Twin:
    """What was given, counted the slow way; of hosts and fillers, those that are asked for."""

    def __init__(self, score: Recorder, *, fillers: bool) -> None:
        self.source = list(zip(*score.sides.values(), strict=True))
        self.fillers = fillers
        self.given: list[Any] = []

    def less(self, row: Any) -> float:
        likes = [other["provenance"]["parents"][0] for other in self.given]
        odds = 1.0 + likes.count(row["provenance"]["parents"][0])
        if self.fillers:
            odds *= 1 + sum(put_in(other) == put_in(row) for other in self.given)
        mine = self.phrases([row[name] for name in ("text", "text_pair") if name in row])
        times = 1.0
        for phrase in mine:
            was = sum(self.phrases(self.sides_of(other)).count(phrase) for other in self.given)
            usual = sum(self.phrases(texts).count(phrase) for texts in self.source)
            expected = len(self.given) * usual / len(self.source)
            times *= max(1.0, (1 + was) / (1 + expected)) if was else 1.0
        return float(np.log(odds) + 3 * np.log(times) / max(1, len(mine)))

    def sides_of(self, row: Any) -> list[str]:
        return [row[name] for name in ("text", "text_pair") if name in row]

    def phrases(self, texts: Any) -> list[str]:
        rows = [["^", *text.lower().split(), "$"] for text in texts]
        return [" ".join(row[k : k + 3]) for row in rows for k in range(len(row) - 2)]


def check_against_twin(made: list[Any], score: Recorder, *, fillers: bool) -> None:
    twin = Twin(score, fillers=fillers)
    for row, (asked, less) in zip(made, score.asked, strict=True):
        for k in range(0, len(asked), 7):
            assert less[k] == pytest.approx(twin.less(asked[k]))
        twin.given.append(row)
    hosts = [row["provenance"]["parents"][0] for row in made]
    assert len(set(hosts)) < len(hosts)


@pytest.mark.parametrize("of", ["sub2(phrase=true)", "treemix", "alp(synonym=0)"])
def test_what_was_given_is_held_against_what_comes(of: str) -> None:
    made, score = chosen(of, 30)
    given: set[str] = set()
    for row, (asked, _) in zip(made, score.asked, strict=True):
        texts = asked.column("text")
        assert len(set(texts)) == len(texts)
        assert not set(texts) & given
        given.add(row["text"])
    check_against_twin(made, score, fillers=True)


def test_no_turn_of_phrase_becomes_more_frequent_than_people_make_it() -> None:
    source = ["what is a dog", "what is a cat", "who is she"]
    wear = Wear({"text": source})
    often, never = phrases_of(["what", "is", "a", "bird"]), phrases_of(["who", "was", "it"])
    traits = Traits(["1", "2"], ["", ""], [often, never])
    for _ in range(6):
        wear.give(traits, 0)
        wear.give(traits, 1)
    # both were given six times of twelve; the source begins so in two of three
    tail = 2 * np.log(7) / 4
    begins = 2 * max(0, np.log(7 / (1 + 12 * 2 / 3))) / 4
    expected = [np.log(7) + 3 * (begins + tail), np.log(7) + 3 * np.log(7)]
    assert wear.of(traits) == pytest.approx(expected)


def test_a_great_trust_takes_what_was_given_least() -> None:
    made, score = chosen("sub2(phrase=true)", 40, power=1e6)
    for row, (asked, less) in zip(made, score.asked, strict=True):
        texts = asked.column("text")
        assert less[texts.index(row["text"])] == less.min()
    plain = induce("fluent", reviews(), of="sub2(phrase=true)").sample(40, seed=SEED)
    assert len({put_in(row) for row in made}) > len({put_in(row) for row in plain})


def test_without_spans_only_hosts_wear_out() -> None:
    made, score = chosen("random-word(replaced=2)", 40)
    assert len(made) == 40
    check_against_twin(made, score, fillers=False)


def test_of_pairs_only_hosts_wear_out() -> None:
    texts = reviews().column("text")
    pairs = Corpus.from_columns(text=texts[:30], text_pair=texts[30:], label=[0, 1] * 15)
    made, score = chosen("randmix", 20, corpus=pairs)
    assert len(made) == 20
    check_against_twin(made, score, fillers=False)


def test_the_stream_goes_on_where_it_was() -> None:
    inner = induce("fluent", reviews(), of="treemix", candidates_per_source=8)
    whole = Choice(inner, SEED, Tilt(Recorder(reviews()), 4.0, DRAWS)).take(12)
    parts = Choice(inner, SEED, Tilt(Recorder(reviews()), 4.0, DRAWS))
    first, then = parts.take(5), parts.take(7)
    for one, other, column in zip(first, then, whole, strict=True):
        assert np.concatenate((one, other)).tolist() == column.tolist()

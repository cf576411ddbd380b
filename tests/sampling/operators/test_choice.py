"""The choice of a model: what was given wears out, and is counted the slow way."""

from __future__ import annotations

import functools
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from nltk import Tree

from induction.corpus.corpus import Corpus
from induction.corpus.readers import read_reviews
from sampling.method import induce
from sampling.operators.choice import Choice, fillers_of
from sampling.seams.score import Tilt

SEED = 5
DRAWS = 64


class Recorder:
    """A score that likes all alike, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Corpus, Any]] = []

    def of(self, made: Corpus, less: Any) -> Any:
        self.asked.append((made, less))
        return -less


@functools.cache
def reviews() -> Corpus:
    return Corpus(read_reviews().table.slice(0, 60))


def chosen(
    of: str, count: int, strength: float = 1.0, corpus: Corpus | None = None
) -> tuple[list[Any], Recorder]:
    """Return the examples that are chosen, and what their score was asked."""
    score = Recorder()
    inner = induce("fluent", corpus or reviews(), of=of)
    stream = Choice(inner, SEED, Tilt(score, strength, DRAWS))
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


def only_hosts_wear_out(made: list[Any], score: Recorder) -> None:
    hosts: Counter[str] = Counter()
    for row, (asked, less) in zip(made, score.asked, strict=True):
        times = [hosts[other["provenance"]["parents"][0]] for other in asked]
        assert less == pytest.approx(np.log1p(times))
        hosts[row["provenance"]["parents"][0]] += 1
    assert max(hosts.values()) > 1


@pytest.mark.parametrize("of", ["sub2(phrase=true)", "treemix", "alp(synonym=0)"])
def test_what_was_given_is_held_against_what_comes(of: str) -> None:
    made, score = chosen(of, 40)
    hosts: Counter[str] = Counter()
    fillers: Counter[str] = Counter()
    given: set[str] = set()
    assert len(score.asked) == len(made)
    for row, (asked, less) in zip(made, score.asked, strict=True):
        texts = asked.column("text")
        assert len(set(texts)) == len(texts)
        assert not set(texts) & given
        for other, amount in zip(asked, less.tolist(), strict=True):
            times = hosts[other["provenance"]["parents"][0]], fillers[put_in(other)]
            assert amount == pytest.approx(np.log((1 + times[0]) * (1 + times[1])))
        given.add(row["text"])
        hosts[row["provenance"]["parents"][0]] += 1
        fillers[put_in(row)] += 1
    assert max(hosts.values()) > 1


def test_a_great_trust_takes_what_was_given_least() -> None:
    made, score = chosen("sub2(phrase=true)", 40, strength=200.0)
    for row, (asked, less) in zip(made, score.asked, strict=True):
        texts = asked.column("text")
        assert less[texts.index(row["text"])] == less.min()
    plain = induce("fluent", reviews(), of="sub2(phrase=true)").sample(40, seed=SEED)
    assert len({put_in(row) for row in made}) > len({put_in(row) for row in plain})


def test_without_spans_only_hosts_wear_out() -> None:
    made, score = chosen("random-word(replaced=2)", 40)
    assert len(made) == 40
    only_hosts_wear_out(made, score)


def test_of_pairs_only_hosts_wear_out() -> None:
    texts = reviews().column("text")
    pairs = Corpus.from_columns(text=texts[:30], text_pair=texts[30:], label=[0, 1] * 15)
    made, score = chosen("randmix", 20, corpus=pairs)
    assert len(made) == 20
    only_hosts_wear_out(made, score)


def test_the_stream_goes_on_where_it_was() -> None:
    inner = induce("fluent", reviews(), of="treemix", of_host=8)
    whole = Choice(inner, SEED, Tilt(Recorder(), 4.0, DRAWS)).take(12)
    parts = Choice(inner, SEED, Tilt(Recorder(), 4.0, DRAWS))
    first, then = parts.take(5), parts.take(7)
    for one, other, column in zip(first, then, whole, strict=True):
        assert np.concatenate((one, other)).tolist() == column.tolist()

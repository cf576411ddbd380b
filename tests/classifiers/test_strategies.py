"""The split strategies of ALP, element by element."""

from __future__ import annotations

import warnings

import pytest

from classifiers.training.strategies import STRATEGIES, divide
from grammar.errors import OptionError
from induction import Corpus

TEXTS = [f"text {i}" for i in range(10)]
CORPUS = Corpus.from_columns(id=[f"o{i}" for i in range(10)], text=TEXTS, label=[0] * 4 + [1] * 6)


def augment(corpus: Corpus) -> Corpus:
    """Make one example of each, which says what it was made from."""
    rows = [
        {"method": "m", "version": "1", "seed": 0, "index": i, "parents": [name], "spans": [],
         "rules": [], "log_probability": 0.0}
        for i, name in enumerate(corpus.column("id"))
    ]  # fmt: skip
    return Corpus.from_columns(
        id=[f"new-{name}" for name in corpus.column("id")],
        text=[f"{text} again" for text in corpus.column("text")],
        label=corpus.column("label"),
        provenance=rows,
    )


def _divided(strategy: str) -> tuple[set[str], set[str], bool]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = divide(CORPUS, strategy, augment, share=0.5, seed=3)
    return set(parts.learn.column("id")), set(parts.choose.column("id")), parts.overlaps


ALL = set(CORPUS.column("id"))
NEW = {f"new-{name}" for name in ALL}


def test_train_val_keeps_a_part_back_of_each_class() -> None:
    learn, choose, overlaps = _divided("train-val")
    assert not learn & choose
    assert learn | choose == ALL
    assert not overlaps
    assert sum(name in learn for name in ("o0", "o1", "o2", "o3")) == 2


def test_augtrain_val_makes_examples_of_what_is_learnt_only() -> None:
    learn, choose, overlaps = _divided("augtrain-val")
    plain, kept, _ = _divided("train-val")
    assert learn == plain | {f"new-{name}" for name in plain}
    assert choose == kept
    assert not overlaps


@pytest.mark.parametrize(
    ("strategy", "learn", "choose"),
    [("train-train", ALL, ALL), ("augtrain-train", ALL | NEW, ALL),
     ("augtrain-augtrain", ALL | NEW, ALL | NEW)],
)  # fmt: skip
def test_strategies_that_keep_nothing_back(
    strategy: str, learn: set[str], choose: set[str]
) -> None:
    assert _divided(strategy) == (learn, choose, True)


def test_augment_and_split_divides_both_together() -> None:
    learn, choose, overlaps = _divided("augment-and-split")
    assert learn | choose == ALL | NEW
    assert not learn & choose
    assert overlaps


@pytest.mark.parametrize("strategy", sorted(set(STRATEGIES) - {"train-val", "augtrain-val"}))
def test_a_strategy_that_chooses_by_what_it_learns_from_says_so(strategy: str) -> None:
    with pytest.warns(UserWarning, match=f"{strategy} chooses by what it learns from"):
        divide(CORPUS, strategy, augment)


def test_new_examples_keep_their_provenance() -> None:
    parts = divide(CORPUS, "augtrain-val", augment)
    made = [row for row in parts.learn if row["provenance"]]
    assert len(made) == len(parts.learn) / 2
    assert all(row["provenance"]["parents"] == [row["id"].removeprefix("new-")] for row in made)


def test_bad_shares_and_names_are_refused() -> None:
    with pytest.raises(OptionError, match="not between 0 and 1"):
        divide(CORPUS, "train-val", augment, share=1.0)
    with pytest.raises(OptionError, match="did you mean 'train-val'"):
        divide(CORPUS, "trainval", augment)

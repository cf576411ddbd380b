"""Augmentation during training: every epoch other examples, for any number of workers the same."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import CorpusError, OptionError
from induction.corpus.corpus import Corpus
from sampling.pipeline.on_the_fly import Epochs, Transform
from sampling.spans.treemix import TreeMix
from sampling.words.aeda import AEDA
from sampling.words.drop import WordDrop

CORPUS = Corpus.from_columns(
    id=[f"id{k}" for k in range(12)],
    text=[f"{k} little green bottles on a wall" for k in range(12)],
    label=[k % 2 for k in range(12)],
)
AEDA_SAMPLER = AEDA.induce(CORPUS)


def epochs(**options: Any) -> Epochs:
    return Epochs(CORPUS, AEDA_SAMPLER, **options)


def by_id(rows: Any) -> dict[str, Any]:
    return {row["id"]: row for row in rows}


@given(st.integers(0, 2**40), st.integers(0, 1000), st.integers(1, 7), st.floats(0, 1))
def test_the_shares_of_any_number_of_workers_are_the_epoch(
    seed: int, epoch: int, shares: int, probability: float
) -> None:
    data = epochs(seed=seed, probability=probability)
    whole = list(data.rows(epoch))
    parts = [list(data.rows(epoch, share=k, shares=shares)) for k in range(shares)]
    assert [
        row for k in range(12) for row in parts[k % shares][k // shares : k // shares + 1]
    ] == whole
    assert by_id(whole).keys() == set(CORPUS.column("id"))


def test_example_i_depends_on_seed_epoch_and_i_alone() -> None:
    first = by_id(epochs(seed=3).rows(5))
    assert by_id(epochs(seed=3, batch_size=1, shuffle=False).rows(5)) == first
    other_epoch, other_seed = by_id(epochs(seed=3).rows(6)), by_id(epochs(seed=4).rows(5))
    for other in (other_epoch, other_seed):
        assert sum(other[name]["text"] != first[name]["text"] for name in first) >= 10
    # an epoch of more texts that begins with these is the same for them
    row = AEDA_SAMPLER.vary([7], seed=3, epoch=5)
    assert row.column("text")[0] == first["id7"]["text"]


def test_labels_stay_with_their_examples_and_orders_differ() -> None:
    labels = dict(zip(CORPUS.column("id"), CORPUS.column("label"), strict=True))
    rows = [list(epochs().rows(e)) for e in range(3)]
    assert all(row["label"] == labels[row["id"]] for epoch in rows for row in epoch)
    orders = {tuple(row["id"] for row in epoch) for epoch in rows}
    assert len(orders) == 3
    still = {tuple(row["id"] for row in epochs(shuffle=False).rows(e)) for e in range(3)}
    assert still == {tuple(CORPUS.column("id"))}


def test_the_share_of_new_examples() -> None:
    old = dict(zip(CORPUS.column("id"), CORPUS.column("text"), strict=True))
    counts = [
        sum(row["text"] != old[row["id"]] for row in epochs(probability=0.25).rows(e))
        for e in range(100)
    ]
    assert sum(counts) / 1200 == pytest.approx(0.25, abs=0.04)
    assert all(row["text"] == old[row["id"]] for row in epochs(probability=0).rows(0))


def test_a_method_that_mixes_gives_new_examples_in_places_of_old_ones() -> None:
    trees = Corpus.from_columns(
        text=["the old dog sees a bird", "a big cat has the red ball"] * 2,
        tree=["(S (NP (D the) (J old) (N dog)) (VP (V sees) (NP (D a) (N bird))))",
              "(S (NP (D a) (J big) (N cat)) (VP (V has) (NP (D the) (J red) (N ball))))"] * 2,
        label=[0, 1, 0, 1],
    )  # fmt: skip
    sampler = TreeMix.induce(trees, low=0.1, high=0.9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = Epochs(trees, sampler, probability=0.5)
        rows = [row for e in range(20) for row in data.rows(e)]
    assert len(rows) == 80
    assert all(sum(row["label"]) == pytest.approx(1) for row in rows)
    new = [row for row in rows if row["text"] not in trees.column("text")]
    assert 20 < len(new) < 60
    assert list(data.rows(3)) == list(Epochs(trees, sampler, probability=0.5).rows(3))


def test_a_transform_of_batches() -> None:
    transform = Transform(epochs(), key="idx", rename={"text": "sentence"})
    batch = {"idx": ["id3", "id1"], "sentence": ["", ""], "extra": [1, 2]}
    first = transform(batch)
    assert first["extra"] == [1, 2]
    assert first["idx"] == ["id3", "id1"]
    assert first["sentence"][1] == by_id(epochs().rows(0))["id1"]["text"]
    assert transform({"idx": ["id1"], "sentence": [""]})["sentence"] == first["sentence"][1:]
    transform.set_epoch(1)
    assert transform(batch)["sentence"] != first["sentence"]
    assert transform({"idx": []}) == {"idx": []}
    with pytest.raises(CorpusError, match="no column 'idx'"):
        transform({"text": ["a"]})
    with pytest.raises(CorpusError, match="no example 'id99'"):
        transform({"idx": ["id99"]})
    with pytest.raises(OptionError, match="epoch=-1"):
        transform.set_epoch(-1)


def test_epochs_reach_workers_that_are_started_afresh() -> None:
    data = epochs(seed=2)
    assert list(pickle.loads(pickle.dumps(data)).rows(1)) == list(data.rows(1))


def test_bad_arguments() -> None:
    with pytest.raises(OptionError, match="not from 0 to 1"):
        epochs(probability=1.5)
    with pytest.raises(OptionError, match="another corpus"):
        Epochs(Corpus.from_columns(text=["a b"]), AEDA_SAMPLER)
    with pytest.raises(OptionError, match="share=2 is not below 2"):
        list(epochs().rows(0, share=2, shares=2))
    with pytest.raises(OptionError, match="whole number"):
        list(epochs().rows(-1))


# torch


@pytest.mark.parametrize(("workers", "persistent"), [(0, False), (2, False), (2, True)])
def test_loaders_give_the_epochs_one_after_the_other(workers: int, persistent: bool) -> None:
    pytest.importorskip("torch")
    from torch.utils.data import DataLoader

    from classifiers.on_the_fly import OnTheFly

    data = OnTheFly(Epochs(CORPUS, WordDrop.induce(CORPUS, p=0.4), seed=1))
    loader = DataLoader(data, batch_size=None, num_workers=workers, persistent_workers=persistent)
    plain = Epochs(CORPUS, WordDrop.induce(CORPUS, p=0.4), seed=1)
    for epoch in range(3):
        assert by_id(loader) == by_id(plain.rows(epoch))
    data.set_epoch(1)
    assert by_id(loader) == by_id(plain.rows(1))


def test_processes_share_an_epoch() -> None:
    pytest.importorskip("torch")
    from classifiers.on_the_fly import OnTheFly

    parts = [OnTheFly(epochs(), rank=k, world_size=5) for k in range(5)]
    assert sum(map(len, parts)) == 12
    together = {name: row for part in parts for name, row in by_id(part).items()}
    assert together == by_id(epochs().rows(0))
    with pytest.raises(OptionError, match="not below"):
        OnTheFly(epochs(), rank=5, world_size=5)
    with pytest.raises(OptionError, match="negative"):
        parts[0].set_epoch(-1)

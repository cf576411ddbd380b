"""Mixing inside an encoder: its ends, its gradients, the draws, and spans by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from classifiers.config import TrainingConfig, read_config  # noqa: E402
from classifiers.examples import Examples, read_examples  # noqa: E402
from classifiers.mixing.draws import Mixture, draw_mixture, mixed_rows  # noqa: E402
from classifiers.mixing.hidden import mixed_states, mixed_weights  # noqa: E402
from classifiers.mixing.options import Mixing  # noqa: E402
from classifiers.mixing.spans import exchanged, saliency, window  # noqa: E402
from classifiers.networks.batches import Batches  # noqa: E402
from classifiers.networks.finetuning import fine_tune, read_texts  # noqa: E402
from classifiers.networks.losses import soft_cross_entropy  # noqa: E402
from classifiers.networks.model import TextModel  # noqa: E402
from classifiers.training.train import trainer  # noqa: E402
from grammar.errors import OptionError  # noqa: E402
from induction import Corpus  # noqa: E402

TEXTS = ["a good film", "it was a very very dull movie", "plot", "the acting was bad"]
PARTNER = torch.tensor([1, 2, 3, 0])
QUICK = {"steps": 4, "batch": 4, "learning_rate": 4e-3, "max_length": 16, "device": "cpu"}


@pytest.fixture(scope="module")
def few() -> Examples:
    return read_examples(Corpus.from_columns(text=TEXTS, label=["pos", "neg", "neg", "pos"]))


def model_and_batch(encoder: Any, train: str, **options: Any) -> tuple[TextModel, dict[str, Any]]:
    config = TrainingConfig(train=train, **options)
    model = TextModel(encoder, config, 2, Mixing(mix="sentence")).eval()
    torch.manual_seed(3)
    torch.nn.init.normal_(model.head.weight)
    return model, read_texts(encoder, TEXTS, config).batch(range(len(TEXTS)))


@pytest.mark.parametrize("pooling", ["mean", "first"])
@pytest.mark.parametrize(
    ("train", "place"),
    [("whole", 0), ("whole", 1), ("whole", 3), ("whole", 4), ("whole", 5), ("top_layers", 2),
     ("top_layers", 3), ("top_layers", 4), ("top_layers", 5)],
)  # fmt: skip
def test_the_ends_are_the_unmixed_texts_bit_by_bit(
    encoder: Any, train: str, place: int, pooling: str
) -> None:
    model, batch = model_and_batch(encoder, train, pooling=pooling)
    with torch.no_grad():
        plain = model.vectors(batch)
        own = model.vectors(batch, Mixture(PARTNER, torch.ones(4), place))
        other = model.vectors(batch, Mixture(PARTNER, torch.zeros(4), place))
        half = model.vectors(batch, Mixture(PARTNER, torch.full((4,), 0.5), place))
    assert torch.equal(own, plain)
    assert torch.equal(other, plain[PARTNER])
    assert not torch.allclose(half, plain, atol=1e-3)
    assert half.shape == plain.shape


def test_a_text_mixed_with_itself_stays_as_it_is(encoder: Any) -> None:
    model, batch = model_and_batch(encoder, "whole")
    same = torch.arange(4)
    for place in (0, 2, 4, 5):
        with torch.no_grad():
            mixed = model.vectors(batch, Mixture(same, torch.full((4,), 0.7), place))
            assert torch.allclose(mixed, model.vectors(batch), atol=1e-5)


def test_behind_the_top_the_mean_is_that_of_both_texts_by_their_pieces(encoder: Any) -> None:
    """With shares a and b, lengths n and m and means x and y: (a n x + b m y) / (a n + b m)."""
    model, batch = model_and_batch(encoder, "whole")
    with torch.no_grad():
        plain = model.vectors(batch)
        made = model.vectors(batch, Mixture(PARTNER, torch.full((4,), 0.7), 4))
    sizes = batch["attention_mask"].sum(1, keepdim=True)
    own, other = 0.7 * sizes, 0.3 * sizes[PARTNER]
    assert torch.allclose(made, (own * plain + other * plain[PARTNER]) / (own + other), atol=1e-5)


def test_mixed_states_twin() -> None:
    torch.manual_seed(0)
    states, mask = torch.randn(3, 4, 2), torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]])
    partner, share = torch.tensor([2, 0, 1]), torch.tensor([0.9, 0.6, 0.5])
    made, weights = mixed_states(states, mask, partner, share), mixed_weights(mask, partner, share)
    for i in range(3):
        j, a = int(partner[i]), float(share[i])
        for p in range(4):
            mine, others = bool(mask[i, p]), bool(mask[j, p])
            assert float(weights[i, p]) == pytest.approx(a * mine + (1 - a) * others)
            if mine and others:
                assert torch.allclose(made[i, p], a * states[i, p] + (1 - a) * states[j, p])
            elif mine or others:
                assert torch.allclose(made[i, p], states[i if mine else j, p])


def test_gradients_of_mixed_states_are_those_of_finite_differences() -> None:
    torch.manual_seed(1)
    states = torch.randn(3, 4, 2, dtype=torch.float64, requires_grad=True)
    mask = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]])
    partner, share = torch.tensor([2, 0, 1]), torch.tensor([0.9, 0.6, 0.5], dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda x: mixed_states(x, mask, partner, share), states)
    assert torch.autograd.gradcheck(lambda x: mixed_rows(x, partner, share), states)


def test_the_loss_of_a_mixture_is_that_of_both_labels() -> None:
    logits, labels = torch.randn(4, 3), torch.eye(3)[[0, 1, 2, 0]]
    share = torch.tensor([0.9, 0.6, 0.5, 1.0])
    mixed = soft_cross_entropy(logits, mixed_rows(labels, PARTNER, share))
    each = -logits.log_softmax(1)
    own, other = (each * labels).sum(1), (each * labels[PARTNER]).sum(1)
    assert torch.allclose(mixed, (share * own + (1 - share) * other).mean())


@given(st.integers(0, 99), st.integers(0, 500), st.integers(1, 9))
@settings(max_examples=25)
def test_draws_are_functions_of_the_seed_and_the_update(seed: int, update: int, rows: int) -> None:
    kinds = np.arange(rows) % 2
    mixing = Mixing(mix="tmix", alpha=0.5)
    drawn, again = (draw_mixture(mixing, seed, update, kinds, 12) for _ in range(2))
    assert torch.equal(drawn.partner, again.partner)
    assert torch.equal(drawn.share, again.share)
    assert (kinds[drawn.partner.numpy()] == kinds).all()
    assert sorted(drawn.partner.tolist()) == list(range(rows))
    assert bool(((drawn.share >= 0.5) & (drawn.share <= 1)).all())
    assert drawn.place in (7, 9, 12)


def test_other_steps_draw_other_shares_and_every_layer() -> None:
    mixing, kinds = Mixing(mix="tmix"), np.zeros(4, np.int64)
    drawn = [draw_mixture(mixing, 1, update, kinds, 6) for update in range(60)]
    assert {one.place for one in drawn} == {4, 5, 6}
    assert len({tuple(one.share.tolist()) for one in drawn}) == 60
    one = draw_mixture(Mixing(mix="tmix", per="batch"), 1, 0, kinds, 6)
    assert len(set(one.share.tolist())) == 1


def test_windows_by_hand() -> None:
    scores = np.array([9.0, 0.3, 0.1, 0.4, 0.2, 9.0])
    free = np.array([False, True, True, True, True, False])
    assert window(scores, free, 1, most=True) == 3
    assert window(scores, free, 1, most=False) == 2
    assert window(scores, free, 2, most=False) == 1  # .4 against .5 and .6
    assert window(scores, free, 3, most=True) == 1  # .8 against .7
    assert window(scores, free, 5, most=True) is None
    assert window(scores, ~free, 2, most=True) is None


def test_spans_go_by_saliency_and_labels_by_their_share() -> None:
    pieces = torch.tensor([[1, 10, 11, 12, 13, 2], [1, 20, 21, 2, 0, 0], [1, 2, 0, 0, 0, 0]])
    free = pieces > 2
    scores = torch.tensor([[0.0, 4, 1, 1, 5, 0], [0.0, 1, 9, 0, 0, 0], [0.0] * 6])
    made, share = exchanged(pieces, free, scores, torch.tensor([1, 0, 1]), 0.5)
    # half of four pieces: the least salient two of the first, the only two of the second
    assert made[0].tolist() == [1, 10, 20, 21, 13, 2]
    # half of two: the least salient of the second, the most salient of the first
    assert made[1].tolist() == [1, 13, 21, 2, 0, 0]
    assert made[2].tolist() == pieces[2].tolist()  # it has no piece to give away
    assert share.tolist() == [0.5, 0.5, 1.0]
    made, share = exchanged(pieces, free, scores, torch.tensor([1, 0, 1]), 0.8)
    assert made[0].tolist() == pieces[0].tolist()  # its partner has no span of three
    assert float(share[0]) == 1


def test_saliency_is_the_root_mean_square_of_a_gradient() -> None:
    weights = torch.tensor([1.0, -2.0, 0.5])
    states = torch.randn(1, 3, 2, requires_grad=True)
    (slopes,) = torch.autograd.grad((states.sum(2) * weights).sum(), states)
    assert saliency(slopes)[0].tolist() == [1.0, 2.0, 0.5]


@pytest.fixture(scope="module")
def plain_losses(few: Examples, encoder: Any) -> dict[str, tuple[float, ...]]:
    """The losses where nothing is mixed, by what learns."""
    ways = ("whole", "top_layers")
    return {
        train: fine_tune(encoder, few, read_config(**QUICK, train=train)).losses for train in ways
    }


@pytest.mark.parametrize(
    ("train", "options"),
    [("whole", {"mix": "embedding"}), ("top_layers", {"mix": "tmix"}),
     ("top_layers", {"mix": "sentence"}),
     ("whole", {"mix": "ssmix", "unmixed": True}), ("whole", {"mix": "ssmix"}),
     ("top_layers", {"mix": "tmix", "unmixed": True, "per": "batch"})],
)  # fmt: skip
def test_mixed_training_is_the_same_again_and_another_than_plain(
    train: str, options: dict[str, Any], few: Examples, encoder: Any, plain_losses: Any
) -> None:
    config, mixing = read_config(**QUICK, train=train), Mixing(**options, alpha=1.0)
    first = fine_tune(encoder, few, config, mixing=mixing)
    again = fine_tune(encoder, few, config, mixing=mixing)
    assert first.losses == again.losses
    assert first.losses != plain_losses[train]
    assert np.isfinite(first.probabilities(TEXTS)).all()


def test_the_merged_loss_mixes_each_kind_with_its_own(few: Examples, encoder: Any) -> None:
    both = few.with_new(few)
    for gamma, apart in ((0.5, True), (None, False)):
        config = read_config(**QUICK | {"batch": 8, "steps": 5}, gamma=gamma)
        mixing = Mixing(mix="sentence")
        read = read_texts(encoder, both.texts, config)
        batches = Batches(read, both, config, mixing=mixing, depth=4)
        made = [batches(list(range(n * 8, n * 8 + 8))) for n in range(5)]
        same = [bool((b["new"] == b["new"][b["mixture"]["partner"]]).all()) for b in made]
        assert all(same) == apart


def test_places_that_do_not_learn_are_refused(encoder: Any, tiny: Any) -> None:
    config = read_config(encoder=str(tiny), device="cpu")
    for name, message in (("embedding", "in front of layer 0"), ("ssmix", "exchanges pieces")):
        with pytest.raises(OptionError, match=message) as caught:
            trainer(config, Mixing(mix=name))
        assert "train='whole'" in caught.value.hint
    with pytest.raises(OptionError, match="layer 1, below the layers that learn"):
        trainer(config, Mixing(mix="tmix", layers=(0.2, 1.0)))
    with pytest.raises(OptionError, match="needs an encoder that learns"):
        trainer(TrainingConfig(encoder="tfidf"), Mixing(mix="tmix"))
    with pytest.raises(OptionError, match="layers is empty"):
        Mixing(mix="tmix", layers=())
    with pytest.raises(OptionError, match="mix='some' is not known"):
        Mixing(mix="some")
    with pytest.raises(OptionError, match="out of range"):
        Mixing(alpha=0.0)


def test_pairs_are_mixed_too(encoder: Any) -> None:
    pairs = [("a good film", "bad"), ("dull", "the plot was bad"), ("good", "good")]
    first, second = zip(*pairs, strict=True)
    corpus = Corpus.from_columns(text=first, text_pair=second, label=[0, 1, 1])
    few = read_examples(corpus)
    config = read_config(**QUICK, train="whole")
    for name in ("tmix", "ssmix"):
        model = fine_tune(encoder, few, config, mixing=Mixing(mix=name))
        assert model.probabilities(pairs).shape == (3, 2)


def test_both_ends_can_be_what_is_pooled(few: Examples, encoder: Any) -> None:
    config = read_config(**QUICK, pooling="ends")
    for mixing in (Mixing(), Mixing(mix="tmix")):
        assert fine_tune(encoder, few, config, mixing=mixing).probabilities(TEXTS).shape == (4, 2)

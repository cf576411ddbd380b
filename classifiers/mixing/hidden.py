"""States of two texts mixed in front of a layer, whatever their lengths.

Texts differ in length, so some pieces have no partner. Such a piece keeps its state and counts by
the share of its text: in the attention of the layers above, and in the mean over pieces. So a share
of 1 gives the host exactly as it is, and a share of 0 the partner.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from classifiers.mixing.draws import Mixture

__all__ = ["attention_bias", "mixed_states", "mixed_weights", "mixing_at"]


def mixed_weights(mask: Tensor, partner: Tensor, share: Tensor) -> Tensor:
    """Return how much each piece of mixed texts counts, float32 of shape (texts, pieces).

    >>> mask = torch.tensor([[1, 1, 0], [1, 1, 1]])
    >>> mixed_weights(mask, torch.tensor([1, 0]), torch.tensor([0.75, 1.0])).tolist()
    [[1.0, 1.0, 0.25], [1.0, 1.0, 1.0]]
    """
    own = share[:, None]
    return own * mask + (1 - own) * mask[partner]


def mixed_states(states: Tensor, mask: Tensor, partner: Tensor, share: Tensor) -> Tensor:
    """Return mixed states, of shape (texts, pieces, width).

    Where both texts have a piece the state is ``share`` of the one and the rest of the other;
    where one has, it is that one's.
    """
    own = share[:, None] * mask
    other = (1 - share[:, None]) * mask[partner]
    whole = (own + other).clamp(min=torch.finfo(own.dtype).tiny)
    first, second = ((part / whole)[..., None].to(states.dtype) for part in (own, other))
    return first * states + second * states[partner]


def attention_bias(weights: Tensor, dtype: torch.dtype) -> Tensor:
    """Return what is added to the scores of attention, so that pieces are heeded by their weights.

    >>> attention_bias(torch.tensor([[1.0, 0.5, 0.0]]), torch.float32)[0, 0, 0, :2]
    tensor([ 0.0000, -0.6931])
    """
    least = torch.finfo(dtype).min
    return weights.log().clamp(min=least).to(dtype)[:, None, None, :]


@contextmanager
def mixing_at(layers: nn.ModuleList, place: int, mixture: Mixture, mask: Tensor) -> Iterator[None]:
    """Mix the states of a batch in front of one of some layers, while this is open.

    Parameters
    ----------
    layers : ModuleList
        Called with states, and with what is added to the scores of attention.
    place : int
        In front of which of these layers; all from there on see the weights of mixed texts.
    mixture : Mixture
        What is mixed with what.
    mask : Tensor, shape (texts, pieces)
        1 for pieces, 0 for what fills up the batch.
    """
    partner, share = mixture.partner, mixture.share
    weights = mixed_weights(mask, partner, share)

    def mix(_: Any, given: Any, named: Any) -> Any:
        states = mixed_states(given[0], mask, partner, share)
        return _with_bias((states, *given[1:]), named, weights)

    def heed(_: Any, given: Any, named: Any) -> Any:
        return _with_bias(given, named, weights)

    hooks = [
        layer.register_forward_pre_hook(mix if number == place else heed, with_kwargs=True)
        for number, layer in enumerate(layers)
        if number >= place
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _with_bias(given: Any, named: dict[str, Any], weights: Tensor) -> Any:
    """Return the arguments of a layer with the bias of weights in place of its own."""
    bias = attention_bias(weights, given[0].dtype)
    if "attention_mask" in named:
        return given, {**named, "attention_mask": bias}
    return (given[0], bias, *given[2:]), named

"""Which examples are mixed, and by which shares: functions of the seed and the update."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from classifiers.mixing.options import Mixing
from grammar.arrays import LongArray
from grammar.rng import stream_key

__all__ = ["Mixture", "draw_mixture", "mixed_rows"]


@dataclass(frozen=True, eq=False)
class Mixture:
    """How the examples of one batch are mixed.

    Attributes
    ----------
    partner : int64 tensor, shape (examples,)
        With which other example each is mixed; a permutation.
    share : float32 tensor, shape (examples,)
        How much of each stays; the partner has the rest.
    place : int
        See :meth:`~classifiers.mixing.options.Mixing.places`.
    """

    partner: Tensor
    share: Tensor
    place: int


def draw_mixture(mixing: Mixing, seed: int, update: int, kinds: LongArray, depth: int) -> Mixture:
    """Draw how a batch is mixed.

    Parameters
    ----------
    mixing : Mixing
        Where, and how much.
    seed, update : int
        The draws are functions of these.
    kinds : int64 array, shape (examples,)
        Examples are mixed with those of their own kind.
    depth : int
        How many layers the encoder has.

    Examples
    --------
    >>> draws = [draw_mixture(Mixing(mix="tmix"), 0, n, np.array([0, 0, 1, 1]), 6) for n in (3, 3)]
    >>> torch.equal(draws[0].share, draws[1].share), bool((draws[0].share >= 0.5).all())
    (True, True)
    >>> sorted(draws[0].partner[:2].tolist()), sorted(draws[0].partner[2:].tolist())
    ([0, 1], [2, 3])
    """
    key = int(stream_key(seed, f"mixing {mixing.mix}"))
    draw = np.random.Generator(np.random.Philox(key=key, counter=[0, 0, 0, update]))
    partner = np.arange(len(kinds))
    for kind in np.unique(kinds):
        mine = np.flatnonzero(kinds == kind)
        partner[mine] = draw.permutation(mine)
    count = len(kinds) if mixing.per == "example" else 1
    share = draw.beta(mixing.alpha, mixing.alpha, count)
    share = np.broadcast_to(np.maximum(share, 1 - share), len(kinds)).astype(np.float32)
    places = mixing.places(depth)
    place = places[int(draw.integers(len(places)))]
    return Mixture(torch.from_numpy(partner), torch.from_numpy(share), place)


def mixed_rows(rows: Tensor, partner: Tensor, share: Tensor) -> Tensor:
    """Return rows, each put together from its own and that of its partner.

    >>> mixed_rows(torch.eye(2), torch.tensor([1, 0]), torch.tensor([0.75, 1.0])).tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    """
    own = share.reshape(-1, *[1] * (rows.ndim - 1)).to(rows.dtype)
    return own * rows + (1 - own) * rows[partner]

"""Which pairs each update learns from, and all other random numbers of training.

Everything is a function of (seed, purpose, index), so a run can be resumed at any update.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scan.models.config import TrainingConfig

__all__ = ["BatchOrder", "Mixing", "checked_rows", "draw_mixing", "random_stream"]

Int1d = npt.NDArray[np.int64]

# purposes of random streams; the augmented pairs' permutations have the number after PERMUTATIONS
FIRST_WEIGHTS, DROPOUT, CHECKED, PERMUTATIONS = range(4)
MIXING = PERMUTATIONS + 2
HELD_OUT = MIXING + 1


class BatchOrder:
    """Which pairs each update learns from: a function of (seed, update).

    Each pool (the training pairs, the augmented pairs) is gone through in one random order after
    another, so all its pairs are seen equally often.
    """

    def __init__(self, config: TrainingConfig, pools: Sequence[int]) -> None:
        self.config, self.pools = config, pools

    def batch(self, update: int) -> Int1d:
        """Return the rows of an update (counted from 0); the augmented pairs come last."""
        train, made = self.pools
        share = self.config.augmented_share * self.config.batch if made else 0.0
        # shares that are no whole number of pairs even out over the steps
        done, now = round(update * share), round((update + 1) * share)
        batch = self.config.batch
        return np.concatenate(
            [
                self._stretch(0, update * batch - done, (update + 1) * batch - now),
                self._stretch(1, done, now) + train,
            ]
        )

    def _stretch(self, pool: int, start: int, stop: int) -> Int1d:
        """Part of an endless row of permutations of the pool."""
        if start == stop:
            return np.empty(0, dtype=np.int64)
        size, seed = self.pools[pool], self.config.seed
        first = start // size
        rounds = [
            random_stream(seed, PERMUTATIONS + pool, turn).permutation(size)
            for turn in range(first, (stop - 1) // size + 1)
        ]
        stretch: Int1d = np.concatenate(rounds)[start - first * size : stop - first * size]
        return stretch


class Mixing(NamedTuple):
    """What is mixed into the pairs of a batch: the places in the batch (n,) of their partners,
    and the shares (n,) that the pairs themselves keep."""

    partners: Int1d
    shares: npt.NDArray[np.float32]


def draw_mixing(config: TrainingConfig, update: int) -> Mixing | None:
    """Return how the batch of an update is mixed, if the config has its pairs mixed.

    >>> draw_mixing(TrainingConfig(batch=3), 0) is None
    True
    >>> partners, shares = draw_mixing(TrainingConfig(batch=3, mix=1.0), 0)
    >>> sorted(partners.tolist()), shares.shape
    ([0, 1, 2], (3,))
    """
    if not config.mix:
        return None
    draw = random_stream(config.seed, MIXING, update)
    partners = draw.permutation(config.batch)
    shares = draw.beta(config.mix, config.mix, size=config.batch)
    return Mixing(partners, shares.astype(np.float32))


def checked_rows(config: TrainingConfig, pools: Sequence[int]) -> Int1d:
    """Return the rows whose exact match is measured at every look at training."""
    draw = random_stream(config.seed, CHECKED, 0)
    chosen = [draw.permutation(size)[: config.checked_pairs] for size in pools]
    return np.concatenate([chosen[0], chosen[1] + pools[0]])


def random_stream(seed: int, purpose: int, index: int) -> np.random.Generator:
    """Return the random numbers for one purpose and index: a function of these and the seed."""
    return np.random.Generator(np.random.Philox(key=[seed, purpose], counter=[0, 0, 0, index]))

"""Changes of low rank to the matrices of a model (LoRA, Hu et al. 2021, section 4.1).

A matrix of ``out`` rows and ``in`` columns is changed by the product of one of ``out x rank`` and
one of ``rank x in``, so what is learnt of 64 million weights is kept in a file of 1.5 MB: of whole
numbers of steps, whose size is that of their row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.saving.array_checks import check_length, check_numbers

__all__ = ["Adapter"]

_MOST = 127
"""So many steps a number is from zero at the most."""
_LARGEST = 1 << 16
"""No side of a matrix is longer."""


@dataclass(frozen=True, eq=False)
class Adapter:
    """Changes of matrices, one behind the other.

    Attributes
    ----------
    shapes : int64[matrices * 2]
        The rows and columns of each matrix.
    steps : int8[numbers]
        Of each matrix ``up``, ``rank`` rows of as many numbers as it has rows, then ``down``,
        ``rank`` rows of as many as it has columns.
    sizes : float32[matrices * 2 * rank]
        The size of a step, by row.
    """

    shapes: LongArray
    steps: Any
    sizes: FloatArray

    @classmethod
    def of(cls, pairs: Sequence[tuple[FloatArray, FloatArray]]) -> Self:
        """Return the changes ``up.T @ down``, rounded.

        >>> up, down = np.array([[1.0, 0.0, 2.0]]), np.array([[0.5, 1.0]])
        >>> made = Adapter.of([(up, down)])
        >>> made.steps.tolist()
        [64, 0, 127, 64, 127]
        >>> [[round(number, 2) for number in row] for row in [*made.changes()][0].tolist()]
        [[0.51, 1.01], [0.0, 0.0], [1.01, 2.0]]
        """
        rows = [row for pair in pairs for part in pair for row in part]
        largest = [float(np.abs(row).max()) / _MOST for row in rows]
        sizes: FloatArray = np.array(largest, np.float32)
        steps = [
            np.rint(row / size) if size else np.zeros(len(row))
            for row, size in zip(rows, sizes, strict=True)
        ]
        shapes = [part.shape[1] for pair in pairs for part in pair]
        return cls(np.array(shapes, np.int64), np.concatenate([*steps, []]).astype(np.int8), sizes)

    def changes(self) -> Iterator[FloatArray]:
        """Yield the change of each matrix: float32[rows, columns]."""
        for up, down in self.pairs():
            yield up.T @ down

    def pairs(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield ``up`` and ``down`` of each matrix, as they are rounded."""
        sides = self.shapes.tolist()
        rank = len(self.sizes) // max(1, len(sides))
        parts, at = [], 0
        for side, sizes in zip(sides, self.sizes.reshape(len(sides), rank), strict=True):
            steps = self.steps[at : at + rank * side].reshape(rank, side)
            parts.append(steps * sizes[:, None])
            at += rank * side
        yield from zip(parts[::2], parts[1::2], strict=True)

    def check(self) -> None:
        """Refuse columns that do not belong together (ValueError)."""
        matrices = len(self.shapes) // 2
        check_length("shapes", self.shapes, 2 * matrices)
        check_numbers("shapes", self.shapes, 1, _LARGEST)
        rank = len(self.sizes) // max(1, 2 * matrices)
        check_length("sizes", self.sizes, 2 * matrices * rank)
        check_length("steps", self.steps, rank * int(self.shapes.sum()))
        check_numbers("steps", self.steps, -_MOST, _MOST + 1)
        if self.sizes.dtype != np.float32 or not np.isfinite(self.sizes).all():
            raise ValueError("sizes: not finite numbers of 32 bits")

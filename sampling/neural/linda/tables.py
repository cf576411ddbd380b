"""Texts between given pairs of texts, as a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grammar.errors import CorpusError
from induction.corpus.corpus import Corpus

__all__ = ["interpolated"]


def interpolated(
    model: Any,
    pairs: Sequence[tuple[str, str]],
    shares: Sequence[float],
    *,
    beams: int = 4,
    spread: float = 1.0,
) -> Corpus:
    """Return the texts between pairs of texts, each pair at each share of the first.

    Parameters
    ----------
    model : Interpolator
        Trained.
    pairs : sequence of two texts each
        None of them empty, or longer than the model.
    shares : sequence of float
        From 0 (the second text) to 1 (the first).
    beams, spread
        As :meth:`~sampling.neural.linda.interpolator.Interpolator.interpolate` has them.

    Returns
    -------
    Corpus
        Columns ``text``, ``first``, ``second`` and ``alpha``; pair by pair.

    Raises
    ------
    CorpusError
        If a text is empty, or longer than the model.
    """
    for number, pair in enumerate(pairs):
        for text, pieces in zip(pair, model.pieces(pair), strict=True):
            if not text.strip() or len(pieces) > model.longest:
                what = f"{len(pieces)} pieces long" if text.strip() else "empty"
                raise CorpusError(
                    f"a text of pair {number + 1} is {what}, and the model takes "
                    f"{model.longest} pieces",
                    hint="split it, or leave it out",
                )
    rows = [(*pair, share) for pair in pairs for share in shares]
    first, second, alpha = (list(column) for column in zip(*rows, strict=True))
    made = model.interpolate(first, second, alpha, beams=beams, spread=spread)
    return Corpus.from_columns(text=made, first=first, second=second, alpha=alpha)

"""SSMix: the least salient span of a text gives way to the most salient one of another.

Both spans have the same number of pieces, and the label is mixed by their share.

References
----------
Yoon et al. 2021, SSMix: Saliency-Based Span Mixup for Text Classification, sections 3.1 and 3.2.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from grammar.arrays import BoolArray

__all__ = ["exchanged", "saliency", "window"]


def saliency(gradients: Tensor) -> Tensor:
    """Return how much the loss depends on each piece: the root mean square of its gradient.

    Parameters
    ----------
    gradients : Tensor, shape (texts, pieces, width)
        Of the loss, by the embeddings of the pieces.

    Returns
    -------
    Tensor, shape (texts, pieces)

    Examples
    --------
    >>> saliency(torch.tensor([[[3.0, 3.0], [0.0, 0.0]]])).tolist()
    [[3.0, 0.0]]
    """
    return gradients.float().square().mean(2).sqrt()


def window(scores: NDArray[np.float64], free: BoolArray, size: int, *, most: bool) -> int | None:
    """Return where the span with the highest or the lowest sum begins; the first of several.

    Parameters
    ----------
    scores : float64 array, shape (pieces,)
        How salient each piece is.
    free : bool array, shape (pieces,)
        Which pieces may be in a span: no marks of the tokenizer.
    size : int
        How many pieces a span has.
    most : bool
        Whether the highest sum is looked for.

    Returns
    -------
    int or None
        None if no span of that size is free.

    Examples
    --------
    >>> scores, free = np.array([9.0, 1, 2, 5, 9]), np.array([False, True, True, True, False])
    >>> window(scores, free, 2, most=True), window(scores, free, 2, most=False)
    (2, 1)
    >>> window(scores, free, 4, most=True) is None
    True
    """
    if size > len(scores):
        return None
    sums = np.convolve(scores, np.ones(size), "valid")
    whole = np.convolve(free, np.ones(size, int), "valid") == size
    if not whole.any():
        return None
    # sums are rounded, so that equal ones do not differ by the order of their parts
    sums = np.where(whole, np.round(sums, 12), -np.inf if most else np.inf)
    return int(sums.argmax() if most else sums.argmin())


def exchanged(
    pieces: Tensor, free: Tensor, scores: Tensor, partner: Tensor, span: float
) -> tuple[Tensor, Tensor]:
    """Exchange spans between the texts of a batch.

    Parameters
    ----------
    pieces : int64 tensor, shape (texts, pieces)
        Numbers of pieces.
    free : bool tensor, same shape
        Which are pieces of the text, and no marks.
    scores : Tensor, same shape
        See :func:`saliency`.
    partner : int64 tensor, shape (texts,)
        From which text each gets a span.
    span : float
        The share of a text's free pieces that are exchanged, at least one.

    Returns
    -------
    pieces : int64 tensor
        Of the mixed texts.
    share : float32 tensor, shape (texts,)
        How much of each text stayed; 1 if its partner has no span of that size.

    Examples
    --------
    >>> pieces = torch.tensor([[1, 5, 6, 2], [1, 7, 8, 2]])
    >>> free = (pieces > 2)
    >>> scores = torch.tensor([[0.0, 1, 2, 0], [0.0, 4, 3, 0]])
    >>> made, share = exchanged(pieces, free, scores, torch.tensor([1, 0]), 0.5)
    >>> made.tolist(), share.tolist()
    ([[1, 7, 6, 2], [1, 7, 6, 2]], [0.5, 0.5])
    """
    made, share = pieces.clone(), torch.ones(len(pieces))
    rows = scores.detach().double().cpu().numpy()
    marks = free.cpu().numpy()
    for host, donor in enumerate(partner.tolist()):
        own = int(marks[host].sum())
        if not own:
            continue
        size = max(1, int(span * own))
        to = window(rows[host], marks[host], size, most=False)
        out = window(rows[donor], marks[donor], size, most=True)
        if to is not None and out is not None:
            made[host, to : to + size] = pieces[donor, out : out + size]
            share[host] = 1 - size / own
    return made, share.to(pieces.device)

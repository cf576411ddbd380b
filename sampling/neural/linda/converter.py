"""The length converter of LINDA: hidden states of one length made to those of another.

The share alpha is that of the first text throughout: at 1 all is the first text, at 0 the second.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["convert", "mixed_length"]


def mixed_length(first: Tensor, second: Tensor, alpha: Tensor) -> Tensor:
    """Return how many states a mix has: alpha times one length plus the rest of the other, up.

    Parameters
    ----------
    first, second : int64[n]
        Lengths in pieces.
    alpha : float[n]
        The share of the first.

    References
    ----------
    Kim et al. 2022 (LINDA), section 3.2.

    Examples
    --------
    >>> mixed_length(torch.tensor([10, 10]), torch.tensor([10, 5]), torch.tensor([0.3, 0.5]))
    tensor([10,  8])
    """
    # 0.3 * 10 + 0.7 * 10 is a little more than 10 in floating point, and must not become 11
    exact = alpha.double() * first + (1 - alpha.double()) * second
    return torch.ceil(exact - 1e-6).long().clamp_min(1)


def convert(states: Tensor, lengths: Tensor, targets: Tensor, sigma: Tensor | float) -> Tensor:
    """Return states of other lengths, each a mean of those about its place.

    State j of the result weighs state k by the softmax over k of
    ``-(k - j * length / target) ** 2 / (2 * sigma ** 2)``; both count from 1.

    Parameters
    ----------
    states : float[n, most, width]
        Hidden states, padded behind.
    lengths, targets : int64[n]
        How many states of a row count, and how many are wanted.
    sigma : float, or float[n, 1, 1]
        How far a state reaches, in pieces.

    Returns
    -------
    float[n, most target, width]
        Rows behind the target of a row mean nothing.

    References
    ----------
    Kim et al. 2022 (LINDA), section 3.2, after Shu et al. 2020.

    Examples
    --------
    >>> two = torch.tensor([[[0.0], [1.0], [2.0], [3.0]]])
    >>> convert(two, torch.tensor([4]), torch.tensor([2]), 0.1).squeeze().tolist()
    [1.0, 3.0]
    """
    k = torch.arange(1, states.shape[1] + 1, device=states.device)
    j = torch.arange(1, int(targets.max()) + 1, device=states.device)
    centre = (lengths / targets)[:, None] * j
    distance = k[None, None, :] - centre[:, :, None]
    scores = -(distance**2) / (2 * sigma**2)
    # the last state of a row is the nearest to places behind its target, so no row is all -inf
    scores = scores.masked_fill((k > lengths[:, None])[:, None, :], -torch.inf)
    return torch.bmm(scores.softmax(-1).to(states.dtype), states)

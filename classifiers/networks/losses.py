"""Losses: cross-entropy with distributions, sets and weights, merged, contrast between classes."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from classifiers.config import TrainingConfig

__all__ = [
    "loss_of",
    "merged",
    "set_cross_entropy",
    "sharpened",
    "soft_cross_entropy",
    "supervised_contrast",
]

Entropy = Callable[..., Tensor]
"""A loss of scores, labels and weights."""


def loss_of(
    config: TrainingConfig, logits: Tensor, vectors: Tensor, known: tuple[Tensor, ...]
) -> Tensor:
    """Return the loss that a config asks for.

    Parameters
    ----------
    config : TrainingConfig
        ``gamma``, ``contrast``, and ``multilabel``: whether labels are sets of classes.
    logits : Tensor, shape (examples, classes)
        Scores before the softmax, or the sigmoid.
    vectors : Tensor, shape (examples, width)
        What the scores are made from; classes are contrasted there.
    known : tuple of Tensor
        Labels as distributions or sets, weights, and which examples are new.
    """
    labels, weights, new = known
    entropy = set_cross_entropy if config.multilabel else soft_cross_entropy
    if config.gamma is None:
        loss = entropy(logits, labels, weights)
    else:
        loss = merged(logits, labels, new, config.gamma, entropy)
    if config.contrast:
        loss = loss + config.contrast * supervised_contrast(vectors, labels.argmax(1))
    return loss


def soft_cross_entropy(logits: Tensor, labels: Tensor, weights: Tensor | None = None) -> Tensor:
    """Return the weighted mean of the cross-entropy of distributions.

    Parameters
    ----------
    logits : Tensor, shape (examples, classes)
        Scores before the softmax.
    labels : Tensor, shape (examples, classes)
        Distributions; a hard label is one too.
    weights : Tensor, shape (examples,), optional
        How much each example counts.

    Examples
    --------
    >>> logits = torch.tensor([[2.0, 0.0], [0.0, 1.0]])
    >>> hard = functional.cross_entropy(logits, torch.tensor([0, 1]))
    >>> torch.allclose(soft_cross_entropy(logits, torch.eye(2)), hard)
    True
    """
    return _mean(-(labels * functional.log_softmax(logits.float(), 1)).sum(1), weights)


def set_cross_entropy(logits: Tensor, labels: Tensor, weights: Tensor | None = None) -> Tensor:
    """Return the weighted mean of the binary cross-entropy of all classes.

    Parameters
    ----------
    logits : Tensor, shape (examples, classes)
        Scores before the sigmoid.
    labels : Tensor, shape (examples, classes)
        1 for each class of a set, else 0.
    weights : Tensor, shape (examples,), optional
        How much each example counts.

    Examples
    --------
    >>> logits, sets = torch.tensor([[2.0, 0.0], [0.0, 1.0]]), torch.tensor([[1.0, 1.0], [0, 0]])
    >>> plain = functional.binary_cross_entropy_with_logits(logits, sets)
    >>> torch.allclose(set_cross_entropy(logits, sets), plain)
    True
    """
    losses = functional.binary_cross_entropy_with_logits(logits.float(), labels, reduction="none")
    return _mean(losses.mean(1), weights)


def _mean(losses: Tensor, weights: Tensor | None) -> Tensor:
    if weights is None:
        return losses.mean()
    return (losses * weights).sum() / weights.sum().clamp(min=1e-12)


def merged(
    logits: Tensor,
    labels: Tensor,
    new: Tensor,
    gamma: float,
    entropy: Entropy = soft_cross_entropy,
) -> Tensor:
    """Return the loss of the originals plus gamma times that of the new examples.

    Gamma may be negative: the released program of TreeMix has -0.2 for RTE.

    References
    ----------
    Zhang et al. 2022 (TreeMix), equation 4.

    Examples
    --------
    >>> logits, labels = torch.zeros(3, 2), torch.eye(2)[[0, 1, 1]]
    >>> new = torch.tensor([False, False, True])
    >>> round(float(merged(logits, labels, new, 0.5)), 4)  # 1.5 times log 2
    1.0397
    """
    zero = logits.sum() * 0
    given = entropy(logits[~new], labels[~new]) if bool((~new).any()) else zero
    made = entropy(logits[new], labels[new]) if bool(new.any()) else zero
    return given + gamma * made


def supervised_contrast(vectors: Tensor, classes: Tensor, temperature: float = 0.1) -> Tensor:
    """Return the loss that draws vectors of one class together and others apart.

    Examples without another of their class in the batch play no part of their own.

    References
    ----------
    Khosla et al. 2020, Supervised Contrastive Learning, equation 2.

    Examples
    --------
    >>> close = torch.tensor([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    >>> together, apart = torch.tensor([0, 0, 1, 1]), torch.tensor([0, 1, 0, 1])
    >>> bool(supervised_contrast(close, together) < supervised_contrast(close, apart))
    True
    """
    unit = functional.normalize(vectors.float(), dim=1)
    scores = unit @ unit.T / temperature
    self_ = torch.eye(len(scores), dtype=torch.bool, device=scores.device)
    log_share = scores - scores.masked_fill(self_, -torch.inf).logsumexp(1, keepdim=True)
    same = (classes[:, None] == classes[None, :]) & ~self_
    partners = same.sum(1)
    means = (log_share.masked_fill(~same, 0.0)).sum(1) / partners.clamp(min=1)
    chosen = means[partners > 0]
    return -chosen.mean() if len(chosen) else vectors.sum() * 0


def sharpened(labels: Tensor, temperature: float) -> Tensor:
    """Return distributions to the power of 1 / temperature, so that they sum to one again.

    Parameters
    ----------
    labels : Tensor, shape (examples, classes)
        Distributions.
    temperature : float
        Below 1 the most probable class gains; 1 changes nothing.

    References
    ----------
    Chen et al. 2020 (MixText), equation 7.

    Examples
    --------
    >>> sharpened(torch.tensor([[0.75, 0.25]]), 0.5)
    tensor([[0.9000, 0.1000]])
    """
    relative = labels / labels.amax(1, keepdim=True).clamp(min=1e-30)
    powers = relative ** (1 / temperature)
    return powers / powers.sum(1, keepdim=True)

"""Texts as vectors: batches of like length, one pass for any layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from classifiers.encoders.opening import Encoder
from grammar.options import whole_number

__all__ = [
    "POOLINGS",
    "batches_by_length",
    "count_longer",
    "lower_states",
    "mean_of_pieces",
    "pool",
    "pooled",
]

BATCH = 32
POOLINGS = ("mean", "first", "ends")
Text = str | tuple[str, str]


def pooled(
    encoder: Encoder,
    texts: Sequence[Text],
    *,
    pooling: str = "mean",
    layers: Sequence[int] = (-1,),
    max_length: int | None = None,
    batch_size: int = BATCH,
    on_batch: Callable[[int], None] | None = None,
) -> NDArray[np.float32]:
    """Return the states of texts, pooled over their pieces.

    Parameters
    ----------
    encoder : Encoder
        What to run.
    texts : sequence of str or (str, str)
        Texts, or pairs; those that are too long for the encoder are cut.
    pooling : str
        ``mean`` over all pieces, the ``first`` piece, or both ``ends`` side by side (the span
        feature of Shi et al. 2021, section 4: first and last piece of the text).
    layers : sequence of int
        Which layers, 0 for the embeddings, -1 for the topmost.
    max_length : int, optional
        How many pieces of a text are read at most.
    batch_size : int
        Texts at once.
    on_batch : callable, optional
        Told how many texts were done.

    Returns
    -------
    float32 array, shape (texts, layers, width), or twice the width for ``ends``

    Notes
    -----
    Texts are sorted by length, so that a batch is hardly padded, and the encoder computes
    in the precision that is fast here, with weights rounded to bfloat16.
    A vector may differ in its last bits by what else is in the batch.
    """
    whole_number("batch_size", batch_size, 1)
    width = encoder.width * (2 if pooling == "ends" else 1)
    made = np.empty((len(texts), len(layers), width), np.float32)
    every = tuple(layers) != (-1,)
    with torch.inference_mode():
        for rows, batch in batches_by_length(encoder, texts, batch_size, max_length):
            output = encoder.half(**batch, output_hidden_states=every)
            states = output.hidden_states if every else [output.last_hidden_state]
            mask = batch["attention_mask"]
            chosen = [states[layer if every else 0].float() for layer in layers]
            vectors = torch.stack([pool(state, mask, pooling) for state in chosen], 1)
            made[rows] = vectors.cpu().numpy()
            if on_batch is not None:
                on_batch(len(rows))
    return made


def lower_states(
    encoder: Encoder, texts: Sequence[Text], depth: int, *, max_length: int | None = None
) -> list[Tensor]:
    """Return what the lowest ``depth`` layers make of each text: bfloat16, (pieces, width).

    These layers do not learn when only the upper ones are trained, so that they need to be run once
    a text and not once an update.
    """
    made: list[Tensor] = [torch.empty(0)] * len(texts)
    encoder.stack  # noqa: B018 - refuses encoders that cannot be run in parts
    with torch.inference_mode():
        for rows, batch in batches_by_length(encoder, texts, BATCH, max_length):
            states = encoder.half(**batch, output_hidden_states=True).hidden_states[depth]
            sizes = batch["attention_mask"].sum(1).tolist()
            for row, state, size in zip(rows, states, sizes, strict=True):
                made[row] = state[:size].to(torch.bfloat16).clone()
    return made


def batches_by_length(
    encoder: Encoder, texts: Sequence[Text], size: int, max_length: int | None = None
) -> Iterator[tuple[list[int], dict[str, Tensor]]]:
    """Yield texts of like length in batches: their numbers, and their pieces."""
    # cut twice, which costs a fiftieth: by characters, batches would be padded by a third
    sizes = encoder.sizes(texts, max_length)
    order = sorted(range(len(texts)), key=lambda i: sizes[i])
    for first in range(0, len(order), size):
        rows = order[first : first + size]
        yield rows, encoder.pieces([texts[i] for i in rows], max_length)


def count_longer(encoder: Encoder, texts: Sequence[Text], max_length: int) -> int:
    """Return how many texts have more pieces than are read of them."""
    return sum(size > max_length for size in encoder.sizes(texts))


def mean_of_pieces(states: Tensor, mask: Tensor) -> Tensor:
    """Return the mean state of the pieces of each text."""
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)


def pool(states: Tensor, mask: Tensor, pooling: str, weights: Tensor | None = None) -> Tensor:
    """Return one vector a text: the mean of its pieces (by weights, if given), the first, or ends.

    Parameters
    ----------
    states : Tensor, shape (texts, pieces, width)
    mask : Tensor, shape (texts, pieces)
        1 for pieces, 0 for what fills up the batch.
    pooling : str
        One of :data:`POOLINGS`.
    weights : Tensor, shape (texts, pieces), optional
        How much each piece counts in the mean; else those of the mask count alike.
    """
    if pooling == "mean":
        return mean_of_pieces(states, mask if weights is None else weights)
    if pooling == "first":
        return states[:, 0]
    # between the marks that the tokenizer puts around a text
    last = (mask.sum(1) - 2).clamp(min=0)
    rows = torch.arange(states.shape[0], device=states.device)  # not len: tracers follow shapes
    return torch.cat([states[:, min(1, states.shape[1] - 1)], states[rows, last]], 1)

"""States of words: what an encoder makes of each, at all of its layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from classifiers.encoders.opening import Encoder
from sampling.neural.threads import tokenized

__all__ = ["Part", "WordStates", "joined", "parts_of_sentences", "states_of", "states_of_words"]

_BATCH = 32
Part: TypeAlias = list[tuple[int, ...]]
"""Words that are read together, each as the numbers of its pieces."""


@dataclass(frozen=True, eq=False)
class WordStates:
    """The states of sentences, with one before the first word of each, and one behind the last.

    Attributes
    ----------
    rows : sequence of Tensor
        One a sentence: float16 of shape (words + 2, layers, width).
    """

    rows: Sequence[Tensor]

    @property
    def sizes(self) -> list[int]:
        """How many words each sentence has."""
        return [len(row) - 2 for row in self.rows]


def states_of_words(encoder: Encoder, sentences: Sequence[Sequence[str]]) -> WordStates:
    """Return the states of the words of sentences, each the mean of its first and last piece.

    Parameters
    ----------
    encoder : Encoder
        What reads them; the embeddings count as a layer.
    sentences : sequence of sequences of str
        Words in ordinary spelling. A sentence that is longer than the encoder can read is read in
        parts.
    """
    parts = [
        (row, part)
        for row, each in enumerate(parts_of_sentences(encoder, sentences))
        for part in each
    ]
    found: list[list[Tensor]] = [[] for _ in sentences]
    order = sorted(range(len(parts)), key=lambda i: sum(map(len, parts[i][1])))
    made: list[Tensor] = [torch.empty(0)] * len(parts)
    with torch.inference_mode():
        for first in range(0, len(order), _BATCH):
            chosen = order[first : first + _BATCH]
            read = states_of(encoder.half, encoder.tokenizer, [parts[i][1] for i in chosen])
            for i, states in zip(chosen, read, strict=True):
                made[i] = states.to(torch.float16).cpu()
    for (row, _), states in zip(parts, made, strict=True):
        found[row].append(states)
    return WordStates([joined(each) for each in found])


def parts_of_sentences(encoder: Encoder, sentences: Sequence[Sequence[str]]) -> list[list[Part]]:
    """Return sentences as pieces; one that is longer than the encoder can read is in parts."""
    pieces = _pieces_of_words(encoder, sentences)
    limit = encoder.max_length - 2
    return [list(_parts([pieces[word] for word in words], limit)) for words in sentences]


def _pieces_of_words(
    encoder: Encoder, sentences: Sequence[Sequence[str]]
) -> dict[str, tuple[int, ...]]:
    """Return the numbers of the pieces of every word; one that is not known if it has none."""
    words = list(dict.fromkeys(word for words in sentences for word in words))
    if not words:
        return {}
    # behind a space, as words stand in a text: some vocabularies tell by it where words begin
    spaced = [f" {word}" for word in words]
    cut = tokenized(encoder.tokenizer, spaced, add_special_tokens=False, verbose=False)
    unknown = encoder.tokenizer.unk_token_id
    limit = encoder.max_length - 2
    rows = ((*ids[:limit],) or (0 if unknown is None else unknown,) for ids in cut["input_ids"])
    return dict(zip(words, rows, strict=True))


def _parts(words: Part, limit: int) -> Iterator[Part]:
    """Yield words in parts of at most ``limit`` pieces."""
    part: Part = []
    size = 0
    for pieces in words:
        if size + len(pieces) > limit:
            yield part
            part, size = [], 0
        part.append(pieces)
        size += len(pieces)
    yield part


def states_of(model: Any, tokenizer: Any, parts: Sequence[Part]) -> list[Tensor]:
    """Return what a model makes of each part: states of shape (words + 2, layers, width).

    Parameters
    ----------
    model : transformers.PreTrainedModel
        What reads them, with or without gradients.
    tokenizer : transformers.PreTrainedTokenizerBase
        Knows the pieces that stand around a text.
    parts : sequence of Part
        They are one batch.
    """
    begin = _first_known(tokenizer.cls_token_id, tokenizer.bos_token_id)
    end = _first_known(tokenizer.sep_token_id, tokenizer.eos_token_id)
    rows = [[begin, *(p for word in part for p in word), end] for part in parts]
    max_length = max(map(len, rows))
    filled = [
        row + [_first_known(tokenizer.pad_token_id)] * (max_length - len(row)) for row in rows
    ]
    mask = [[1] * len(row) + [0] * (max_length - len(row)) for row in rows]
    output = model(
        input_ids=torch.tensor(filled, device=model.device),
        attention_mask=torch.tensor(mask, device=model.device),
        output_hidden_states=True,
    )
    states = torch.stack(output.hidden_states, 2)
    return [_words(row, part) for row, part in zip(states, parts, strict=True)]


def _words(states: Tensor, part: Part) -> Tensor:
    sizes = np.array([1, *map(len, part), 1], np.int64)
    stops = np.cumsum(sizes)
    first, last = torch.from_numpy(stops - sizes), torch.from_numpy(stops - 1)
    return (states[first] + states[last]) / 2


def joined(parts: Sequence[Tensor]) -> Tensor:
    """Return the parts of a sentence as one, with the states around it."""
    if len(parts) == 1:
        return parts[0]
    inner = [part[1:-1] for part in parts]
    return torch.cat([parts[0][:1], *inner, parts[-1][-1:]])


def _first_known(*numbers: int | None) -> int:
    return next((number for number in numbers if number is not None), 0)

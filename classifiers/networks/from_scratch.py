"""Small networks on the words of the training examples, with weights drawn at random: no encoder.

They are the setting in which EDA and others first showed a gain: what is known of language comes
from the labelled examples, and from what is made of them.

References
----------
Kim 2014, Convolutional Neural Networks for Sentence Classification (``cnn``, with weights of words
that are drawn, CNN-rand). Wei & Zou 2019 (EDA) measure with one and with a recurrent network.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import relu
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from classifiers.config import TrainingConfig
from classifiers.encoders.encoding import Text
from classifiers.examples import Examples
from classifiers.mixing.options import Mixing
from classifiers.networks.batches import Batches, Rows
from classifiers.networks.finetuning import key_of
from classifiers.networks.loop import Course
from classifiers.networks.losses import loss_of
from classifiers.networks.network import Network, fitted
from sampling.neural.opening import device_named
from sampling.neural.threads import seeded

__all__ = ["FromScratch", "WordModel", "train_from_scratch", "words_of"]

EMBEDDED, MAPS, KERNELS, STATES = 100, 100, (3, 4, 5), 64
DROPOUT = 0.5
_WORD = re.compile(r"\w+|[^\w\s]")
_UNKNOWN = 1
"""The number of words that were not seen; 0 is what a text is padded with. Both are zeros."""


def words_of(text: Text) -> list[str]:
    """Return the words of a text, or of a pair with a mark between, in small letters.

    Examples
    --------
    >>> words_of("It's fine."), words_of(("A", "b"))
    (['it', "'", 's', 'fine', '.'], ['a', '|||', 'b'])
    """
    parts = [text] if isinstance(text, str) else list(text)
    first, *rest = (_WORD.findall(part.lower()) for part in parts)
    for part in rest:
        first += ["|||", *part]
    return first


class Convolutions(nn.Module):
    """The largest response of each filter, over all places of a text (Kim 2014)."""

    def __init__(self) -> None:
        super().__init__()
        self.filters = nn.ModuleList(
            nn.Conv1d(EMBEDDED, MAPS, size, padding=size - 1) for size in KERNELS
        )
        self.width = MAPS * len(KERNELS)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return one vector a text, of shape (texts, width)."""
        made = []
        for size, filters in zip(KERNELS, self.filters, strict=True):
            # a window that lies in the padding would tell how long the others of a batch are
            inside = nn.functional.pad(mask, (size - 1, 0), value=1)
            found = relu(filters(states.transpose(1, 2)))
            made.append((found * inside[:, None, :]).amax(2))
        return torch.cat(made, 1)


class TwoDirections(nn.Module):
    """The largest of each state of an LSTM that reads forwards and backwards."""

    def __init__(self) -> None:
        super().__init__()
        self.reader = nn.LSTM(EMBEDDED, STATES, batch_first=True, bidirectional=True)
        self.width = 2 * STATES

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return one vector a text, of shape (texts, width)."""
        sizes = mask.sum(1).cpu()
        packed = pack_padded_sequence(states, sizes, batch_first=True, enforce_sorted=False)
        read, _ = pad_packed_sequence(
            self.reader(packed)[0], batch_first=True, padding_value=-torch.inf
        )
        return read.amax(1)


_BODIES: dict[str, type[Any]] = {"cnn": Convolutions, "bilstm": TwoDirections}


class _Body(nn.Module):
    def __init__(self, words: int, kind: str) -> None:
        super().__init__()
        self.words = nn.Embedding(words + 2, EMBEDDED, padding_idx=0)
        with torch.no_grad():
            self.words.weight[_UNKNOWN] = 0
        self.dropout = nn.Dropout(DROPOUT)
        self.over: Any = _BODIES[kind]()

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        vectors: Tensor = self.over(self.dropout(self.words(words)), mask)
        return vectors


class WordModel(nn.Module):
    """Vectors of words, a network over them, and a linear head.

    Parameters
    ----------
    words, classes : int
        How many are known.
    config : TrainingConfig
        Its ``encoder`` names the network; and the loss.
    """

    def __init__(self, words: int, classes: int, config: TrainingConfig) -> None:
        super().__init__()
        self.body = _Body(words, config.encoder)
        self.dropout = nn.Dropout(DROPOUT)
        self.head = nn.Linear(self.body.over.width, classes)
        # not ``config``: the Trainer of transformers writes into an attribute of that name
        self.training_config = config

    def forward(
        self,
        words: Tensor,
        attention_mask: Tensor,
        labels: Tensor | None = None,
        weights: Tensor | None = None,
        new: Tensor | None = None,
        **_: Any,
    ) -> dict[str, Tensor]:
        """Return the scores of the classes and, with labels, the loss."""
        vectors = self.body(words, attention_mask)
        logits: Tensor = self.head(self.dropout(vectors))
        if labels is None or weights is None or new is None:
            return {"logits": logits}
        loss = loss_of(self.training_config, logits, vectors, (labels, weights, new))
        return {"loss": loss, "logits": logits}


@dataclass(frozen=True, eq=False, kw_only=True)
class FromScratch(Network):
    """A network on words.

    Attributes
    ----------
    words : tuple of str
        Those that it knows, in order.
    """

    words: tuple[str, ...]

    def read(self, texts: Sequence[Text]) -> Rows:
        """Return texts as the numbers of their words; what lies behind the max_length is cut."""
        number = {word: row for row, word in enumerate(self.words, _UNKNOWN + 1)}
        max_length = self.config.max_length
        rows = ([number.get(w, _UNKNOWN) for w in words_of(text)[:max_length]] for text in texts)
        return Rows([{"words": torch.tensor(row or [_UNKNOWN])} for row in rows])


def train_from_scratch(
    examples: Examples,
    config: TrainingConfig,
    *,
    held: Examples | None = None,
    checkpoint: Path | None = None,
    on_update: Callable[[int, float], None] | None = None,
) -> FromScratch:
    """Train a small network on the words of the examples, new ones among them.

    Parameters
    ----------
    examples, config, held, checkpoint, on_update
        As :func:`~classifiers.networks.finetuning.fine_tune` has them. Numbers are of single
        precision unless bf16 is asked for.

    Returns
    -------
    FromScratch
        The same on one machine whenever it is called with the same arguments.

    Raises
    ------
    StoppedTrainingError, TrainingError
        If the loss is no number any more, or never was one.

    Examples
    --------
    >>> from classifiers.examples import read_examples
    >>> from induction import Corpus
    >>> few = read_examples(Corpus.from_columns(text=["not good", "good"], label=["bad", "good"]))
    >>> config = TrainingConfig(encoder="cnn", steps=30, learning_rate=0.002, device="cpu")
    >>> model = train_from_scratch(few, config)
    >>> model.words, model.probabilities(["good", "not good"]).argmax(1)
    (('good', 'not'), array([1, 0]))
    """
    if config.precision == "auto":
        config = replace(config, precision="fp32")
    place = device_named(config.device)
    with seeded(config.seed, place):
        words = tuple(sorted({word for text in examples.texts for word in words_of(text)}))
        model = WordModel(len(words), len(examples.classes), config).to(place)
        blank = FromScratch(config=config, classes=examples.classes, model=model, words=words)
        if not config.steps:
            return blank
        key = key_of(None, config, Mixing(), [examples, held]) if checkpoint else ""
        batches = Batches(blank.read(examples.texts), examples, config, mixing=Mixing(), depth=0)
        return fitted(
            blank, batches, Course(checkpoint=checkpoint, key=key, on_update=on_update), held
        )

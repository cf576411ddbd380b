"""Fine-tuning an encoder by ``transformers.Trainer``, in a fixed order of examples."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from classifiers.encoders.cache import fingerprint
from classifiers.encoders.encoding import Text, lower_states
from classifiers.encoders.opening import Encoder
from classifiers.examples import Examples
from classifiers.mixing.draws import draw_mixture
from classifiers.mixing.options import Mixing
from classifiers.networks.loop import Course, StoppedTrainingError, learn
from classifiers.networks.model import UNMIXED, TextModel, lowest_trained
from classifiers.recipe import Recipe
from grammar.rng import stream_key

__all__ = [
    "Batches", "FineTuned", "Readable", "fine_tune", "fitted", "judged", "key_of",
    "order_of_examples",
]  # fmt: skip

BATCH = 64


@dataclass(frozen=True, eq=False)
class Readable:
    """Texts as a model reads them: numbers of pieces, or what a fixed lower half makes of them."""

    rows: Sequence[dict[str, Tensor]]

    @classmethod
    def of(cls, encoder: Encoder, texts: Sequence[Text], recipe: Recipe) -> Readable:
        """Prepare texts; with ``train="upper"`` the lower half is run here, once a text."""
        depth = lowest_trained(encoder, recipe)
        if depth:
            states = lower_states(encoder, texts, depth, longest=recipe.longest)
            return cls([{"states": state} for state in states])
        rows = []
        for text in texts:
            batch = encoder.pieces([text], recipe.longest)
            rows.append({name: value[0].cpu() for name, value in batch.items()})
        return cls(rows)

    def batch(self, numbers: Sequence[int]) -> dict[str, Tensor]:
        """Return some of the texts as one padded batch."""
        rows = [self.rows[i] for i in numbers]
        sizes = torch.tensor([len(next(iter(row.values()))) for row in rows])
        mask = (torch.arange(int(sizes.max()))[None, :] < sizes[:, None]).long()
        made = {
            name: pad_sequence([row[name] for row in rows], batch_first=True)
            for name in rows[0]
            if name != "attention_mask"
        }
        return {name: _floats(value) for name, value in made.items()} | {"attention_mask": mask}


@dataclass(frozen=True, eq=False)
class FineTuned:
    """A classifier whose encoder, or a part of it, was trained.

    Attributes
    ----------
    encoder : Encoder
        Where training started from.
    recipe : Recipe
        How it was trained.
    classes : tuple of str
        What the classes are called.
    model : TextModel
        The weights.
    losses : tuple of float
        Of every update.
    chosen : int
        After how many updates the weights were taken.
    """

    encoder: Encoder
    recipe: Recipe
    classes: tuple[str, ...]
    model: TextModel
    losses: tuple[float, ...]
    chosen: int = 0

    def probabilities(self, texts: Sequence[Text]) -> NDArray[np.float64]:
        """Return the probability of every class, float64 of shape (texts, classes)."""
        return self.probabilities_of(Readable.of(self.encoder, texts, self.recipe))

    def whole_encoder(self) -> Any:
        """Return the encoder with the weights as they were trained."""
        if not self.model.frozen_layers:
            return self.model.body
        whole = copy.deepcopy(self.encoder.model)
        layers = self.model.body.layer
        for number, layer in enumerate(layers, self.model.frozen_layers):
            whole.encoder.layer[number].load_state_dict(layer.state_dict())
        return whole

    def probabilities_of(self, read: Readable) -> NDArray[np.float64]:
        """Return the same of texts that were prepared before."""
        self.model.eval()
        return self._named(read)

    def passes(self, texts: Sequence[Text], count: int, seed: int) -> NDArray[np.float64]:
        """Return what the model says with dropout, float64 of shape (passes, texts, classes)."""
        read = Readable.of(self.encoder, texts, self.recipe)
        self.model.train()
        made = np.zeros((count, len(read.rows), len(self.classes)))
        with torch.random.fork_rng(_cards(self.encoder)):
            for number in range(count):
                torch.manual_seed(int(stream_key(seed, f"dropout {number}")) >> 1)
                made[number] = self._named(read)
        self.model.eval()
        return made

    def _named(self, read: Readable) -> NDArray[np.float64]:
        made = np.zeros((len(read.rows), len(self.classes)))
        order = sorted(range(len(read.rows)), key=lambda i: len(next(iter(read.rows[i].values()))))
        with torch.inference_mode(), _precision(self.recipe, self.encoder):
            for first in range(0, len(order), BATCH):
                rows = order[first : first + BATCH]
                inputs = {k: v.to(self.encoder.device) for k, v in read.batch(rows).items()}
                logits = self.model(**inputs)["logits"]
                made[rows] = logits.float().softmax(1).double().cpu().numpy()
        return made


def fine_tune(
    encoder: Encoder,
    examples: Examples,
    recipe: Recipe,
    *,
    mixing: Mixing = UNMIXED,
    held: Examples | None = None,
    checkpoint: Path | None = None,
    read: Readable | None = None,
    on_update: Callable[[int, float], None] | None = None,
) -> FineTuned:
    """Train a classifier on an encoder.

    Parameters
    ----------
    encoder : Encoder
        Where training starts from; it is not changed.
    examples : Examples
        What to learn, new ones among them.
    recipe : Recipe
        How.
    mixing : Mixing
        Where examples are mixed, if anywhere.
    held : Examples, optional
        A tenth of the training after the other, these judge it; the weights that name most of
        them right are taken, with the lower loss where as many are.
    checkpoint : path, optional
        A file for the state: a training that was stopped goes on from there, with the same result.
    read : Readable, optional
        The texts of the examples, prepared, where they are used more than once.
    on_update : callable, optional
        Told the number of each update and its loss.

    Returns
    -------
    FineTuned
        The same on one machine whenever it is called with the same arguments.

    Raises
    ------
    StoppedTrainingError
        If the loss is no number any more; the message names the update, and the error has the
        classifier with the last weights whose loss was one.
    TrainingError
        If it never was a number.
    OptionError
        If the encoder cannot be run in parts, or a library is missing.
    """
    torch.manual_seed(recipe.seed)
    model = TextModel(encoder, recipe, len(examples.classes), mixing).to(encoder.device)
    if not recipe.updates:
        return FineTuned(encoder, recipe, examples.classes, model, ())
    read = read or Readable.of(encoder, examples.texts, recipe)
    course = Course(
        checkpoint=checkpoint,
        key=key_of(encoder, recipe, mixing, [examples, held]) if checkpoint else "",
        on_update=on_update,
    )
    batches = Batches(read, examples, recipe, mixing=mixing, depth=encoder.depth)
    blank = FineTuned(encoder, recipe, examples.classes, model, ())
    return fitted(blank, batches, course, held)


def fitted(
    blank: FineTuned, batches: Batches, course: Course, held: Examples | None = None
) -> FineTuned:
    """Return a classifier after it has learnt from batches (see :func:`fine_tune`)."""
    if held is not None:
        texts = Readable.of(blank.encoder, held.texts, blank.recipe)
        course = replace(course, judge=lambda: judged(blank.probabilities_of(texts), held))
    try:
        losses, chosen = learn(blank.model, batches, blank.recipe, blank.encoder.device, course)
    except StoppedTrainingError as error:
        error.model = replace(blank, chosen=error.update)
        raise
    return replace(blank, losses=tuple(losses), chosen=chosen)


def key_of(encoder: Encoder, recipe: Recipe, mixing: Mixing, parts: Sequence[Any]) -> str:
    """Return a hash of what decides a training: the encoder, the options and the examples.

    Parts are examples, None, or whatever is written in JSON.
    """
    facts: list[Any] = [fingerprint(encoder), asdict(recipe), asdict(mixing)]
    for part in parts:
        if not isinstance(part, Examples):
            facts.append(part)
            continue
        numbers = hashlib.sha256(part.labels.tobytes() + part.weights.tobytes())
        facts.append(
            [part.texts, part.classes, part.new.tolist(), part.weighed, numbers.hexdigest()]
        )
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def judged(shares: NDArray[np.float64], held: Examples) -> tuple[float, float]:
    """Return the share of right names, and minus the loss."""
    right = float((shares.argmax(1) == held.hard).mean())
    return right, float((held.labels * np.log(shares.clip(min=1e-12))).sum(1).mean())


def order_of_examples(examples: Examples, recipe: Recipe) -> list[int]:
    """Return which examples are learnt from, batch after batch.

    Each batch has its share of new ones. Both kinds go round in an order that is drawn anew for
    each round, as a function of the seed. Without a share all go round together.

    Examples
    --------
    >>> from classifiers.examples import read_examples
    >>> from induction import Corpus
    >>> few = read_examples(Corpus.from_columns(text=["a", "b"], label=[0, 1]))
    >>> order = order_of_examples(few.with_new(few), Recipe(updates=2, batch=4))
    >>> sorted(order[:4]), sorted(order[4:])
    ([0, 1, 2, 3], [0, 1, 2, 3])
    """
    together = recipe.share is None
    new = np.zeros(len(examples), np.bool_) if together else examples.new
    given, made = np.flatnonzero(~new), np.flatnonzero(new)
    of_new = _new_in_a_batch(examples, recipe)
    first = _rounds(given, (recipe.batch - of_new) * recipe.updates, recipe.seed, "given")
    second = _rounds(made, of_new * recipe.updates, recipe.seed, "new")
    both = np.concatenate(
        (first.reshape(recipe.updates, -1), second.reshape(recipe.updates, -1)), axis=1
    )
    order: list[int] = both.ravel().tolist()
    return order


def weights_in_batches(examples: Examples, recipe: Recipe) -> NDArray[np.float32]:
    """Return the weight of each example in the loss of a batch, float32 of shape (examples,).

    A share of each batch is new, whatever the number of new examples. Where it was said what these
    weigh together, their weights make up for how often each comes.

    Examples
    --------
    >>> from classifiers.examples import read_examples
    >>> from induction import Corpus
    >>> few = read_examples(Corpus.from_columns(text=["a", "b"], label=[0, 1]))
    >>> both = few.with_new(few.take([0, 1, 0, 1]), weight=0.5)
    >>> weights_in_batches(both, Recipe(batch=4, share=0.5)).tolist()
    [1.0, 1.0, 0.5, 0.5, 0.5, 0.5]
    """
    of_new = _new_in_a_batch(examples, recipe)
    if recipe.share is None or not examples.weighed or not 0 < of_new < recipe.batch:
        return examples.weights
    made = int(examples.new.sum())
    oftener = of_new / made * (len(examples) - made) / (recipe.batch - of_new)
    return np.where(examples.new, examples.weights / oftener, examples.weights).astype(np.float32)


def _new_in_a_batch(examples: Examples, recipe: Recipe) -> int:
    if examples.new.all() and recipe.share is not None:
        return recipe.batch
    return round((recipe.share or 0.0) * recipe.batch) if examples.new.any() else 0


def _rounds(rows: Any, count: int, seed: int, name: str) -> NDArray[np.int64]:
    if not count:
        return np.zeros(0, np.int64)
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(seed, f"classifier {name}"))))
    rounds = [draw.permutation(rows) for _ in range(-(-count // len(rows)))]
    return np.concatenate(rounds)[:count]


class Read(Protocol):
    """Texts that were prepared."""

    def batch(self, numbers: Sequence[int]) -> dict[str, Tensor]:
        """Return some of them as the inputs of a model."""
        ...


class Batches:
    """The batches of a training, each a function of its number.

    Parameters
    ----------
    read : Read
        The texts of the examples.
    examples : Examples
        What is learnt; ``order`` says when.
    recipe : Recipe
        How many in a batch, and the seed.
    mixing : Mixing
        Whether and how they are mixed.
    depth : int
        How many layers the encoder has.
    """

    def __init__(
        self, read: Read, examples: Examples, recipe: Recipe, *, mixing: Mixing, depth: int
    ) -> None:
        self.read = read
        self.recipe, self.mixing, self.depth = recipe, mixing, depth
        self.order = order_of_examples(examples, recipe)
        self.size, self.updates = recipe.batch, recipe.updates
        self.labels = torch.from_numpy(examples.labels)
        self.weights = torch.from_numpy(weights_in_batches(examples, recipe))
        self.new = torch.from_numpy(examples.new)

    def __call__(self, places: Sequence[int]) -> dict[str, Any]:
        """Return the batch of some places in the order."""
        return self.batch([self.order[place] for place in places], places[0] // self.size)

    def batch(self, numbers: Sequence[int], update: int) -> dict[str, Any]:
        """Return examples as the batch of an update."""
        rows = torch.tensor(list(numbers))
        made: dict[str, Any] = self.read.batch(list(numbers)) | {
            "labels": self.labels[rows],
            "weights": self.weights[rows],
            "new": self.new[rows],
        }
        if self.mixing.used:
            # the merged loss tells the two kinds apart
            apart = self.recipe.gamma is not None
            kinds = made["new"].numpy().astype(np.int64) * apart
            drawn = draw_mixture(self.mixing, self.recipe.seed, update, kinds, self.depth)
            place = torch.full((len(rows),), drawn.place)
            made["mixture"] = {"partner": drawn.partner, "share": drawn.share, "place": place}
        return made


def _cards(encoder: Encoder) -> list[Any]:
    return [encoder.device] if encoder.device.type == "cuda" else []


def _precision(recipe: Recipe, encoder: Encoder) -> Any:
    return torch.autocast(encoder.device.type, torch.bfloat16, enabled=recipe.precision != "fp32")


def _floats(values: Tensor) -> Tensor:
    return values.float() if values.is_floating_point() else values

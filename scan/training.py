"""Training a sequence-to-sequence model, reproducibly and without a look at test data.

Everything random is a function of (seed, update): the batches, the dropout masks and the first
weights. A checkpoint therefore needs only the weights and Adam's two moments, and a run that was
killed and resumed ends with the same bits as one that was not.

Training stops early on exact match over the *training* pairs (augmented ones included); how well
the model does on a test set is for the caller to measure afterwards with :func:`exact_match`.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor
from torch.nn.functional import cross_entropy

from grammar.errors import CorpusError, OptionError, SchemaError, UnreadableInputError
from grammar.files import atomic_output
from scan.seq2seq import (
    END,
    FIRST_OUTPUT,
    PAD,
    START,
    Hypothesis,
    Seq2Seq,
    Vocabulary,
    decode,
    pad,
)

__all__ = ["Check", "Progress", "Recipe", "TrainedModel", "exact_match", "train"]

Pairs = Sequence[tuple[str, str]]
PathLike = str | os.PathLike[str]
Int1d = npt.NDArray[np.int64]

SCHEMA = "treewright.seq2seq/1"
PIECES = 2
"""A batch is computed in this many pieces, of short and of long targets, which saves padding.
Whole batches of one length would save more, but each is then the gradient of one kind of task,
and learning takes twice as many updates (measured on the jump split of SCAN)."""
NO_OUTPUT = PAD - FIRST_OUTPUT
MOMENTS = ("exp_avg", "exp_avg_sq")
# streams of random numbers; the augmented pairs' permutations have the number after PERMUTATIONS
FIRST_WEIGHTS, DROPOUT, CHECKED, PERMUTATIONS = range(4)


@dataclass(frozen=True)
class Recipe:
    """How to build and train a model.

    Parameters
    ----------
    embedding, hidden, layers, dropout
        The shape of the model, see :class:`scan.seq2seq.Seq2Seq`.
    batch : int
        Pairs an update.
    augmented_share : float
        Share of each batch (on average) taken from the augmented pairs, where there are any.
    peak_rate : float
        Largest learning rate; see :meth:`learning_rate`.
    clip : float
        Largest norm of the gradient.
    updates : int
        Updates at most.
    check_every : int
        Updates between two looks at training exact match, each of which is also a checkpoint.
    checked_pairs : int
        Pairs looked at, drawn once from the training and once from the augmented pairs.
    stop_at : float
        Training stops when a look finds at least this exact match, and so do all the pairs.
    seed : int
        Where all that is random starts from.

    Raises
    ------
    OptionError
        If a value is out of range.
    """

    embedding: int = 64
    hidden: int = 128
    layers: int = 1
    dropout: float = 0.1
    batch: int = 64
    augmented_share: float = 0.3
    peak_rate: float = 4e-3
    clip: float = 1.0
    updates: int = 3000
    check_every: int = 250
    checked_pairs: int = 512
    stop_at: float = 0.999
    seed: int = 0

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            low, high = _RANGES[option.name]
            kinds = int if option.type == "int" else int | float
            if isinstance(value, bool) or not isinstance(value, kinds):
                raise OptionError(
                    f"{option.name}={value!r} is not of type {option.type}",
                    hint=f"for example {option.name}={option.default}",
                )
            if not low <= value <= high:
                raise OptionError(
                    f"{option.name}={value!r} is out of range",
                    hint=f"choose a value from {low} to {high}, for example {option.default}",
                )

    def learning_rate(self, update: int) -> float:
        """Return the learning rate of an update: up in a line, then down in half a cosine.

        >>> recipe = Recipe(updates=100, peak_rate=1.0)
        >>> [round(recipe.learning_rate(update), 3) for update in (0, 9, 54, 99)]
        [0.1, 1.0, 0.517, 0.0]
        """
        warm = max(1, round(WARM_UP * self.updates))
        if update < warm:
            return self.peak_rate * (update + 1) / warm
        past = (update - warm) / max(1, self.updates - warm)
        return self.peak_rate * (1.0 + math.cos(math.pi * past)) / 2.0


WARM_UP = 0.1
"""Share of the updates in which the learning rate rises."""

_MANY = 2**31 - 1
_RANGES: dict[str, tuple[float, float]] = {
    "embedding": (1, 2**16),
    "hidden": (1, 2**16),
    "layers": (1, 64),
    "dropout": (0.0, 0.99),
    "batch": (1, 2**20),
    "augmented_share": (0.0, 1.0),
    "peak_rate": (1e-9, 1e3),
    "clip": (1e-9, 1e9),
    "updates": (1, _MANY),
    "check_every": (1, _MANY),
    "checked_pairs": (1, _MANY),
    "stop_at": (0.0, 1.0),
    "seed": (0, 2**63 - 1),
}


class Check(NamedTuple):
    """A look at training: after which update, the mean loss a token since the last look (in nats),
    and the share of ``pairs`` training pairs whose target the model writes exactly."""

    update: int
    loss: float
    exact_match: float
    pairs: int


class Progress(NamedTuple):
    """What a callback is told after each update (updates done, of how many at most, loss) and the
    last look at training, if there was one."""

    update: int
    updates: int
    loss: float
    check: Check | None


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A model, the recipe it was trained by, and what was seen of its training.

    Parameters
    ----------
    model : Seq2Seq
        The model.
    recipe : Recipe
        Its recipe.
    history : tuple of Check
        Looks at training, in order. The last one covers all pairs.
    """

    model: Seq2Seq
    recipe: Recipe
    history: tuple[Check, ...] = ()

    def decode(
        self, sources: Sequence[str], *, beam: int = 1, length_limit: int = 200
    ) -> list[Hypothesis]:
        """Find a probable target for each source sentence, see :func:`scan.seq2seq.decode`."""
        return decode(self.model, sources, beam=beam, length_limit=length_limit)

    def save(self, path: PathLike) -> None:
        """Write weights, vocabularies, recipe and history to one safetensors file.

        Raises
        ------
        OutputError
            If the path cannot be written.
        """
        _write(path, self, {}, "")

    @classmethod
    def load(cls, path: PathLike) -> TrainedModel:
        """Read what :meth:`save` wrote, or the model of a checkpoint.

        Raises
        ------
        UnreadableInputError
            If there is no such file.
        SchemaError
            If the file is truncated, or not a model of this version.
        """
        return _read(path)[0]


def train(
    pairs: Pairs,
    *,
    augmented: Pairs = (),
    recipe: Recipe | None = None,
    checkpoint: PathLike | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> TrainedModel:
    """Train a model on pairs of space-separated source and target.

    Parameters
    ----------
    pairs : sequence of (str, str)
        The training pairs.
    augmented : sequence of (str, str)
        Made pairs; ``recipe.augmented_share`` of each batch is drawn from them.
    recipe : Recipe, optional
        Sizes, learning rate, stopping rule and seed.
    checkpoint : path, optional
        Where the state is kept at each look at training. If the file is there already, training
        goes on from it and ends with the same weights, bit for bit, as an unbroken run.
    on_progress : callable, optional
        Called after each update.

    Returns
    -------
    TrainedModel
        The model after the last update, with the history of its training.

    Raises
    ------
    CorpusError
        If there are no training pairs, or one is not two texts.
    SchemaError
        If the checkpoint is truncated or of another version.
    OptionError
        If the checkpoint belongs to another recipe or to other pairs.

    Notes
    -----
    Runs on one core, so that results do not depend on how many there are and several runs can
    share a machine. Adam, without weight decay; the gradient is that of the mean loss a token.
    """
    recipe = recipe or Recipe()
    _check_pairs(pairs, "training")
    if augmented:
        _check_pairs(augmented, "augmented")
    with _one_thread():
        run = _Run(pairs, augmented, recipe)
        if checkpoint is not None and Path(checkpoint).exists():
            run.resume(checkpoint)
        while not run.is_over():
            run.learn()
            if run.update % recipe.check_every == 0 or run.update == recipe.updates:
                run.look()
                if checkpoint is not None:
                    run.keep(checkpoint)
            if on_progress is not None:
                check = run.history[-1] if run.history else None
                on_progress(Progress(run.update, recipe.updates, run.loss, check))
        return TrainedModel(run.model, recipe, tuple(run.history))


def exact_match(model: Seq2Seq | TrainedModel, pairs: Pairs, *, batch: int = 256) -> float:
    """Return the share of pairs whose target greedy decoding writes exactly, to its end.

    Parameters
    ----------
    model : Seq2Seq or TrainedModel
        The model.
    pairs : sequence of (str, str)
        Source and correct target.
    batch : int
        Pairs looked at together; it changes nothing but the time.

    Raises
    ------
    CorpusError
        If there are no pairs, or one is not two texts.
    OptionError
        If ``batch`` is less than one.

    Notes
    -----
    Greedy decoding writes the correct target if and only if, fed the correct tokens, the model
    finds each next one the most probable. So nothing is decoded: one pass looks at all positions,
    which is several times faster.
    """
    if batch < 1:
        raise OptionError(f"batch={batch} is less than one", hint="for example batch=256")
    _check_pairs(pairs, "test")
    encoded = _Encoded(model.model if isinstance(model, TrainedModel) else model, pairs)
    return encoded.exact_match(np.arange(len(pairs)), batch)


class _Encoded:
    """Pairs as padded rows of token numbers; targets lie between START and END."""

    def __init__(self, model: Seq2Seq, pairs: Pairs) -> None:
        self.model = model
        self.sources, self.source_lengths = pad([model.source.encode(s) for s, _ in pairs])
        targets = [[START, *model.target.encode(target), END] for _, target in pairs]
        self.targets, self.target_lengths = pad(targets)

    def scores(self, rows: Int1d, noise: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
        """Return logits (n, t, outputs) at each target position, and the correct outputs (n, t)."""
        lengths = self.source_lengths[rows]
        sources = torch.from_numpy(self.sources[rows, : max(1, lengths.max())])
        targets = torch.from_numpy(self.targets[rows, : self.target_lengths[rows].max()])
        memory, state = self.model.encode(sources, torch.from_numpy(lengths), noise)
        scores, _ = self.model.write(targets[:, :-1], state, memory, noise)
        return scores, targets[:, 1:] - FIRST_OUTPUT

    def exact_match(self, rows: Int1d, batch: int = 256) -> float:
        rows = rows[np.argsort(self.target_lengths[rows], kind="stable")]
        right = 0
        with torch.inference_mode():
            for start in range(0, len(rows), batch):
                scores, gold = self.scores(rows[start : start + batch])
                wrong = (scores.argmax(dim=2) != gold) & (gold != NO_OUTPUT)
                right += len(wrong) - int(wrong.any(dim=1).sum())
        return right / len(rows)


class _BatchOrder:
    """Which pairs each update learns from: a function of (seed, update).

    Each pool (the training pairs, the augmented pairs) is gone through in one random order after
    another, so all its pairs are seen equally often.
    """

    def __init__(self, recipe: Recipe, pools: Sequence[int]) -> None:
        self.recipe, self.pools = recipe, pools

    def batch(self, update: int) -> Int1d:
        """Return the rows of an update (counted from 0); the augmented pairs come last."""
        train, made = self.pools
        share = self.recipe.augmented_share * self.recipe.batch if made else 0.0
        # shares that are no whole number of pairs even out over the updates
        done, now = round(update * share), round((update + 1) * share)
        batch = self.recipe.batch
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
        size, seed = self.pools[pool], self.recipe.seed
        first = start // size
        rounds = [
            _random(seed, PERMUTATIONS + pool, turn).permutation(size)
            for turn in range(first, (stop - 1) // size + 1)
        ]
        stretch: Int1d = np.concatenate(rounds)[start - first * size : stop - first * size]
        return stretch


class _Run:
    """A training run after ``update`` updates."""

    def __init__(self, pairs: Pairs, augmented: Pairs, recipe: Recipe) -> None:
        self.recipe, self.update, self.loss = recipe, 0, math.nan
        self.history: list[Check] = []
        everything = [*pairs, *augmented]
        self.digest = hashlib.blake2b(json.dumps([len(pairs), everything]).encode()).hexdigest()
        source = Vocabulary.of(source for source, _ in everything)
        target = Vocabulary.of(target for _, target in everything)
        self.model = _build(recipe, source, target)
        self.optimiser = torch.optim.Adam(self.model.parameters(), fused=True)
        self.encoded = _Encoded(self.model, everything)
        pools = (len(pairs), len(augmented))
        self.order = _BatchOrder(recipe, pools)
        self.all_rows = np.arange(len(everything))
        self.checked_rows = _checked_rows(recipe, pools)
        self._loss_since_check = 0.0

    def is_over(self) -> bool:
        if self.update >= self.recipe.updates:
            return True
        last = self.history[-1] if self.history else None
        return (
            last is not None
            and last.pairs == len(self.all_rows)
            and last.exact_match >= self.recipe.stop_at
        )

    def learn(self) -> None:
        """Make one update."""
        noise = torch.Generator()
        noise.manual_seed(int(_random(self.recipe.seed, DROPOUT, self.update).integers(2**63)))
        rows = self.order.batch(self.update)
        lengths = self.encoded.target_lengths[rows]
        tokens = int((lengths - 1).sum())
        self.optimiser.zero_grad()
        self.loss = 0.0
        for piece in np.array_split(rows[np.argsort(lengths, kind="stable")], PIECES):
            if len(piece):
                loss = self._total_loss(piece, noise) / tokens
                torch.autograd.backward(loss)
                self.loss += loss.item()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip)
        self.optimiser.param_groups[0]["lr"] = self.recipe.learning_rate(self.update)
        self.optimiser.step()
        self.update += 1
        self._loss_since_check += self.loss

    def _total_loss(self, rows: Int1d, noise: torch.Generator) -> Tensor:
        scores, gold = self.encoded.scores(rows, noise)
        return cross_entropy(
            scores.flatten(0, 1), gold.flatten(), ignore_index=NO_OUTPUT, reduction="sum"
        )

    def look(self) -> None:
        """Measure training exact match: on a sample, and on all pairs if that could end the run."""
        rows = self.checked_rows
        exact = self.encoded.exact_match(rows)
        last_look = self.update == self.recipe.updates
        if len(rows) < len(self.all_rows) and (exact >= self.recipe.stop_at or last_look):
            rows = self.all_rows
            exact = self.encoded.exact_match(rows)
        since = self.update - (self.history[-1].update if self.history else 0)
        loss, self._loss_since_check = self._loss_since_check / since, 0.0
        self.history.append(Check(self.update, loss, exact, len(rows)))

    def keep(self, path: PathLike) -> None:
        """Write a checkpoint."""
        trained = TrainedModel(self.model, self.recipe, tuple(self.history))
        state = self.optimiser.state
        moments = {
            f"adam.{moment}.{name}": state[parameter][moment]
            for name, parameter in self.model.named_parameters()
            for moment in MOMENTS
        }
        _write(path, trained, moments, self.digest)

    def resume(self, path: PathLike) -> None:
        """Go on from a checkpoint."""
        trained, moments, digest = _read(path)
        if not moments:
            raise SchemaError(
                "a finished model cannot be resumed: the state of the optimiser is not in the file",
                where=str(path),
                hint="name a checkpoint, or a file that does not exist yet",
            )
        if trained.recipe != self.recipe or digest != self.digest:
            raise OptionError(
                "the checkpoint belongs to another recipe or to other pairs",
                where=str(path),
                hint="train as before, delete the checkpoint, or name another file",
            )
        self.history = list(trained.history)
        self.update = self.history[-1].update
        self.model.load_state_dict(trained.model.state_dict())
        names = [name for name, _ in self.model.named_parameters()]
        state = {
            number: {"step": torch.tensor(float(self.update))}
            | {moment: moments[f"adam.{moment}.{name}"] for moment in MOMENTS}
            for number, name in enumerate(names)
        }
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": state, "param_groups": groups})


def _build(recipe: Recipe, source: Vocabulary, target: Vocabulary) -> Seq2Seq:
    with torch.random.fork_rng(devices=[]):
        seed = int(_random(recipe.seed, FIRST_WEIGHTS, 0).integers(2**63))
        torch.default_generator.manual_seed(seed)
        return Seq2Seq(
            source,
            target,
            embedding=recipe.embedding,
            hidden=recipe.hidden,
            layers=recipe.layers,
            dropout=recipe.dropout,
        )


def _checked_rows(recipe: Recipe, pools: Sequence[int]) -> Int1d:
    draw = _random(recipe.seed, CHECKED, 0)
    chosen = [draw.permutation(size)[: recipe.checked_pairs] for size in pools]
    return np.concatenate([chosen[0], chosen[1] + pools[0]])


def _random(seed: int, purpose: int, index: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=[seed, purpose], counter=[0, 0, 0, index]))


@contextmanager
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _check_pairs(pairs: Pairs, kind: str) -> None:
    if not len(pairs):
        raise CorpusError(f"there are no {kind} pairs", hint="pass at least one (source, target)")
    for number, pair in enumerate(pairs):
        if len(pair) != 2 or not all(isinstance(side, str) for side in pair):
            raise CorpusError(
                f"{pair!r} is not a pair of texts",
                where=f"{kind} pair {number}",
                hint="pass (source, target), both space-separated tokens",
            )


def _write(path: PathLike, trained: TrainedModel, moments: dict[str, Tensor], digest: str) -> None:
    tensors = {f"model.{name}": value for name, value in trained.model.state_dict().items()}
    header = {
        "schema": SCHEMA,
        "recipe": asdict(trained.recipe),
        "source": trained.model.source.tokens,
        "target": trained.model.target.tokens,
        "history": trained.history,
        "data": digest,
    }
    # one entry, because safetensors writes several in no fixed order
    metadata = {"treewright": json.dumps(header)}
    with atomic_output(path) as temporary:
        save_file(tensors | moments, temporary, metadata)


def _read(path: PathLike) -> tuple[TrainedModel, dict[str, Tensor], str]:
    """Return the model, what else was kept with it, and the digest of its pairs."""
    try:
        with safe_open(path, framework="pt") as file:
            header = json.loads((file.metadata() or {})["treewright"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if header["schema"] != SCHEMA:
            raise SchemaError(
                f"the file follows {header['schema']!r}, not {SCHEMA!r}",
                where=str(path),
                hint="train the model again, or read it with the version that wrote it",
            )
        recipe = Recipe(**header["recipe"])
        model = _build(recipe, Vocabulary(header["source"]), Vocabulary(header["target"]))
        names = [name for name in tensors if name.startswith("model.")]
        model.load_state_dict({name.removeprefix("model."): tensors.pop(name) for name in names})
        history = tuple(Check(*look) for look in header["history"])
        return TrainedModel(model, recipe, history), tensors, str(header["data"])
    except SchemaError:
        raise
    except OSError as error:
        raise UnreadableInputError(
            f"cannot read the file: {error.strerror or error}",
            where=str(path),
            hint="check the path",
        ) from None
    except (SafetensorError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise SchemaError(
            f"not a complete model file: {error}",
            where=str(path),
            hint="train the model again, or fetch the file again",
        ) from None

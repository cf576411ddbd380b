"""Training a sequence-to-sequence model, reproducibly and without a look at test data.

Everything random is a function of (seed, update): the batches, the dropout masks and the first
weights. A checkpoint therefore needs only the weights and Adam's two moments, and a run that was
killed and resumed ends with the same bits as one that was not.

Training stops early on exact match over the *training* pairs (augmented ones included). Validation
pairs, where they are given, do not stop it: all that they can change is the learning rate of a
config whose schedule is "plateau". How well the model does on a test set is for the caller to
measure afterwards with :func:`exact_match`.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from grammar.engines.threads import SharedLock
from grammar.errors import CorpusError, OptionError, SchemaError
from grammar.options import whole_number
from scan.models.batches import (
    DROPOUT,
    BatchOrder,
    Mixing,
    checked_rows,
    draw_mixing,
    random_stream,
)
from scan.models.config import TrainingConfig
from scan.models.encoder_decoder import EncoderDecoder, Mixture
from scan.models.files import Check, TrainedModel, build_model, read_model, write_model
from scan.models.vocabulary import END, FIRST_OUTPUT, PAD, START, pad, vocabularies

__all__ = ["Check", "Progress", "TrainedModel", "TrainingConfig", "exact_match", "train"]

Pairs = Sequence[tuple[str, str]]
PathLike = str | os.PathLike[str]
Int1d = npt.NDArray[np.int64]

PIECES = 2
"""A batch is computed in this many pieces, of short and of long targets, which saves padding.
Whole batches of one length would save more, but each is then the gradient of one kind of task,
and learning takes twice as many steps (measured on the jump split of SCAN)."""
NO_OUTPUT = PAD - FIRST_OUTPUT
MOMENTS = ("exp_avg", "exp_avg_sq")


_TRAINING = SharedLock()


class Progress(NamedTuple):
    """What a callback is told after each update (steps done, of how many at most, loss) and the
    last look at training, if there was one.

    >>> def tell(progress: Progress) -> None:
    ...     print(f"{progress.update} of {progress.steps}: loss {progress.loss:.2f}")
    >>> tell(Progress(10, 100, 0.5, None))
    10 of 100: loss 0.50
    """

    update: int
    steps: int
    loss: float
    check: Check | None


def train(
    pairs: Pairs,
    *,
    augmented: Pairs = (),
    validation: Pairs = (),
    config: TrainingConfig | None = None,
    checkpoint: PathLike | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> TrainedModel:
    """Train a model on pairs of space-separated source and target.

    Parameters
    ----------
    pairs : sequence of (str, str)
        The training pairs.
    augmented : sequence of (str, str)
        Made pairs; ``config.augmented_share`` of each batch is drawn from them.
    validation : sequence of (str, str)
        Pairs that are not learnt from. All looks but the last measure these, not training pairs,
        and training goes on to the last update.
    config : TrainingConfig, optional
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
        If the checkpoint belongs to another config or to other pairs.

    Notes
    -----
    Runs on one core, so that results do not depend on how many there are and several runs can
    share a machine. Adam, without weight decay; the gradient is that of the mean loss a token.

    Examples
    --------
    >>> from scan import TrainingConfig, exact_match
    >>> pairs = [("jump", "I_JUMP"), ("run", "I_RUN")]
    >>> model = train(pairs, config=TrainingConfig(steps=300))  # doctest: +SKIP
    >>> exact_match(model, pairs)  # doctest: +SKIP
    1.0
    """
    config = config or TrainingConfig()
    _check_pairs(pairs, "training")
    for part, kind in ((augmented, "augmented"), (validation, "validation")):
        if part:
            _check_pairs(part, kind)
    with _one_thread():
        run = _Run(pairs, augmented, validation, config)
        if checkpoint is not None and Path(checkpoint).exists():
            run.resume(checkpoint)
        while not run.is_over():
            run.learn()
            if run.update % config.check_every == 0 or run.ends_schedule():
                run.look()
                if checkpoint is not None:
                    run.keep(checkpoint)
            if on_progress is not None:
                check = run.history[-1] if run.history else None
                on_progress(Progress(run.update, run.most_steps(), run.loss, check))
        return TrainedModel(run.model, config, tuple(run.history))


def exact_match(model: EncoderDecoder | TrainedModel, pairs: Pairs, *, batch: int = 256) -> float:
    """Return the share of pairs whose target greedy decoding writes exactly, to its end.

    Parameters
    ----------
    model : EncoderDecoder or TrainedModel
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

    Examples
    --------
    >>> from scan import train
    >>> pairs = [("jump", "I_JUMP"), ("run", "I_RUN")]
    >>> exact_match(train(pairs), pairs)  # doctest: +SKIP
    1.0
    """
    whole_number("batch", batch, 1)
    _check_pairs(pairs, "test")
    encoded = _Encoded(model.model if isinstance(model, TrainedModel) else model, pairs)
    return encoded.exact_match(np.arange(len(pairs)), batch)


class _Encoded:
    """Pairs as padded rows of token numbers; targets lie between START and END."""

    def __init__(self, model: EncoderDecoder, pairs: Pairs) -> None:
        self.model = model
        self.sources, self.source_lengths = pad([model.encode_source(s) for s, _ in pairs])
        targets = [[START, *model.encode_target(*pair), END] for pair in pairs]
        self.targets, self.target_lengths = pad(targets)

    def scores(self, rows: Int1d, noise: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
        """Return logits (n, t, outputs) at each target position, and the correct outputs (n, t)."""
        sources, lengths, targets = self._padded(rows[None])
        memory, state = self.model.encode(sources[0], lengths, noise)
        scores, _ = self.model.write(targets[0, :, :-1], state, memory, noise)
        return scores, targets[0, :, 1:] - FIRST_OUTPUT

    def mixed_scores(
        self, rows: Int1d, partners: Int1d, shares: Tensor, noise: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """Return logits (n, t, outputs) for mixed pairs, and correct outputs (2, n, t) of both."""
        sources, lengths, targets = self._padded(np.stack([rows, partners]))
        # the end of the shorter target must not be mixed into the longer, which goes on
        fed = targets[:, :, :-1].masked_fill(targets[:, :, :-1] == END, PAD)
        memory, state = self.model.encode(sources[0], lengths, noise, Mixture(sources[1], shares))
        scores, _ = self.model.write(fed[0], state, memory, noise, Mixture(fed[1], shares))
        return scores, targets[:, :, 1:] - FIRST_OUTPUT

    def _padded(self, rows: npt.NDArray[np.int64]) -> tuple[Tensor, Tensor, Tensor]:
        """Return sources (k, n, s), the largest lengths of each k of them, and targets (k, n, t).

        ``rows`` (k, n) are the pairs; each k are padded to one length.
        """
        lengths = self.source_lengths[rows].max(axis=0)
        sources = torch.from_numpy(self.sources[rows, : max(1, lengths.max())])
        targets = torch.from_numpy(self.targets[rows, : self.target_lengths[rows].max()])
        return sources, torch.from_numpy(lengths), targets

    def exact_match(self, rows: Int1d, batch: int = 256) -> float:
        rows = rows[np.argsort(self.target_lengths[rows], kind="stable")]
        right = 0
        with torch.inference_mode():
            for start in range(0, len(rows), batch):
                scores, gold = self.scores(rows[start : start + batch])
                wrong = (scores.argmax(dim=2) != gold) & (gold != NO_OUTPUT)
                right += len(wrong) - int(wrong.any(dim=1).sum())
        return right / len(rows)


class _Run:
    """A training run after ``update`` steps."""

    def __init__(
        self, pairs: Pairs, augmented: Pairs, validation: Pairs, config: TrainingConfig
    ) -> None:
        self.config, self.update, self.loss = config, 0, math.nan
        self.history: list[Check] = []
        everything, pools = [*pairs, *augmented, *validation], (len(pairs), len(augmented))
        self.digest = hashlib.blake2b(json.dumps([pools, everything]).encode()).hexdigest()
        self.model = build_model(config, *vocabularies(everything, copy=config.copy))
        self.optimiser = torch.optim.Adam(self.model.parameters(), fused=True)
        self.encoded = _Encoded(self.model, everything)
        self.order = BatchOrder(config, pools)
        self.all_rows, held_out = np.split(np.arange(len(everything)), [sum(pools)])
        self.checked = held_out if validation else checked_rows(config, pools)
        self.stop_at = math.inf if validation else config.stop_at
        self._loss_since_check = 0.0

    def ends_schedule(self) -> bool:
        """Tell whether the learning rates were all used up by the last update."""
        return self.update % self.config.steps == 0

    def most_steps(self) -> int:
        """Return the steps at most, twice as many once it is seen that they are too few."""
        steps = self.config.steps
        ends = [check.exact_match for check in self.history if check.update == steps]
        return steps * (2 if ends and ends[0] < self.config.again_below else 1)

    def is_over(self) -> bool:
        if self.update >= self.most_steps():
            return True
        last = self.history[-1] if self.history else None
        return (
            last is not None
            and last.pairs == len(self.all_rows)
            and last.exact_match >= self.stop_at
        )

    def learn(self) -> None:
        """Make one update."""
        noise = torch.Generator()
        noise.manual_seed(
            int(random_stream(self.config.seed, DROPOUT, self.update).integers(2**63))
        )
        rows, mixing = self.order.batch(self.update), draw_mixing(self.config, self.update)
        lengths = self.encoded.target_lengths[rows]
        # a mixed batch has as many: each pair is in it as itself and as a partner
        tokens = int((lengths - 1).sum())
        if mixing is not None:
            lengths = np.maximum(lengths, lengths[mixing.partners])
        self.optimiser.zero_grad()
        self.loss = 0.0
        for piece in np.array_split(np.argsort(lengths, kind="stable"), PIECES):
            if len(piece):
                loss = self._total_loss(rows, piece, mixing, noise) / tokens
                torch.autograd.backward(loss)
                self.loss += loss.item()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip)
        rate = self.config.learning_rate(self.update, (look.exact_match for look in self.history))
        self.optimiser.param_groups[0]["lr"] = rate
        self.optimiser.step()
        self.update += 1
        self._loss_since_check += self.loss

    def _total_loss(
        self, rows: Int1d, piece: Int1d, mixing: Mixing | None, noise: torch.Generator
    ) -> Tensor:
        """Return the loss of part of a batch, summed over its tokens."""
        if mixing is None:
            scores, gold = self.encoded.scores(rows[piece], noise)
            return cross_entropy(
                scores.flatten(0, 1), gold.flatten(), ignore_index=NO_OUTPUT, reduction="sum"
            )
        shares = torch.from_numpy(mixing.shares[piece])
        partners = rows[mixing.partners[piece]]
        scores, golds = self.encoded.mixed_scores(rows[piece], partners, shares, noise)
        by_output = scores.transpose(1, 2)
        first, second = (
            cross_entropy(by_output, gold, ignore_index=NO_OUTPUT, reduction="none").sum(dim=1)
            for gold in golds
        )
        return shares @ first + (1.0 - shares) @ second

    def look(self) -> None:
        """Measure exact match: of the pairs to check, and of all if that could end the run."""
        rows = self.checked
        exact = self.encoded.exact_match(rows)
        if exact >= self.stop_at or self.ends_schedule():
            rows = self.all_rows
            exact = self.encoded.exact_match(rows)
        since = self.update - (self.history[-1].update if self.history else 0)
        loss, self._loss_since_check = self._loss_since_check / since, 0.0
        self.history.append(Check(self.update, loss, exact, len(rows)))

    def keep(self, path: PathLike) -> None:
        """Write a checkpoint."""
        trained = TrainedModel(self.model, self.config, tuple(self.history))
        state = self.optimiser.state
        moments = {
            f"adam.{moment}.{name}": state[parameter][moment]
            for name, parameter in self.model.named_parameters()
            for moment in MOMENTS
        }
        write_model(path, trained, moments, self.digest)

    def resume(self, path: PathLike) -> None:
        """Go on from a checkpoint."""
        trained, moments, digest = read_model(path)
        if not moments:
            raise SchemaError(
                "a finished model cannot be resumed: the state of the optimiser is not in the file",
                where=str(path),
                hint="name a checkpoint, or a file that does not exist yet",
            )
        if trained.config != self.config or digest != self.digest:
            raise OptionError(
                "the checkpoint belongs to another config or to other pairs",
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


@contextmanager
def _one_thread() -> Iterator[None]:
    with _TRAINING:  # the number is of the whole process
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
        # a text of two characters has two parts that are texts
        if isinstance(pair, str) or len(pair) != 2 or not all(isinstance(s, str) for s in pair):
            raise CorpusError(
                f"{pair!r} is not a pair of texts",
                where=f"{kind} pair {number}",
                hint="pass (source, target), both space-separated tokens",
            )

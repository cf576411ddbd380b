"""The loop of ``transformers.Trainer`` over batches in a fixed order, and what is kept of it.

What is kept: the weights with the last loss that was a number, those that named the held examples
best, and on the disk all that is needed to go on with the same result.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.utils.data import Dataset

from classifiers.config import Pace
from classifiers.networks.checkpoints import Checkpoint, load_checkpoint, save_checkpoint
from grammar.errors import TrainingError
from sampling.neural.precision import is_low

__all__ = ["Course", "StoppedTrainingError", "learn"]

PARTS = 10
"""So often in a training is it judged and kept."""
Weights = dict[str, Tensor]


class StoppedTrainingError(TrainingError):
    """A training whose loss was no number any more.

    Attributes
    ----------
    update : int
        How many steps were made before; the weights are those after so many.
    model : FineTuned or None
        The classifier of that update.
    """

    update = 0
    model: Any = None


class Batches(Protocol):
    """What is learnt from: a batch for the places in an order."""

    size: int
    steps: int

    def __call__(self, places: list[int]) -> dict[str, Any]:
        """Return the batch of these places."""
        ...


@dataclass(frozen=True, kw_only=True)
class Course:
    """What is done beside learning.

    Attributes
    ----------
    judge : callable or None
        Returns how good the model is now, as numbers of which the first differing decides; the
        weights of the best update are those that are kept in the end.
    checkpoint : path or None
        Where the state is kept: a training that was stopped goes on from there.
    key : str
        A hash of all that decides the result: a state of another one is refused.
    on_update : callable or None
        Told the number of each update and its loss.
    """

    judge: Callable[[], tuple[float, ...]] | None = None
    checkpoint: Path | None = None
    key: str = ""
    on_update: Callable[[int, float], None] | None = None


@dataclass
class _Kept:
    """The state of a training, but for the weights as they are."""

    losses: list[float] = field(default_factory=list)
    good: tuple[int, Weights] | None = None
    tried: tuple[int, Weights] | None = None
    best: Weights = field(default_factory=dict)
    score: tuple[float, ...] = ()
    chosen: int = 0


def learn(
    model: Any, batches: Batches, config: Pace, device: torch.device, course: Course
) -> tuple[list[float], int]:
    """Let a model learn; its weights are those of the best update, or of the last.

    Parameters
    ----------
    model : Module
        With ``body`` and ``head``; it returns its loss for a batch.
    batches : Batches
        What it learns from.
    config : TrainingConfig
        The rate and its course, and numbers.
    device : torch.device
        Where the model is.
    course : Course
        What else is done.

    Returns
    -------
    losses : list of float
        Of every update.
    chosen : int
        After how many steps the weights are taken.

    Raises
    ------
    StoppedTrainingError
        If the loss is no number any more. The weights are then the last with which it was one.
    TrainingError
        If it never was a number.
    SchemaError, OptionError
        If the state is damaged, or is of another training.
    """
    kept, done = _Kept(), 0
    optimiser, schedule = _optimiser(model, config, batches.steps)
    begin = load_checkpoint(course.checkpoint, course.key)
    if begin is not None:
        done = begin.update
        model.load_state_dict({k: v.to(device) for k, v in begin.model.items()})
        _restore(optimiser, begin)
        kept.losses, kept.score, kept.chosen = begin.losses, begin.score, begin.chosen
        kept.best = dict(begin.best)
    left = batches.steps - done
    if left:
        watch = _watch(model, optimiser, kept, course, begin, batches.steps)
        with tempfile.TemporaryDirectory() as folder:
            trainer = _trainer()(
                model=model,
                args=_arguments(config, device, folder, left),
                train_dataset=_Places(done * batches.size, batches.steps * batches.size),
                data_collator=batches,
                optimizers=(optimiser, schedule(done)),
                callbacks=[watch],
            )
            try:
                trainer.train()
            except StoppedTrainingError:
                assert kept.good is not None
                model.load_state_dict(kept.good[1])
                model.eval()
                raise
    if kept.best:
        model.load_state_dict({k: v.to(device) for k, v in kept.best.items()})
    model.eval()
    return kept.losses, kept.chosen or batches.steps


class _Places(Dataset[int]):
    """The places in the order of examples, from one on."""

    def __init__(self, first: int, end: int) -> None:
        self.places = range(first, end)

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, index: int) -> int:
        return self.places[index]


def _trainer() -> Any:
    """Return the class of a trainer that takes examples as they come, and prints nothing."""
    from transformers import Trainer
    from transformers.trainer_callback import PrinterCallback

    class InOrder(Trainer):  # type: ignore[misc,unused-ignore]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self.remove_callback(PrinterCallback)

        def _get_train_sampler(self, *_: Any) -> Any:
            return torch.utils.data.SequentialSampler(self.train_dataset)  # type: ignore[arg-type]

    return InOrder


def _arguments(config: Pace, device: torch.device, folder: str, steps: int) -> Any:
    from transformers import TrainingArguments

    return TrainingArguments(
        output_dir=folder,
        max_steps=steps,
        per_device_train_batch_size=config.batch,
        learning_rate=config.learning_rate,
        max_grad_norm=1.0,
        bf16=is_low(config.precision, device),
        use_cpu=device.type == "cpu",
        seed=config.seed,
        save_strategy="no",
        logging_strategy="steps",
        logging_steps=1,
        logging_nan_inf_filter=False,
        disable_tqdm=True,
        report_to=[],
        remove_unused_columns=False,
        dataloader_pin_memory=False,
    )


def _optimiser(model: Any, config: Pace, steps: int) -> tuple[Any, Callable[[int], Any]]:
    """Return AdamW, with ten times the rate for the head, and the schedule from an update on."""
    groups = [
        {"params": list(model.body.parameters()), "lr": config.learning_rate},
        {"params": list(model.head.parameters()), "lr": 10 * config.learning_rate},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=config.weight_decay)
    rising = max(1, math.ceil(config.warmup_ratio * steps))
    falling = max(1, steps - rising)

    def factor(update: int) -> float:
        if update < rising:
            return (update + 1) / rising
        return max(0.0, (steps - update) / falling)

    def schedule(done: int) -> Any:
        return torch.optim.lr_scheduler.LambdaLR(optimiser, lambda update: factor(update + done))

    return optimiser, schedule


def _watch(
    model: nn.Module, optimiser: Any, kept: _Kept, course: Course, begin: Any, steps: int
) -> Any:
    """Return what hears losses, judges and keeps, and stops if a loss is no number."""
    from transformers import TrainerCallback, logging

    logging.set_verbosity_error()  # type: ignore[no-untyped-call,unused-ignore]
    before = 0 if begin is None else begin.update
    every = max(1, steps // PARTS)

    class Watch(TrainerCallback):
        def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            done = before + state.global_step
            if done == before and begin is not None:
                begin.set_random_numbers()
            if done % every == 0:
                kept.tried = done, _copied(model)

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if "loss" not in (logs or {}):
                return
            done, loss = before + state.global_step, float(logs["loss"])
            _check(loss, done, kept)
            kept.losses.append(loss)
            if course.on_update is not None:
                course.on_update(done, loss)
            if done % every == 0 or done == steps:
                _judge(model, kept, course, done)
                if course.checkpoint is not None:
                    state = _state(model, optimiser, kept, done, course.key)
                    save_checkpoint(course.checkpoint, state)

    return Watch()


def _check(loss: float, done: int, kept: _Kept) -> None:
    """Take the weights that were tried for good ones, if their loss is a number; else stop."""
    if math.isfinite(loss):
        kept.good, kept.tried = kept.tried or kept.good, None
        return
    what = f"the loss is {loss} at update {done}"
    hint = "lower the rate, or use precision='fp32'"
    if kept.good is None or not kept.good[0]:
        raise TrainingError(what, hint=hint)
    stopped = StoppedTrainingError(f"{what}; kept is the model after {kept.good[0]}", hint=hint)
    stopped.update = kept.good[0]
    raise stopped


def _judge(model: nn.Module, kept: _Kept, course: Course, done: int) -> None:
    if course.judge is None:
        return
    model.eval()
    score = course.judge()
    model.train()
    if not kept.score or score > kept.score:
        kept.score, kept.chosen, kept.best = score, done, _copied(model)


def _copied(model: nn.Module) -> Weights:
    return {name: value.detach().clone() for name, value in model.state_dict().items()}


def _state(model: nn.Module, optimiser: Any, kept: _Kept, done: int, key: str) -> Checkpoint:
    moments: dict[str, Tensor] = {}
    for number, weight in enumerate(_learning(optimiser)):
        held: Mapping[str, Tensor] = optimiser.state[weight]
        moments |= {f"{number}.{name}": torch.as_tensor(value) for name, value in held.items()}
    return Checkpoint.now(
        update=done, key=key, model=dict(model.state_dict()), moments=moments,
        best=kept.best, losses=kept.losses, score=kept.score, chosen=kept.chosen,
    )  # fmt: skip


def _restore(optimiser: Any, begin: Checkpoint) -> None:
    for number, weight in enumerate(_learning(optimiser)):
        names = ("step", "exp_avg", "exp_avg_sq")
        held = {name: begin.moments.get(f"{number}.{name}") for name in names}
        if held["step"] is not None:
            moved = {
                k: v.to(weight.device) for k, v in held.items() if k != "step" and v is not None
            }
            optimiser.state[weight] = {"step": held["step"], **moved}


def _learning(optimiser: Any) -> list[Tensor]:
    return [weight for group in optimiser.param_groups for weight in group["params"]]

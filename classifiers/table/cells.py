"""Cells of a table: each is one small file, and one whose settings changed is run again."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifiers.config import TrainingConfig
from classifiers.examples import read_examples
from classifiers.networks.batches import Read
from classifiers.networks.finetuning import FineTuned
from classifiers.scores import score
from classifiers.table.data import FewShot, corpus_of
from classifiers.table.files import Cell, Result, Wanted, read_done, run_missing
from classifiers.table.methods import Learnt, Method, Trial
from classifiers.training.train import Classifier, Training, trainer
from grammar.errors import CorpusError
from grammar.files import PathLike

__all__ = ["Cell", "Plan", "Result", "cells_of", "read_results", "run_cells"]

VERSION = 1
"""To be changed when cells of before are no longer what a run would give."""
DEVELOPMENT_SEED = 1000
FROZEN = ("encoder", "train", "head", "pooling", "max_length", "C", "class_weight", "seed")
"""What a frozen encoder reads of a config."""


@dataclass(frozen=True)
class Plan:
    """All cells of a table, and where they are kept.

    Attributes
    ----------
    data : sequence of FewShot
        Data sets.
    methods : sequence of Method
        What is compared.
    sizes : sequence of int
        Labelled examples a class.
    seeds : int
        How many samples.
    config : TrainingConfig
        What is trained: the same for all, the number of steps too.
    folder : path
        Where results are.
    ratio : int
        Half of the classes have so many times more examples.
    development : bool
        Draw with other seeds.
    """

    data: Sequence[FewShot]
    methods: Sequence[Method]
    sizes: Sequence[int]
    seeds: int
    config: TrainingConfig
    folder: PathLike
    ratio: int = 1
    development: bool = False


def cells_of(plan: Plan) -> list[tuple[Cell, FewShot, Method]]:
    """Return the cells: the first seed of every one comes before the second of any."""
    first = DEVELOPMENT_SEED if plan.development else 0
    return [
        (Cell(data.name, k, plan.ratio, method.name, first + seed), data, method)
        for seed, k, data, method in product(range(plan.seeds), plan.sizes, plan.data, plan.methods)
    ]


def run_cells(
    plan: Plan,
    *,
    budget: float | None = None,
    on_cell: Callable[[Result, int, int], None] | None = None,
) -> int:
    """Run what is not done, and return how many cells are left for want of time.

    Parameters
    ----------
    plan : Plan
        The cells.
    budget : float, optional
        Seconds. A cell is not begun if it would end after them, were it as slow as the slowest of
        its data set and method before it.
    on_cell : callable, optional
        Told each result, how many are done, and of how many.

    Raises
    ------
    OutputError
        If a file cannot be written.
    """
    training: list[Training] = []  # opened when a first cell is run
    ready = _Ready()

    def run(cell: Cell, data: FewShot, method: Method) -> Result:
        if not training:
            training.append(trainer(plan.config))
        few = data.sample(cell.k, cell.seed, cell.ratio)
        trial = Trial(data, cell.k, cell.seed, cell.ratio, few, plan.config, training[0])
        return _run(plan, cell, method, trial, ready)

    return run_missing(_wanted(plan, run), plan.folder, budget=budget, on_cell=on_cell)


def read_results(plan: Plan, *, strict: bool = True) -> list[Result]:
    """Read the cells of a plan that are done; without ``strict`` those of other settings too.

    Raises
    ------
    SchemaError
        If a file is no result of this version.
    """
    return read_done(_wanted(plan), plan.folder, strict=strict)


def _wanted(plan: Plan, run: Callable[..., Result] | None = None) -> list[Wanted]:
    return [
        Wanted(each[0], _digest(plan, *each), partial(run or _never, *each))
        for each in cells_of(plan)
    ]


def _never(*_: Any) -> Result:
    raise AssertionError("cells that are read are not run")


def _run(plan: Plan, cell: Cell, method: Method, trial: Trial, ready: _Ready) -> Result:
    digest = _digest(plan, cell, trial.data, method)
    begin = time.process_time()
    try:
        learnt = method.learn(method, trial)
    except CorpusError as error:  # it has nothing to give for these examples, which is a result
        seconds = round(time.process_time() - begin, 2)
        return Result(cell, digest, {}, 0, seconds, {"cannot": error.what})
    seconds = round(time.process_time() - begin, 2)
    scores = _scores(learnt, trial.data, ready)
    return Result(cell, digest, scores, learnt.made, seconds, dict(learnt.facts))


def _scores(learnt: Learnt, data: FewShot, ready: _Ready) -> dict[str, dict[str, float]]:
    made = {}
    for part, rows in data.tests.items():
        model = ready.of(learnt.model, data, part)
        found = score(model, read_examples(corpus_of(rows), classes=model.classes))
        made[part] = {
            "accuracy": round(100 * found.accuracy, 2),
            "macro F1": round(100 * found.macro_f1, 2),
        }
    return made


class _Ready:
    """Texts that are tested, as an encoder that learns reads them: they are prepared once."""

    def __init__(self) -> None:
        self._read: dict[tuple[str, str], Read] = {}

    def of(self, model: Classifier, data: FewShot, part: str) -> Classifier:
        """Return a classifier that has read a part."""
        if not isinstance(model, FineTuned):
            return model
        if (data.digest, part) not in self._read:
            texts = [text for text, _ in data.tests[part]]
            self._read[data.digest, part] = model.read(texts)
        return _Reader(model, self._read[data.digest, part])


@dataclass(frozen=True, eq=False)
class _Reader:
    """A classifier for texts that are prepared."""

    model: FineTuned
    read: Read

    @property
    def classes(self) -> tuple[str, ...]:
        return self.model.classes

    def probabilities(self, texts: Sequence[Any]) -> NDArray[np.float64]:
        return self.model.probabilities_of(self.read)


def _digest(plan: Plan, cell: Cell, data: FewShot, method: Method) -> str:
    held = {
        "version": VERSION,
        "config": _settings_of(plan.config),
        "data": data.digest,
        "sample": [cell.k, cell.ratio, cell.seed],
        "method": method.settings(data),
    }
    return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()[:16]


def _settings_of(config: TrainingConfig) -> dict[str, Any]:
    """Return what decides a training: of an encoder that does not learn, few of the options."""
    held = asdict(config)
    if config.linear:
        names = FROZEN if config.frozen else ("encoder", "C", "ngrams", "class_weight")
        return {name: held[name] for name in names}
    default = asdict(TrainingConfig())
    # what is off by default is left out where it is off, so that a new option changes no old cell
    return {k: v for k, v in held.items() if v != default[k] or v not in (None, 0, "", "none")}

"""Cells: from few sentences, with new ones of a method, something learns, and is tested."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from classifiers.structured.table.choice import RULE, Chosen, choose_method
from classifiers.structured.table.data import Annotated
from classifiers.structured.table.learners import Learner
from classifiers.structured.tasks import with_new
from classifiers.table.cells import DEVELOPMENT_SEED
from classifiers.table.files import Cell, Result, Wanted, read_done, run_missing
from classifiers.table.methods import versions_of
from grammar.errors import CorpusError, OptionError
from grammar.files import PathLike
from induction.corpus.corpus import PROVENANCE, Corpus
from sampling.expression import read_expression
from sampling.pipeline.augment import augment

__all__ = ["METHODS", "StructuredPlan", "expression_of", "read_structured", "run_structured"]

VERSION = 1
"""To be changed when cells of before are no longer what a run would give."""

_NONE, _REPLICATE, _AUTO = "none", "replicate", "auto"
_CONTROLS = ("random-word", "shuffle")
METHODS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "constituency": {
            "random-word": "random-word",
            "shuffle": "shuffle",
            "sub2": "sub2(task=constituency)",
        },
        "dependencies": {
            "random-word": "random-word",
            "shuffle": "shuffle(structure=dependency)",
            "sub2": "sub2(task=dependency)",
        },
        "tags": {
            "random-word": "random-word",
            "single-word": "sub2(task=tags, max_words=1)",
            "sub2": "sub2(task=tags)",
        },
        "spans": {
            "random-word": "random-word",
            "shuffle": "shuffle(structure=segments)",
            "label-wise": "label-wise",
            "synonym": "eda(alpha_ri=0, alpha_rs=0, alpha_rd=0, alpha_sr=0.3)",
            "mention-replacement": "mention-replacement",
            "sub2": "sub2(task=spans)",
        },
    }
)
"""What is compared with none and replicate, by task: names, and expressions."""


@dataclass(frozen=True)
class StructuredPlan:
    """All cells of a table, and where they are kept.

    Attributes
    ----------
    data : sequence of Annotated
        Data sets.
    learner : Learner
        What learns.
    methods : sequence of str
        ``none``, ``replicate``, names of :data:`METHODS`, expressions, or ``auto``, which chooses
        among those of the task, or none.
    sizes : sequence of int
        Sentences that are given.
    seeds : int
        How many samples.
    times : int
        New sentences for each that is given.
    folder : path
        Where results are.
    development : bool
        Draw with other seeds.
    """

    data: Sequence[Annotated]
    learner: Learner
    methods: Sequence[str]
    sizes: Sequence[int]
    seeds: int
    times: int
    folder: PathLike
    development: bool = False

    def wanted(self) -> list[Wanted]:
        """Return the cells: the first seed of every one comes before the second of any."""
        first = DEVELOPMENT_SEED if self.development else 0
        made = []
        for seed, k, data, method in product(
            range(first, first + self.seeds), self.sizes, self.data, self.methods
        ):
            name = f"{data.name}-{self.learner.task.name}-{self.learner.name}"
            cell = Cell(name, k, 1, method, seed)
            digest = self._digest(cell, data)
            made.append(Wanted(cell, digest, partial(self._run, cell, data, digest)))
        return made

    def _digest(self, cell: Cell, data: Annotated) -> str:
        expression = expression_of(self.learner.task.name, cell.method)
        held: dict[str, Any] = {
            "version": VERSION, "data": data.digest, "sample": [cell.k, cell.seed],
            **self.learner.settings(), "method": expression, "times": self.times,
            "versions": versions_of(expression) if expression else cell.method,
        }  # fmt: skip
        if data.by_label:
            held["sample"] += ["of each label"]
        if cell.method == _AUTO:
            tried = [expression_of(self.learner.task.name, name) for name in self._tried()]
            held |= {"rule": RULE, "tried": [[one, versions_of(one)] for one in tried]}
        return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()[:16]

    def _run(self, cell: Cell, data: Annotated, digest: str) -> Result:
        few = data.sample(cell.k, cell.seed)
        begin = time.process_time()
        facts: dict[str, Any] = {}
        method = cell.method
        if method == _AUTO:
            found = self._chosen(few, cell.seed)
            method = found.method or _NONE
            facts = {"chosen": method, "evidence": list(found.evidence)}
        try:
            corpus = self._with_new(few, method, cell.seed)
        except CorpusError as error:  # it has nothing to give for these, which is a result
            return Result(cell, digest, {}, 0, 0.0, {"cannot": error.what})
        scores = self.learner.score(corpus, data, cell.seed)
        seconds = round(time.process_time() - begin, 2)
        return Result(cell, digest, {"test": scores}, len(corpus) - len(few), seconds, facts)

    def _tried(self) -> list[str]:
        """Return what a choice is made from: the methods of the task that are no controls."""
        return [name for name in METHODS[self.learner.task.name] if name not in _CONTROLS]

    def _chosen(self, few: Corpus, seed: int) -> Chosen:
        made = partial(self._with_new, seed=seed)
        return choose_method(few, self._tried(), made, self.learner, seed)

    def _with_new(self, few: Corpus, method: str, seed: int) -> Corpus:
        if method == _NONE:
            return few
        if method == _REPLICATE:
            rows = [{"method": _REPLICATE}] * len(few) * self.times
            table = pa.concat_tables([few.table] * self.times)
            again = Corpus(table).with_column("provenance", pa.array(rows, PROVENANCE))
            return with_new(self.learner.task, few, again)
        expression = expression_of(self.learner.task.name, method)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fewer than were asked for: the cell says how many
            made = augment(few, expression, n=self.times * len(few), seed=seed).corpus
        return with_new(self.learner.task, few, made)


def expression_of(task: str, method: str) -> str:
    """Return what makes the new sentences of a method; nothing for none, replicate and auto.

    Raises
    ------
    OptionError
        If it is neither a row of the table nor an expression.
    """
    if method in (_NONE, _REPLICATE, _AUTO):
        return ""
    known = METHODS.get(task, {})
    try:
        return str(read_expression(known.get(method, method)))
    except OptionError as error:
        raise OptionError(
            f"{method!r} is neither a row of the table nor an expression: {error.what}",
            hint=f"rows are {', '.join((_NONE, _REPLICATE, *known, _AUTO))}",
        ) from None


def run_structured(
    plan: StructuredPlan,
    *,
    budget: float | None = None,
    on_cell: Callable[[Result, int, int], None] | None = None,
) -> int:
    """Run what is not done, and return how many cells are left for want of time."""
    return run_missing(plan.wanted(), plan.folder, budget=budget, on_cell=on_cell)


def read_structured(plan: StructuredPlan) -> list[Result]:
    """Read the cells of a plan that are done (raises SchemaError as ``read_results``)."""
    return read_done(plan.wanted(), plan.folder)

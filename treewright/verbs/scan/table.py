"""The verb scan table: many training runs, one small file each, and the table of them all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.console import Json, Quiet, need_torch, progress
from treewright.outputs import FILE, STORE, Encoding, Force
from treewright.terminal import say, show

if TYPE_CHECKING:
    from scan.experiment import Outcome
    from scan.table import Cell, Row

__all__ = ["table"]

SPLITS = (
    "simple", "length", "jump", "turn-left", "around-right", "opposite-right", "right",
    "jump-around-right", "mcd1", "mcd2", "mcd3",
)  # fmt: skip
METHODS = ("none", "geca", "synchronous")


def table(
    split: Annotated[
        list[str] | None, typer.Option(help="A split; may be repeated; by default all eleven.")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="none, worddrop, switchout, seqmix, geca, treemix, treemix-oracle, "
            "geca+treemix, sub2, synchronous or geca-code; none, geca and synchronous by default."
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Number of runs of each split and method.")] = 3,
    model: Annotated[
        list[str] | None, typer.Option(help="lstm, transformer, or both; lstm by default.")
    ] = None,
    results: Annotated[
        str,
        typer.Option(
            metavar=STORE,
            help="The folder of result files; runs found there are not run again.",
        ),
    ] = "scan-results",
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar=FILE, help="Write the table here: .md or .csv."),
    ] = None,
    plot: Annotated[
        str | None, typer.Option(metavar=FILE, help="Draw the table here: .svg or .png.")
    ] = None,
    run: Annotated[
        bool, typer.Option("--run/--no-run", help="Run what is missing, or only read.")
    ] = True,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of parallel runs, one core each; by default one for each core."
        ),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Steps instead of 4,000, for a short trial.")
    ] = None,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train on splits of SCAN with methods of augmentation, and print the table.

    Every run is a file of its own as soon as it ends, so this can be stopped and started again.
    With --no-run and no --split, --method or --model, all that is there is shown.

    Example: treewright scan table --split jump --method none --method synchronous --seeds 1
    """
    from scan.augmenters import AUGMENTERS
    from scan.models.config import MODELS
    from scan.table import cells, load_results, result_path, rows

    _check_outputs(output, plot)
    splits = _different(split or SPLITS)
    methods = _different(method or (METHODS if run else AUGMENTERS))
    models = _different(model or (MODELS[:1] if run else MODELS))
    wanted = cells(splits, methods, seeds, models)
    if run:
        missing = [cell for cell in wanted if not result_path(cell, results).exists()]
        _run_all(missing, results, steps, workers, quiet=quiet)
    found = {name: load_results(results, name) for name in models}
    if not (run or split):
        splits += sorted({each.split for runs in found.values() for each in runs} - {*splits})
    made = rows(found, splits, methods)
    _show(made, output, plot, as_json=as_json, quiet=quiet)


def _different(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _run_all(
    missing: list[Cell], results: str, steps: int | None, workers: int | None, *, quiet: bool
) -> None:
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    from grammar.files import made_folder

    if not missing:
        return
    need_torch()
    made_folder(results)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    pool = ProcessPoolExecutor(min(workers or cores or 1, len(missing)), get_context("spawn"))
    with progress(quiet=quiet) as bars, pool:
        task = bars.add_task("runs", total=len(missing), note="")
        try:
            running = [pool.submit(_run, cell, results, steps) for cell in missing]
            for done in as_completed(running):
                outcome = done.result()
                note = f"{outcome.split}, {outcome.method}: test exact {outcome.test_exact:.4f}"
                bars.update(task, advance=1, note=note)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _run(cell: Cell, results: str, steps: int | None) -> Outcome:
    from scan.table import run_cell

    shown = f"--split {cell.split} --method {cell.method} --model {cell.model}"
    tried = "" if steps is None else f" --steps {steps}"
    command = f"treewright scan table {shown} --seeds {cell.seed + 1}{tried}"
    return run_cell(cell, results, command=command, steps=steps)


def _check_outputs(output: str | None, plot: str | None) -> None:
    from grammar.errors import OptionError
    from grammar.pictures.svg import checked_suffix

    if plot is not None:
        checked_suffix(plot)
    if output is not None and Path(output).suffix not in (".md", ".csv"):
        raise OptionError(
            "the format cannot be inferred from the file name",
            where=output,
            hint="end it in .md or .csv",
        )


def _show(
    made: list[Row], output: str | None, plot: str | None, *, as_json: bool, quiet: bool
) -> None:
    import json

    from grammar.errors import MissingDataError
    from grammar.files import write_text
    from scan.table import HEADER, markdown_table, to_csv
    from scan.table_plot import draw_table

    if not made:
        raise MissingDataError("there are no results yet", hint="leave out --no-run")
    text = markdown_table(HEADER, [row.texts() for row in made])
    if as_json:
        show(json.dumps([line for row in made for line in row.facts()]))
    else:
        show(text)
    if output is not None:
        write_text(output, to_csv(made) if output.endswith(".csv") else text + "\n")
        say(f"written to {output}", quiet=quiet)
    if plot is not None:
        draw_table(made, plot)
        say(f"drawn in {plot}", quiet=quiet)

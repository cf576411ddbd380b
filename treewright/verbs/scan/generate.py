"""The verb scan generate: the whole language."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.console import Json, Quiet, show_facts
from treewright.outputs import FILE, Force
from treewright.pair_files import write_pair_file
from treewright.terminal import show

__all__ = ["generate"]


def generate(
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar=FILE, help=".txt for IN:/OUT: lines, or a corpus."),
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Enumerate all 20,910 commands with their actions.

    Example: treewright scan generate -o scan.txt
    """
    from scan.generator import generate as generate_language

    pairs = generate_language()
    if output is None:
        for row in pairs:
            show(f"IN: {row['text']} OUT: {row['target']}")
        return
    write_pair_file(pairs, output)
    show_facts({"output": output, "pairs": len(pairs)}, as_json=as_json, quiet=quiet)

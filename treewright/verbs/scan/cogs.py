"""The verb scan cogs: a part of COGS, or its targets in another form."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.console import Json, Quiet, show_facts
from treewright.outputs import FILE, Force
from treewright.pair_files import check_pair_output, read_pair_file, write_pair_file

__all__ = ["cogs"]


def cogs(
    source: Annotated[
        str,
        typer.Argument(
            help="train, dev, test or gen, below TREEWRIGHT_DATA; or a file of pairs whose targets "
            "are of the other form."
        ),
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar=FILE, help="A corpus, or .txt for IN:/OUT: lines."),
    ],
    form: Annotated[
        str, typer.Option(help="Form of the targets: original or variable-free.")
    ] = "original",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a part of COGS, or convert logical forms: both ways, exactly.

    With the variable-free form, an article that begins a sentence gets a small letter.

    Example: treewright scan cogs train -o train.jsonl --form variable-free
    """
    from scan.cogs.conversion import convert
    from scan.cogs.data import PARTS
    from scan.cogs.data import cogs as published_part

    check_pair_output(output)
    is_part = source in PARTS
    pairs = published_part(source) if is_part else read_pair_file(source)
    if not is_part or form != "original":
        pairs = convert(pairs, form)
    write_pair_file(pairs, output)
    facts = {"output": output, "form": form, "pairs": len(pairs)}
    show_facts(facts, as_json=as_json, quiet=quiet)

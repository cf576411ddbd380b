"""The verb scan split: the parts of a published split."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.console import Json, Quiet, show_facts
from treewright.outputs import FOLDER, Force

__all__ = ["split"]


def split(
    name: Annotated[str, typer.Argument(help="jump, length, around-right, ..., mcd1.")],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar=FOLDER, help="Output folder; created if needed."),
    ],
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the train and test part of a published split.

    Example: treewright scan split jump -o jump/
    """
    from grammar.files import made_folder
    from scan.splits import split as published_split
    from scan.splits import write_pairs

    parts = published_split(name)
    folder = made_folder(output)
    for part, pairs in (("train", parts.train), ("test", parts.test)):
        write_pairs(pairs, folder / f"{part}.txt")
    facts = {"split": name, "train": len(parts.train), "test": len(parts.test), "folder": output}
    show_facts(facts, as_json=as_json, quiet=quiet)

"""The verb scan geoquery: its parts, and new pairs."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.console import Json, Quiet, Seed, show_facts, warnings_said
from treewright.outputs import FOLDER, Force
from treewright.pair_files import write_pair_file

__all__ = ["geoquery"]


def geoquery(
    representation: Annotated[
        str, typer.Argument(help="funql, lambda, logic, sql or prolog, below TREEWRIGHT_DATA.")
    ],
    split: Annotated[str, typer.Argument(help="question, query (also: template) or length.")],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar=FOLDER, help="Output folder; created if needed."),
    ],
    method: Annotated[
        str | None,
        typer.Option(
            help="Also make new pairs from the training part: geca, synchronous, exchange or names."
        ),
    ] = None,
    n: Annotated[int, typer.Option("-n", min=0, help="The largest number of new pairs.")] = 1000,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the training, development and test part of GeoQuery, and pairs made from the first.

    In the query split, no template (a target without its names) is in two parts. New pairs go to
    the file made.jsonl.

    Example: treewright scan geoquery funql query -o geo --method exchange
    """
    from grammar.files import made_folder
    from scan.geoquery.augmentation import augment_geoquery
    from scan.geoquery.data import geoquery as published

    data = published(representation, split)
    parts = {"train": data.train, "dev": data.dev, "test": data.test}
    if method is not None:
        with warnings_said(quiet=quiet):
            parts["made"] = augment_geoquery(data, method, n=n, seed=seed)
    folder = made_folder(output)
    for name, part in parts.items():
        write_pair_file(part, str(folder / f"{name}.jsonl"))
    sizes = {name: len(part) for name, part in parts.items()}
    facts = {"representation": representation, "split": split, **sizes, "folder": output}
    show_facts(facts, as_json=as_json, quiet=quiet)

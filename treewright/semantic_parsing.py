"""The verbs scan cogs and scan geoquery: two more languages, as files that other verbs read."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.pair_files import check_pair_output, read_pair_file, write_pair_file
from treewright.screen import Json, Quiet, Seed, show_facts, warnings_said

__all__ = ["cogs", "geoquery"]


def cogs(
    source: Annotated[
        str,
        typer.Argument(
            help="train, dev, test or gen, below TREEWRIGHT_DATA; or a file of pairs whose targets "
            "are of the other form."
        ),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", help="A corpus, or .txt for IN:/OUT: lines.")
    ],
    form: Annotated[
        str, typer.Option(help="What targets are to be: original or variable-free.")
    ] = "original",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a part of COGS, or convert logical forms: both ways, exactly.

    With the variable-free form, an article that begins a sentence gets a small letter.

    Example: treewright scan cogs train -o train.jsonl --form variable-free
    """
    from scan.cogs import PARTS
    from scan.cogs import cogs as published_part
    from scan.cogs_conversion import convert

    check_pair_output(output)
    is_part = source in PARTS
    pairs = published_part(source) if is_part else read_pair_file(source)
    if not is_part or form != "original":
        pairs = convert(pairs, form)
    write_pair_file(pairs, output)
    facts = {"output": output, "form": form, "pairs": len(pairs)}
    show_facts(facts, as_json=as_json, quiet=quiet)


def geoquery(
    representation: Annotated[
        str, typer.Argument(help="funql, lambda, logic, sql or prolog, below TREEWRIGHT_DATA.")
    ],
    split: Annotated[str, typer.Argument(help="question, query (also: template) or length.")],
    output: Annotated[str, typer.Option("--output", "-o", help="A folder; made if not there.")],
    method: Annotated[
        str | None,
        typer.Option(
            help="Also make new pairs from the training part: geca, synchronous, exchange or names."
        ),
    ] = None,
    n: Annotated[int, typer.Option("-n", min=0, help="How many new pairs at most.")] = 1000,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the training, development and test part of GeoQuery, and pairs made from the first.

    In the query split, no template (a target without its names) is in two parts. New pairs go to
    the file made.jsonl.

    Example: treewright scan geoquery funql query -o geo --method exchange
    """
    from grammar.files import made_folder
    from scan.geoquery import geoquery as published
    from scan.geoquery_augmentation import augment_geoquery

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

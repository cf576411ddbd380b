"""The verb scan slog: a part of SLOG, or its targets in another form."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.console import Json, Quiet, show_facts
from treewright.outputs import FILE, Force
from treewright.pair_files import check_pair_output, read_pair_file, write_pair_file

__all__ = ["slog"]


def slog(
    source: Annotated[
        str,
        typer.Argument(
            help="train or dev, below TREEWRIGHT_DATA; a published .tsv or .tsv.gz file; or a file "
            "of pairs."
        ),
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar=FILE, help="A corpus, or .txt for IN:/OUT: lines."),
    ],
    form: Annotated[str, typer.Option(help="Form of the targets: published or terms.")] = (
        "published"
    ),
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a part of SLOG, or convert logical forms: both ways, exactly.

    With terms, an article that begins a sentence gets a small letter. What a grammar of terms
    writes with references is written out in the published form.

    Example: treewright scan slog train -o train.jsonl --form terms
    """
    from scan.slog.conversion import convert_slog
    from scan.slog.data import PARTS, read_slog
    from scan.slog.data import slog as published_part

    check_pair_output(output)
    if source in PARTS:
        pairs = published_part(source)
    else:
        is_published = source.removesuffix(".gz").endswith(".tsv")
        pairs = read_slog(source) if is_published else read_pair_file(source)
    pairs = convert_slog(pairs, form)
    write_pair_file(pairs, output)
    facts = {"output": output, "form": form, "pairs": len(pairs)}
    show_facts(facts, as_json=as_json, quiet=quiet)

"""The verb search: where a construction occurs in a treebank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.console import Json, Quiet, Seed, show_facts
from treewright.outputs import FILE, Force
from treewright.terminal import say, show

if TYPE_CHECKING:
    from grammar.search.frequencies import Frequencies
    from grammar.search.hits import Hits

__all__ = ["search"]

_SHOWN = 20


def search(
    trees: Annotated[
        str,
        typer.Argument(
            help="A file or folder of brackets, a table with a column tree, nltk:NAME, embedded, -."
        ),
    ],
    pattern: Annotated[str, typer.Argument(help="As TGrep2 has it: 'S < (NP=subject $.. VP)'.")],
    count: Annotated[
        list[str] | None,
        typer.Option(
            help="Count by label or words of the hits, or NAME.label or NAME.words of a node that "
            "has a name; may be repeated."
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(help="Count by a column of the table, or by file; may be repeated."),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=0, help="Only so many hits, drawn at random.")
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, help="How many hits or rows to show or draw.")
    ] = _SHOWN,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar=FILE,
            help="Write the hits, or the counts: .tsv, .csv, .jsonl or .parquet; or the trees with "
            "their hits marked: .svg or .png; or what stands at the hits, as trees: .mrg.",
        ),
    ] = None,
    node: Annotated[
        str | None, typer.Option(help="With .mrg: what stands at the node of this name instead.")
    ] = None,
    encoding: Annotated[str, typer.Option(help="Encoding of bracket files.")] = "utf-8",
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Search a treebank for a construction; show, count, draw or save what is found.

    Example: treewright search embedded 'PP < (IN < of) < NP=object' --count object.words --top 5
    """  # fmt: skip
    from grammar.errors import OptionError
    from induction.corpus.tree_variables import read_tree_variables

    treebank, variables = read_tree_variables(trees, encoding=encoding)
    unknown = [name for name in by or [] if name not in variables]
    if unknown:
        raise OptionError(
            f"the trees have no variable {unknown[0]!r}",
            where=trees,
            hint=f"there are: {', '.join(variables) or 'none; a folder has file'}",
        )
    hits = treebank.search(pattern)
    if sample is not None:
        hits = hits.sample(sample, seed)
    wanted = [*(by or []), *(count or [])]
    counts = hits.count(wanted, of_trees={n: variables[n] for n in by or []}) if wanted else None
    if as_json or not output:
        _show(hits, counts, top, as_json=as_json, quiet=quiet)
    if output:
        say(hits.summary(), quiet=quiet or as_json)
        _save(hits, counts, output, top, node)
        say(f"written to {output}", quiet=quiet)


def _show(hits: Hits, counts: Frequencies | None, top: int, *, as_json: bool, quiet: bool) -> None:
    table = hits[:top].to_arrow() if counts is None else counts.table[:top]
    if as_json:
        show_facts({**hits.facts(), "rows": table.to_pylist()}, as_json=True)
        return
    say(hits.summary(), quiet=quiet)
    for line in hits.lines(top) if counts is None else counts.lines(top):
        show(line)


def _save(hits: Hits, counts: Frequencies | None, output: str, top: int, node: str | None) -> None:
    from grammar.pictures.svg import SUFFIXES
    from induction.corpus.formats import write_batches

    if output.lower().endswith(SUFFIXES):
        hits.show(top).save(output)
        return
    if output.endswith((".mrg", ".mrg.gz")):
        hits.to_treebank(node).write(output)
        return
    table: Any = hits.to_arrow() if counts is None else counts.table
    write_batches([table], output)

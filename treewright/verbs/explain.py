"""The verb explain: what made one example, drawn."""

from __future__ import annotations

import warnings
from typing import Annotated

import typer

from treewright.console import Json, Quiet, show_facts
from treewright.outputs import FILE, Encoding, Force
from treewright.permissions import AllowNetwork
from treewright.terminal import say

__all__ = ["explain"]


def explain(
    output: Annotated[str, typer.Argument(help="A corpus that treewright made.")],
    identifier: Annotated[str, typer.Argument(metavar="ID", help="The id of the example.")],
    grammar: Annotated[
        str | None, typer.Option(help="The grammar of the example; shows its rules.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            help="The corpus of the parents. By default the one that the manifest beside OUT names."
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar=FILE,
            help="Draw to this file (.svg or .png): the parents with the exchanged or edited "
            "words, or the derivation as a tree.",
        ),
    ] = None,
    allow_network: AllowNetwork = False,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show the derivation of an example: parents with their spans, rules or fragments, the tree.

    Example: treewright explain new.jsonl treemix-0-17 --source train.jsonl --plot mix.svg
    """
    from grammar.pictures.svg import checked_suffix
    from sampling.explanations.explain import explain as explained

    if plot:
        checked_suffix(plot)
    found = explained(output, identifier, grammar=grammar, source=source)
    if found.note:
        say(f"{found.note}: --source", quiet=quiet)
    show_facts(found.to_dict() if as_json else found.lines(), as_json=as_json)
    if not plot:
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        found.draw(plot)
    if caught:  # one for each character that the fonts at hand lack
        say(f"some characters are not shown for want of a font: {caught[0].message}", quiet=quiet)
    say(f"drawn in {plot}", quiet=quiet)

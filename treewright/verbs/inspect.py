"""The verb inspect: describe a grammar of any family."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.console import Backbone, GrammarEncoding, Json, Quiet, show_facts
from treewright.outputs import FILE, Force
from treewright.terminal import say

__all__ = ["inspect"]


def inspect(
    grammar: Annotated[
        str, typer.Argument(metavar="GRAMMAR", help="A .json, text or .arrow file, or -.")
    ],
    lhs: Annotated[
        str | None, typer.Option(help="Symbol to show; by default the start symbol.")
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, help="Number of rules, fragments, heads or words to show.")
    ] = 20,
    check: Annotated[bool, typer.Option("--check", help="Show only the diagnostics.")] = False,
    normalise: Annotated[
        bool, typer.Option("--normalise", help="PCFG: make the weights of each symbol sum to one.")
    ] = False,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar=FILE,
            help="Draw the symbol's rules here (.svg or .png): their graph, or a gallery of "
            "fragments; of latent parsers, the states of all labels; of span grammars, the classes "
            "or the contexts and fillers of one.",
        ),
    ] = None,
    graphml: Annotated[
        str | None,
        typer.Option(
            metavar=FILE, help="Also write the grammar as a graph here, for Gephi or yEd."
        ),
    ] = None,
    encoding: GrammarEncoding = "utf-8",
    backbone: Backbone = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Describe a grammar: its diagnostics, its most ambiguous symbols, its rules.

    Example: treewright inspect wsj.json --lhs NP --top 5 --plot np.svg
    """
    from grammar.graph.graphml import write_graphml
    from grammar.opening import open_grammar
    from grammar.pictures.svg import checked_suffix

    if plot:
        checked_suffix(plot)
    loaded = open_grammar(grammar, normalise=normalise, encoding=encoding, backbone=backbone)
    look = loaded.describe(lhs, top)
    facts = look.to_dict(details=not check) if as_json else look.lines(details=not check)
    show_facts(facts, as_json=as_json)
    if plot:
        look.draw(plot)
        say(f"drawn in {plot}", quiet=quiet)
    if graphml:
        write_graphml(loaded.graph, graphml)
        say(f"graph in {graphml}", quiet=quiet)

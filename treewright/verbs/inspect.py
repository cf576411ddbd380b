"""The verb inspect: describe a grammar of any family."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.console import Backbone, GrammarEncoding, Json, Normalise, Quiet, show_facts
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
    normalise: Normalise = False,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar=FILE,
            help="Draw the symbol's rules here (.svg or .png): their graph, or a gallery of "
            "fragments; of latent parsers, the states of all labels; of span grammars, the classes "
            "or the contexts and substitutes of one.",
        ),
    ] = None,
    graphml: Annotated[
        str | None,
        typer.Option(
            metavar=FILE, help="Also write the grammar as a graph here, for Gephi or yEd."
        ),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Show instead which rules, and which pairs of rules, the texts of this file use: "
            "one a line, or any table.",
        ),
    ] = None,
    consumer: Annotated[
        str | None,
        typer.Option(
            help="Show instead how large the rows of this tool's parser become (llguidance), and "
            "whether its limit allows them."
        ),
    ] = None,
    spacing: Annotated[
        str,
        typer.Option(
            help="With --corpus or --consumer: between words a space (words), or nothing "
            "(characters)."
        ),
    ] = "words",
    encoding: GrammarEncoding = "utf-8",
    backbone: Backbone = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Describe a grammar: its diagnostics, its most ambiguous symbols, its rules.

    With --corpus it says which rules the texts of a corpus use, with --consumer whether a
    constrained decoder can read the grammar.

    Example: treewright inspect wsj.json --lhs NP --top 5 --plot np.svg
    """
    from grammar.graph.graphml import write_graphml
    from grammar.opening import open_grammar
    from grammar.pictures.svg import checked_suffix

    if plot:
        checked_suffix(plot)
    loaded = open_grammar(grammar, normalise=normalise, encoding=encoding, backbone=backbone)
    if consumer is not None:
        _show_forecast(loaded, grammar, consumer, spacing, as_json=as_json)
        return
    if corpus is not None:
        _show_coverage(loaded, grammar, corpus, spacing, as_json=as_json)
        return
    look = loaded.describe(lhs, top)
    facts = look.to_dict(details=not check) if as_json else look.lines(details=not check)
    show_facts(facts, as_json=as_json)
    if plot:
        look.draw(plot)
        say(f"drawn in {plot}", quiet=quiet)
    if graphml:
        write_graphml(loaded.graph, graphml)
        say(f"graph in {graphml}", quiet=quiet)


def _show_forecast(loaded: Any, path: str, consumer: str, spacing: str, *, as_json: bool) -> None:
    """Show what a tool has to do for a grammar."""
    from grammar.errors import OptionError
    from grammar.formats.forecast import forecast_cost

    pcfg = getattr(loaded, "pcfg", None)
    if pcfg is None:
        raise OptionError(
            "this grammar has no rules that other tools know", where=path,
            hint="leave --consumer out, or give a grammar of the model pcfg",
        )  # fmt: skip
    found = forecast_cost(pcfg, consumer, spacing=spacing)
    show_facts(found.to_dict() if as_json else found.lines(), as_json=as_json)


def _show_coverage(loaded: Any, path: str, corpus: str, spacing: Any, *, as_json: bool) -> None:
    """Show what the texts of a file use of a grammar."""
    from grammar.errors import OptionError
    from induction.corpus.formats import read_corpus
    from induction.counts.coverage import coverage

    if getattr(loaded, "pcfg", None) is None:
        raise OptionError(
            "no sentence can be parsed with this grammar", where=path,
            hint="leave --corpus out, or give a grammar of the model pcfg",
        )  # fmt: skip
    found = coverage(loaded, read_corpus(corpus).complete("text"), spacing=spacing)
    show_facts(found.to_dict() if as_json else found.lines(), as_json=as_json)

"""The verb inspect: what a grammar of any family is like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.opening import open_grammar
from treewright.screen import Json, Quiet, say, show_facts

if TYPE_CHECKING:
    from treewright.families import Look

__all__ = ["inspect"]

_WIDEST = 100


def inspect(
    grammar: Annotated[
        str, typer.Argument(metavar="GRAMMAR", help="A .json, text or .arrow file, or -.")
    ],
    lhs: Annotated[
        str | None, typer.Option(help="Show this symbol; else the start symbol.")
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, help="How many rules, fragments, heads or words to show.")
    ] = 20,
    check: Annotated[bool, typer.Option("--check", help="Only the check report.")] = False,
    normalise: Annotated[
        bool, typer.Option("--normalise", help="PCFG: make the weights of each symbol sum to one.")
    ] = False,
    plot: Annotated[
        str | None,
        typer.Option(
            help="Draw the symbol's rules here (.svg or .png): their graph, or a gallery of "
            "fragments; of latent parsers, the states of all labels; of span grammars, the classes "
            "or the contexts and fillers of one."
        ),
    ] = None,
    graphml: Annotated[
        str | None, typer.Option(help="Also write the grammar as a graph here, for Gephi or yEd.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look at a grammar: its health, its most ambiguous symbols, its rules.

    Example: treewright inspect wsj.json --lhs NP --top 5 --plot np.svg
    """
    from grammar.svg import checked_suffix
    from treewright.families import look_at

    if plot:
        checked_suffix(plot)
    loaded = open_grammar(grammar, normalise=normalise)
    look = look_at(loaded, lhs, top)
    facts = _json(look) if as_json else _lines(look)
    if not check:
        facts |= look.details if as_json else {k: _readable(v) for k, v in look.details.items()}
    show_facts(facts, as_json=as_json)
    if plot:
        look.draw(plot)
        say(f"drawn in {plot}", quiet=quiet)
    if graphml:
        _write_graphml(look.graph() if look.graph else loaded, graphml)
        say(f"graph in {graphml}", quiet=quiet)


def _write_graphml(graph: Any, path: str) -> None:
    import networkx as nx

    from grammar.errors import OptionError
    from grammar.files import atomic_output
    from grammar.grammar import Grammar

    if isinstance(graph, Grammar):
        graph.write_graphml(path)
        return
    if not isinstance(graph, nx.MultiDiGraph):
        raise OptionError(
            "grammars of this family are not written as GraphML",
            where=path,
            hint="the attribute 'graph' has it in Python",
        )
    with atomic_output(path) as temporary:
        nx.write_graphml_xml(graph, temporary)


def _json(look: Look) -> dict[str, Any]:
    report = look.report.to_dict() if look.report else {}
    return {"family": look.family, **look.facts, **report}


def _lines(look: Look) -> dict[str, Any]:
    report = dict(look.report.lines()) if look.report else {}
    facts = {name: _readable(value) for name, value in look.facts.items()}
    return {"family": look.family, **facts, **report}


def _readable(value: Any) -> Any:
    """Return facts as text for people; numbers and strings as they are."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_cell(count)}" for name, count in value.items())
    if not isinstance(value, list):
        return value
    if value and isinstance(value[0], dict):
        value = _table(value)
    elif value and isinstance(value[0], int):
        return ", ".join(map(_cell, value))
    return "\n  " + "\n  ".join(map(str, value)) if value else "none"


def _table(rows: list[dict[str, Any]]) -> list[str]:
    """Return rows in columns: numbers to the right, texts to the left."""
    names = list(rows[0])
    cells = [[_cell(row[name]) for name in names] for row in rows]
    numbers = [all(isinstance(row[name], int | float | None) for row in rows) for name in names]
    widths = [max(len(c[i]) for c in [names, *cells]) for i in range(len(names))]
    return [
        "  ".join(
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip(line, widths, numbers, strict=True)
        ).rstrip()
        for line in [names, *cells]
    ]


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return _shortened(", ".join(f"{name} {_cell(part)}" for name, part in value.items()))
    if isinstance(value, list):
        return " ".join(map(_cell, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 4].rpartition(',')[0]}, ..."

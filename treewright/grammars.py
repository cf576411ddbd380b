"""The verbs about grammars: inspect and sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.opening import open_grammar
from treewright.screen import (
    Json,
    Quiet,
    Seed,
    counted,
    read_length,
    say,
    show_facts,
)

if TYPE_CHECKING:
    import networkx as nx

    from grammar.grammar import Grammar
    from sampling.substitution import SubstitutionGrammar

__all__ = ["inspect", "sample"]

GrammarFile = Annotated[str, typer.Argument(metavar="GRAMMAR", help="A .json or text file, or -.")]


def inspect(
    grammar: GrammarFile,
    lhs: Annotated[str | None, typer.Option(help="Show the rules of this symbol.")] = None,
    top: Annotated[int, typer.Option(min=1, help="How many rules to show.")] = 20,
    check: Annotated[bool, typer.Option("--check", help="Only the check report.")] = False,
    normalise: Annotated[
        bool, typer.Option("--normalise", help="Make the weights of each symbol sum to one.")
    ] = False,
    plot: Annotated[str | None, typer.Option(help="Draw the symbol's surroundings here.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look at a grammar: its health, its rules, its graph.

    Example: treewright inspect wsj.json --lhs NP --top 5 --plot np.svg
    """
    loaded = open_grammar(grammar, normalise=normalise)
    symbol = lhs or loaded.graph.graph["start"]
    rules = _rules_of(loaded.graph, symbol)[:top]
    facts = _facts(loaded, as_json=as_json)
    if not check:
        facts[f"rules of {symbol}"] = rules if as_json else "\n  " + "\n  ".join(rules)
    show_facts(facts, as_json=as_json)
    if plot:
        from grammar.neighbourhood import draw_neighbourhood

        draw_neighbourhood(loaded.graph, symbol, plot, top=top)
        say(f"drawn in {plot}", quiet=quiet)


def sample(
    grammar: GrammarFile,
    n: Annotated[int, typer.Option("-n", min=0, help="How many sentences.")] = 10,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help=".parquet .arrow .jsonl .csv .tsv .txt; else shown."),
    ] = None,
    length: Annotated[
        str | None, typer.Option(help="Only sentences of so many words, exactly: 5:20.")
    ] = None,
    trees: Annotated[bool, typer.Option("--trees", help="With their trees.")] = False,
    start: Annotated[int, typer.Option(min=0, help="Number of the first example.")] = 0,
    normalise: Annotated[
        bool, typer.Option("--normalise", help="Make the weights of each symbol sum to one.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, help="Threads; they change nothing.")] = 1,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw sentences from a grammar, each with exactly its probability.

    Example: treewright sample wsj.json -n 1000 --length 5:20 --trees -o sentences.jsonl
    """
    from grammar.grammar import Grammar
    from induction.formats import check_output, write_batches
    from sampling.sentences import sentence_batches

    if output is not None:
        check_output(output)
    loaded = Grammar.load(grammar, normalise=normalise)
    batches = sentence_batches(
        loaded, n, seed=seed, start=start, length=read_length(length), trees=trees, workers=workers
    )
    if output is None:
        _print_examples(batches, trees=trees, as_json=as_json)
        return
    rows = write_batches(counted(batches, n, "sampling", quiet=quiet), output)
    show_facts({"output": output, "sentences": rows, "seed": seed}, as_json=as_json, quiet=quiet)


def _facts(grammar: Grammar | SubstitutionGrammar, *, as_json: bool) -> dict[str, Any]:
    from grammar.grammar import Grammar

    if isinstance(grammar, Grammar):
        report = grammar.check()
        return report.to_dict() if as_json else dict(report.lines())
    return {
        "family": "substitution",
        "method": grammar.method,
        "contexts": len(grammar.contexts),
        "fillers": len(grammar.fillers),
        "classes": len(grammar.class_offsets) - 1,
    }


def _rules_of(graph: nx.MultiDiGraph, symbol: str) -> list[str]:
    """Return the rules of a symbol as text, the most probable first."""
    node = f"symbol:{symbol}"
    if node not in graph:
        import difflib

        from grammar.errors import OptionError

        names = [data["name"] for _, data in graph.nodes(data=True) if data["kind"] == "symbol"]
        near = difflib.get_close_matches(symbol, names, 3) or names[:8]
        raise OptionError(f"the grammar has no symbol {symbol!r}", hint=f"try {', '.join(near)}")
    edges = sorted(graph.out_edges(node, data=True), key=lambda edge: -edge[2]["weight"])
    return [f"{_text_of(graph.nodes[rule])} [{data['weight']:.6g}]" for _, rule, data in edges]


def _print_examples(batches: Any, *, trees: bool, as_json: bool) -> None:
    import json

    for batch in batches:
        for row in batch.to_pylist():
            if as_json:
                print(json.dumps(row, ensure_ascii=False))
            else:
                print(row["tree"] if trees else row["text"])


def _text_of(rule: dict[str, Any]) -> str:
    return str(rule["text"] if "text" in rule else rule["pattern"])

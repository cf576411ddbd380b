"""Synchronous grammars at the command line: induced from pairs, looked at, sampled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.pair_files import check_pair_output, naming, read_pair_file, write_pair_tables
from treewright.screen import counted, read_length, say, show_facts

if TYPE_CHECKING:
    import networkx as nx

    from grammar.synchronous import SynchronousGrammar
    from induction.synchronous import SynchronousInduction
    from treewright.families import Look

__all__ = [
    "PURPOSES",
    "induce_from_pairs",
    "induce_from_term_pairs",
    "look_at_synchronous",
    "sample_pairs_to",
]

PURPOSES = {"sampling": "core", "parsing": "grammar", "reading": "rules"}
"""What a saved grammar is for, and the part of the induction that serves it."""

_BANDS = "condition on a depth or a length, which is exact: --depth 1:8, --source-length 1:9 ..."


def induce_from_pairs(
    path: str, output: str, options: dict[str, Any], *, as_json: bool, quiet: bool
) -> None:
    """Induce a synchronous grammar from a file of pairs, save it and say what was found."""
    from grammar.errors import OptionError
    from grammar.files import made_folder
    from induction.synchronous import induce_synchronous

    trace = options.pop("trace", None)
    purpose = options.pop("purpose", "sampling")
    if purpose not in PURPOSES:
        raise OptionError(f"unknown purpose {purpose!r}", hint=f"choose from {', '.join(PURPOSES)}")
    pairs = read_pair_file(path)
    say(f"read {len(pairs):,} pairs", quiet=quiet)
    folder = None if trace is None else made_folder(trace)
    with naming(path):
        found = induce_synchronous(pairs, **options, progress=lambda text: say(text, quiet=quiet))
    saved: SynchronousGrammar = getattr(found, PURPOSES[purpose])
    saved.save(output)
    if folder is not None:
        _save_trace(found, folder)
        say(f"{len(found.trace)} steps of the search are in {folder}", quiet=quiet)
    known = {"grammar": output, "model": "synchronous", "purpose": purpose, "pairs": len(pairs)}
    if as_json:
        show_facts(known | _facts(found, saved), as_json=True)
    elif not quiet:
        print(found)
        print(f"grammar         {output}: {len(saved)} rules of {len(saved.types)} types, "
              f"for {purpose}")  # fmt: skip


def induce_from_term_pairs(path: str, output: str, *, as_json: bool, quiet: bool) -> None:
    """Induce a synchronous grammar from a file of sentences and terms, save it and say so."""
    from grammar.errors import located
    from induction.synchronous_terms import induce_from_terms

    pairs = read_pair_file(path)
    say(f"read {len(pairs):,} pairs", quiet=quiet)
    rows = zip(pairs.column("text"), pairs.column("target"), strict=True)
    with located(path):
        found = induce_from_terms(rows, on_progress=lambda text: say(text, quiet=quiet))
    found.grammar.save(output)
    facts = {
        "grammar": output,
        "model": "terms",
        "pairs": len(pairs),
        "left_out": found.uncertain,
        "words": len(found.lexicon),
        "templates": len(found.templates),
        "rules": len(found.grammar),
        "types": len(found.grammar.types),
    }
    show_facts(facts, as_json=as_json, quiet=quiet)


def _save_trace(found: SynchronousInduction, folder: Path) -> None:
    """Write what each step of the search did, and the graph of the rules after it."""
    from grammar.files import write_text

    for number, step in enumerate(found.trace, start=1):
        step.grammar.save(folder / f"step-{number:02}.json")
    write_text(folder / "trace.txt", "".join(f"{step}\n" for step in found.trace))


def _facts(found: SynchronousInduction, saved: SynchronousGrammar) -> dict[str, Any]:
    return {
        "distinct_pairs": found.distinct_pairs,
        "underivable": found.underivable,
        "lexicon": {word: list(needed) for word, needed in found.lexicon.items()},
        "classes": [[source for source, _ in entries] for entries in found.classes],
        "confirmed": len(found.closure.confirmed),
        "refuted": len(found.closure.refuted),
        "added": list(found.added),
        "types": found.types,
        "type_scores": found.type_scores,
        "steps": len(found.trace),
        "rules": [str(rule) for rule in found.rules.rules],
        "saved_rules": len(saved),
        "saved_types": list(saved.types),
    }


def look_at_synchronous(grammar: SynchronousGrammar, symbol: str | None, top: int) -> Look:
    """Look at a synchronous grammar, and at the rules of one type."""
    from grammar.ambiguity import ambiguous_types
    from grammar.neighbourhood import draw_neighbourhood
    from treewright.families import Look, known_symbol

    symbol = known_symbol(symbol or grammar.start, grammar.types)
    report = grammar.check()
    types = ambiguous_types(grammar, bounded=report.source_bounded)
    rules = sorted((rule for rule in grammar if rule.rule.lhs == symbol), key=lambda r: -r.weight)
    return Look(
        "synchronous",
        lambda path: draw_neighbourhood(grammar.graph, symbol, path, top=top),
        facts={
            "start": grammar.start,
            "finite on average": _finite(report.source_bounded, report.target_bounded),
        },
        report=report,
        details={
            "entropy of types": [
                {"type": t.symbol, **dict(list(t._asdict().items())[1:])} for t in types
            ],
            f"rules of {symbol}": [
                f"{str(rule).removeprefix(f'{symbol} -> ')} [{weight:.6g}]"
                for rule, weight, _ in rules[:top]
            ],
        },
        graph=lambda: _plain_graph(grammar.graph),
    )


def _finite(source: bool, target: bool) -> str:
    if source and target:
        return "both sides, so pairs can be sampled freely"
    side = "the source only" if source else "the target only" if target else "no side"
    return f"{side}, so sample asks for --depth, --source-length or --target-length"


def _plain_graph(graph: nx.MultiDiGraph) -> nx.MultiDiGraph:
    """Return the graph with the places in the target as text: GraphML has no lists."""
    plain = graph.copy()
    for *_, data in plain.edges(data=True):
        if "targets" in data:
            data["targets"] = " ".join(map(str, data["targets"]))
    return plain


def sample_pairs_to(
    grammar: SynchronousGrammar,
    n: int,
    output: str | None,
    bands: dict[str, str | None],
    *,
    seed: int,
    start: int,
    uniform: bool,
    flat: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write pairs of a grammar to a file, or show them; bands are texts such as ``1:9``."""
    from grammar.errors import NotTightError, OptionError
    from sampling.pairs import pair_batches

    if output is not None:
        check_pair_output(output)
    given: dict[str, Any] = {
        name: read_length(text, name.replace("_", " ")) for name, text in bands.items()
    }
    if (uniform or flat) and not any(given.values()):
        raise OptionError("--uniform and --flat need a band", hint=_BANDS)
    try:
        batches = pair_batches(
            grammar, n, seed=seed, start=start, uniform=uniform, flat=flat, **given
        )
    except NotTightError as error:
        raise NotTightError(error.what, where=error.where, hint=_BANDS) from None
    if output is not None:
        rows = write_pair_tables(counted(batches, n, "sampling", quiet=quiet), output)
        show_facts({"output": output, "pairs": rows, "seed": seed}, as_json=as_json, quiet=quiet)
        return
    for batch in batches:
        for row in batch.to_pylist():
            line = f"IN: {row['text']} OUT: {row['target']}"
            print(json.dumps(row, ensure_ascii=False) if as_json else line)

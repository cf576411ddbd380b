"""The parents of an example, and the grammar that made it, from its source and its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from induction.corpus.corpus import Corpus
from sampling.examples.class_names import number_classes
from sampling.expression import read_expression
from sampling.method import induce
from sampling.spans.grammar import SpanGrammar

__all__ = ["grammar_of_manifest", "made_with", "parents_of"]


def parents_of(row: Mapping[str, Any], source: Corpus | None) -> list[dict[str, Any]]:
    """Return the rows of the parents of an example, or nothing if one is not in the source."""
    ids = (row.get("provenance") or {}).get("parents") or []
    if source is None or not ids:
        return []
    wanted = set(ids)
    numbers = {id: n for n, id in enumerate(source.column("id")) if id in wanted}
    return [source[numbers[id]] for id in ids] if wanted <= set(numbers) else []


def grammar_of_manifest(
    row: Mapping[str, Any], source: Corpus | None, manifest: Mapping[str, Any] | None
) -> SpanGrammar | None:
    """Return the span grammar of an example, induced again as its manifest says; None if it cannot.

    Only a method that stands in the expression once and alone is taken: the grammar of a later
    step of a chain is that of examples which were not kept.
    """
    if source is None or manifest is None:
        return None
    method = (row.get("provenance") or {}).get("method")
    steps = [
        part.steps[0]
        for part in read_expression(manifest["expression"]).parts
        if len(part.steps) == 1 and part.steps[0].method == method
    ]
    if len({str(step) for step in steps}) != 1:
        return None
    grammar = induce(steps[0].method, number_classes(source), **steps[0].options).grammar
    return grammar if made_with(row, grammar) else None


def made_with(row: Mapping[str, Any], grammar: SpanGrammar) -> bool:
    """Say whether the rules of an example are a host and a filler of its parents in a grammar."""
    made_by = row["provenance"]
    if grammar.method != made_by["method"] or len(made_by["rules"]) != 2:
        return False
    sites = len(grammar.sites)
    host, filler = made_by["rules"][0], made_by["rules"][1] - sites
    if not (0 <= host < sites and 0 <= filler < sites):
        return False
    examples = (int(grammar.sites.example[site]) for site in (host, filler))
    ids = grammar.examples.arrow("id")
    return bool([ids[i].as_py() for i in examples] == made_by["parents"])

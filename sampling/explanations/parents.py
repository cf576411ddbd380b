"""The parents of an example, and the grammar that made it, from its source and its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from induction.corpus.corpus import Corpus
from sampling.examples.class_names import number_classes
from sampling.expression import Step, read_expression
from sampling.method import find_method, induce
from sampling.operators.method import Operator
from sampling.spans.grammar import SpanGrammar

__all__ = ["grammar_again", "made_with", "parents_of", "step_of"]


def parents_of(row: Mapping[str, Any], source: Corpus | None) -> list[dict[str, Any]]:
    """Return the rows of the parents of an example, or nothing if one is not in the source."""
    ids = (row.get("provenance") or {}).get("parents") or []
    if source is None or not ids:
        return []
    wanted = set(ids)
    numbers = {id: n for n, id in enumerate(source.column("id")) if id in wanted}
    return [source[numbers[id]] for id in ids] if wanted <= set(numbers) else []


def step_of(row: Mapping[str, Any], manifest: Mapping[str, Any] | None) -> Step | None:
    """Return the step that made an example, as its manifest says; None if it does not.

    Of an operator it is the step of the method that it is applied to, which knows what was
    exchanged. Only a method that stands in the expression once and alone is taken: what a later
    step of a chain was induced from was not kept.
    """
    if manifest is None:
        return None
    method = (row.get("provenance") or {}).get("method")
    steps = [
        part.steps[0]
        for part in read_expression(manifest["expression"]).parts
        if len(part.steps) == 1 and part.steps[0].method == method
    ]
    return _beneath(steps[0]) if len({str(step) for step in steps}) == 1 else None


def _beneath(step: Step) -> Step:
    while issubclass(sampler := find_method(step.method).sampler, Operator):
        step = sampler.applied_to(step.options)
    return step


def grammar_again(
    step: Step | None, row: Mapping[str, Any], source: Corpus | None
) -> SpanGrammar | None:
    """Return the span grammar of an example, induced again by its step; None if it cannot."""
    if source is None or step is None:
        return None
    grammar = induce(step.method, number_classes(source), **step.options).grammar
    return grammar if made_with(row, grammar, step.method) else None


def made_with(row: Mapping[str, Any], grammar: SpanGrammar, method: str) -> bool:
    """Say whether the rules of an example are a host and a filler of its parents in a grammar."""
    made_by = row["provenance"]
    if grammar.method != method or len(made_by["rules"]) != 2:
        return False
    sites = len(grammar.sites)
    host, filler = made_by["rules"][0], made_by["rules"][1] - sites
    if not (0 <= host < sites and 0 <= filler < sites):
        return False
    examples = (int(grammar.sites.example[site]) for site in (host, filler))
    ids = grammar.examples.arrow("id")
    return bool([ids[i].as_py() for i in examples] == made_by["parents"])

"""The verb explain: the derivation behind one example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.screen import Json, Quiet, say, show_facts

if TYPE_CHECKING:
    from grammar.grammar import Grammar
    from grammar.tree import Tree
    from induction.corpus import Corpus
    from sampling.substitution import SubstitutionGrammar

__all__ = ["explain"]


def explain(
    output: Annotated[str, typer.Argument(help="A corpus that treewright made.")],
    identifier: Annotated[str, typer.Argument(metavar="ID", help="The id of the example.")],
    grammar: Annotated[
        str | None, typer.Option(help="The grammar it was made with: shows the rules used.")
    ] = None,
    plot: Annotated[str | None, typer.Option(help="Draw the tree here: .svg or .png.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show what made an example: its parents, its rules, its tree.

    Example: treewright explain sentences.jsonl 17 --grammar wsj.json --plot tree.svg
    """
    from grammar.errors import OptionError
    from induction.formats import read_corpus

    row = _find(read_corpus(output), identifier, output)
    made_by = row.get("provenance") or {}
    facts = {k: row[k] for k in ("id", "text", "target", "tree") if row.get(k) is not None}
    facts |= {k: v for k, v in made_by.items() if v not in (None, [])}
    loaded = _load(grammar) if grammar else None
    if loaded is not None and made_by.get("rules"):
        rules = _rules(loaded, made_by["rules"], grammar or "")
        facts["rules"] = rules if as_json else "\n  " + "\n  ".join(rules)
    tree = _tree(row, loaded)
    if tree is not None and not as_json:
        facts["tree"] = "\n" + tree.pretty()
    show_facts(facts, as_json=as_json)
    if plot:
        if tree is None:
            raise OptionError(
                "there is no tree to draw",
                where=f"{output}, id {identifier}",
                hint="sample with --trees, or name the PCFG with --grammar",
            )
        from grammar.draw import draw_tree

        draw_tree(tree, plot)
        say(f"drawn in {plot}", quiet=quiet)


def _find(corpus: Corpus, identifier: str, source: str) -> dict[str, Any]:
    ids = corpus.column("id")
    if identifier not in ids:
        from grammar.errors import OptionError

        raise OptionError(
            f"no example has the id {identifier!r}",
            where=source,
            hint=f"the ids are {', '.join(ids[:3])}, ... ({len(ids):,} in all)",
        )
    return corpus[ids.index(identifier)]


def _load(path: str) -> Grammar | SubstitutionGrammar:
    from treewright.opening import open_grammar

    return open_grammar(path)


def _rules(grammar: Grammar | SubstitutionGrammar, numbers: list[int], source: str) -> list[str]:
    from grammar.errors import OptionError
    from grammar.grammar import Grammar

    if isinstance(grammar, Grammar):
        known = len(grammar)
        texts = [str(grammar.production(n)) for n in numbers if n < known]
    else:
        patterns = [*grammar.contexts, *grammar.fillers]
        known = len(patterns)
        kinds = ["context" if n < len(grammar.contexts) else "filler" for n in numbers]
        texts = [f"{k}  {patterns[n]}" for k, n in zip(kinds, numbers, strict=True) if n < known]
    if len(texts) < len(numbers):
        raise OptionError(
            f"the example uses rule {max(numbers)}, but the grammar has only {known}",
            where=source,
            hint="name the grammar that the example was made with",
        )
    return texts


def _tree(row: dict[str, Any], grammar: Grammar | SubstitutionGrammar | None) -> Tree | None:
    from grammar.grammar import Grammar
    from grammar.tree import Tree

    if row.get("tree"):
        return Tree.parse(row["tree"])
    rules = (row.get("provenance") or {}).get("rules")
    if not rules or not isinstance(grammar, Grammar):
        return None
    import numpy as np

    from grammar.derivations import Derivations
    from grammar.errors import OptionError
    from sampling.sentences import sentence_trees

    if not _derives(grammar, rules):
        raise OptionError(
            "the rules of the example are no derivation of this grammar",
            where=f"id {row['id']}",
            hint="name the grammar that the example was made with",
        )
    derivation = Derivations(
        np.zeros(0, np.int32),
        np.zeros(2, np.int64),
        np.array(rules, np.int32),
        np.array([0, len(rules)]),
        np.zeros(1),
    )
    return sentence_trees(grammar, derivation)[0]


def _derives(grammar: Grammar, rules: list[int]) -> bool:
    """Say whether the rules, in preorder, expand the start symbol and leave nothing open."""
    waiting = [grammar.start]
    for number in rules:
        production = grammar.production(number)
        if not waiting or waiting.pop() != production.lhs.name:
            return False
        waiting += [c.name for c in reversed(production.rhs) if not isinstance(c, str)]
    return not waiting

"""The verb explain: the derivation behind one example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.opening import open_grammar
from treewright.screen import Json, Quiet, say, show_facts

if TYPE_CHECKING:
    from grammar.grammar import Grammar
    from grammar.tree import Tree
    from grammar.tsg import TreeSubstitutionGrammar
    from induction.corpus import Corpus
    from treewright.opening import AnyGrammar

__all__ = ["explain"]


def explain(
    output: Annotated[str, typer.Argument(help="A corpus that treewright made.")],
    identifier: Annotated[str, typer.Argument(metavar="ID", help="The id of the example.")],
    grammar: Annotated[
        str | None, typer.Option(help="The grammar it was made with: shows the rules used.")
    ] = None,
    plot: Annotated[
        str | None, typer.Option(help="Draw the derivation here: .svg or .png.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show what made an example: its parents, its rules or fragments, its tree.

    Example: treewright explain sentences.jsonl 17 --grammar wsj.json --plot tree.svg
    """
    from grammar.svg import checked_suffix
    from induction.formats import read_corpus

    if plot:
        checked_suffix(plot)
    row = _find(read_corpus(output), identifier, output)
    made_by = row.get("provenance") or {}
    facts = {k: row[k] for k in ("id", "text", "target", "tree") if row.get(k) is not None}
    facts |= {k: v for k, v in made_by.items() if v not in (None, [])}
    loaded = open_grammar(grammar) if grammar else None
    numbers = made_by.get("rules") or []
    if loaded is not None and numbers:
        what, rules = _rules(loaded, numbers, grammar or "")
        facts.pop("rules")
        facts[what] = rules if as_json else "\n  " + "\n  ".join(rules)
    tree = _tree(row, loaded)
    if tree is not None and not as_json:
        facts["tree"] = "\n" + tree.pretty()
    show_facts(facts, as_json=as_json)
    if plot:
        _draw(tree, loaded, numbers, plot, f"{output}, id {identifier}")
        say(f"drawn in {plot}", quiet=quiet)


def _draw(
    tree: Tree | None, grammar: AnyGrammar | None, rules: list[int], plot: str, where: str
) -> None:
    """Draw the derivation by fragments, if there is one, and the tree otherwise."""
    from grammar.draw import draw_tree
    from grammar.errors import OptionError
    from grammar.gallery import draw_derivation
    from grammar.lexicalised import LexicalisedGrammar
    from grammar.parses import tree_of_rules
    from grammar.tsg import TreeSubstitutionGrammar

    if isinstance(grammar, TreeSubstitutionGrammar) and rules:
        draw_derivation([grammar.fragments[n] for n in _fragments(grammar, rules)], plot)
        return
    if isinstance(grammar, LexicalisedGrammar) and rules:
        # with the head of each constituent
        tree = tree_of_rules(grammar.pcfg.rules, rules, ())
    if tree is None:
        raise OptionError(
            "there is no tree to draw",
            where=where,
            hint="sample with --trees, or name the grammar with --grammar",
        )
    draw_tree(tree, plot)


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


def _rules(grammar: AnyGrammar, numbers: list[int], source: str) -> tuple[str, list[str]]:
    """Return the rules with these numbers as text, and what they are."""
    from grammar.errors import OptionError
    from grammar.grammar import Grammar
    from grammar.lexicalised import LexicalisedGrammar
    from grammar.tsg import TreeSubstitutionGrammar
    from sampling.substitution import SubstitutionGrammar

    if isinstance(grammar, SubstitutionGrammar):
        patterns = [*grammar.contexts, *grammar.fillers]
        shift = len(grammar.contexts)
        _check_numbers(numbers, len(patterns), source)
        kinds = ("context" if n < shift else "filler" for n in numbers)
        return "rules", [f"{k}  {patterns[n]}" for k, n in zip(kinds, numbers, strict=True)]
    if isinstance(grammar, Grammar | LexicalisedGrammar):
        pcfg = grammar if isinstance(grammar, Grammar) else grammar.pcfg
        _check_numbers(numbers, len(pcfg), source)
        return "rules", [str(pcfg.production(n)) for n in numbers]
    if isinstance(grammar, TreeSubstitutionGrammar):
        _check_numbers(numbers, len(grammar.pcfg), source)
        _check_derivation(grammar.pcfg, numbers, source)
        used = _fragments(grammar, numbers)
        weights = grammar.weight[used].tolist()
        pairs = zip(used, weights, strict=True)
        return "fragments", [f"{grammar.fragments[n]} [{weight:.6g}]" for n, weight in pairs]
    raise OptionError(
        "a latent parser makes no examples",
        where=source,
        hint="name the grammar that the example was made with",
    )


def _fragments(grammar: TreeSubstitutionGrammar, rules: list[int]) -> list[int]:
    """Return the fragments of a derivation of the PCFG, in preorder."""
    return [n for n in grammar.fragment_of_rule[rules].tolist() if n >= 0]


def _check_numbers(numbers: list[int], known: int, source: str) -> None:
    from grammar.errors import OptionError

    if max(numbers) >= known or min(numbers) < 0:
        raise OptionError(
            f"the example uses rule {max(numbers)}, but the grammar has only {known}",
            where=source,
            hint="name the grammar that the example was made with",
        )


def _tree(row: dict[str, Any], grammar: AnyGrammar | None) -> Tree | None:
    """Return the tree of an example: its own, or that of its derivation."""
    from grammar.grammar import Grammar
    from grammar.lexicalised import LexicalisedGrammar
    from grammar.tree import Tree
    from grammar.tsg import TreeSubstitutionGrammar

    if row.get("tree"):
        return Tree.parse(row["tree"])
    rules = (row.get("provenance") or {}).get("rules")
    if not rules or not isinstance(grammar, Grammar | TreeSubstitutionGrammar | LexicalisedGrammar):
        return None
    import numpy as np

    from grammar.derivations import Derivations
    from sampling.sentences import sentence_trees

    pcfg = grammar if isinstance(grammar, Grammar) else grammar.pcfg
    _check_derivation(pcfg, rules, f"id {row['id']}")
    derivation = Derivations(
        np.zeros(0, np.int32),
        np.zeros(2, np.int64),
        np.array(rules, np.int32),
        np.array([0, len(rules)]),
        np.zeros(1),
    )
    return sentence_trees(grammar, derivation)[0]


def _check_derivation(grammar: Grammar, rules: list[int], where: str) -> None:
    from grammar.errors import OptionError

    if not _derives(grammar, rules):
        raise OptionError(
            "the rules of the example are no derivation of this grammar",
            where=where,
            hint="name the grammar that the example was made with",
        )


def _derives(grammar: Grammar, rules: list[int]) -> bool:
    """Say whether the rules, in preorder, expand the start symbol and leave nothing open."""
    waiting = [grammar.start]
    for number in rules:
        production = grammar.production(number)
        if not waiting or waiting.pop() != production.lhs.name:
            return False
        waiting += [c.name for c in reversed(production.rhs) if not isinstance(c, str)]
    return not waiting

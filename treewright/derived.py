"""Examples that a grammar derived: their rules or fragments as text, their trees, pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grammar.grammar import Grammar
    from grammar.tree import Tree
    from grammar.tsg import TreeSubstitutionGrammar
    from treewright.opening import AnyGrammar

__all__ = ["draw_derived", "rules_used", "tree_of_example", "trees_of_pair"]


def rules_used(grammar: AnyGrammar, numbers: list[int], source: str) -> tuple[str, list[str]]:
    """Return the rules with these numbers as text, and what they are."""
    from grammar.errors import OptionError
    from grammar.grammar import Grammar
    from grammar.lexicalised import LexicalisedGrammar
    from grammar.synchronous import SynchronousGrammar
    from grammar.tsg import TreeSubstitutionGrammar
    from sampling.alp_grammar import ALPGrammar
    from sampling.substitution import SubstitutionGrammar
    from treewright.methods import alp_rules

    if isinstance(grammar, ALPGrammar):
        return "rules", alp_rules(grammar, numbers, source)
    if isinstance(grammar, SubstitutionGrammar):
        patterns = [*grammar.contexts, *grammar.fillers]
        shift = len(grammar.contexts)
        _check_numbers(numbers, len(patterns), source)
        kinds = ("context" if n < shift else "filler" for n in numbers)
        return "rules", [f"{k}  {patterns[n]}" for k, n in zip(kinds, numbers, strict=True)]
    if isinstance(grammar, SynchronousGrammar):
        _check_numbers(numbers, len(grammar), source)
        weights = grammar.weight[numbers].tolist()
        pairs = zip(numbers, weights, strict=True)
        return "rules", [f"{grammar.rules[n]} [{weight:.6g}]" for n, weight in pairs]
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


def tree_of_example(row: dict[str, Any], grammar: AnyGrammar | None) -> Tree | None:
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


def trees_of_pair(row: dict[str, Any], grammar: AnyGrammar | None) -> dict[str, Tree]:
    """Return the trees of both sides of a pair that a synchronous grammar made; else nothing."""
    from grammar.errors import OptionError, located
    from grammar.synchronous import SynchronousGrammar
    from grammar.synchronous_drawing import derivation_trees

    rules = (row.get("provenance") or {}).get("rules")
    if not rules or not isinstance(grammar, SynchronousGrammar):
        return {}
    where = f"id {row['id']}"
    with located(where):
        source, target = derivation_trees(grammar, rules)
    if (list(source.leaves()), list(target.leaves())) != (
        row["text"].split(),
        (row.get("target") or "").split(),
    ):
        raise OptionError(
            "the rules of the example are another pair in this grammar",
            where=where,
            hint="name the grammar that the example was made with",
        )
    return {"source": source, "target": target}


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


def draw_derived(
    tree: Tree | None, grammar: AnyGrammar | None, rules: list[int], plot: str, where: str
) -> None:
    """Draw the derivation by fragments, if there is one, and the tree otherwise."""
    from grammar.draw import draw_tree
    from grammar.errors import OptionError
    from grammar.gallery import draw_derivation
    from grammar.lexicalised import LexicalisedGrammar
    from grammar.parses import tree_of_rules
    from grammar.synchronous import SynchronousGrammar
    from grammar.synchronous_drawing import draw_derivation as draw_aligned
    from grammar.tsg import TreeSubstitutionGrammar

    if isinstance(grammar, SynchronousGrammar) and rules:
        draw_aligned(grammar, rules, plot)
        return
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

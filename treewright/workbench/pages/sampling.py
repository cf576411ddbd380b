"""Sampling: sentences of a grammar with their trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grammar.errors import OptionError
from grammar.trees.draw import tree_picture
from grammar.trees.tree import Tree
from sampling.sentences.sentences import sample_sentences
from treewright.workbench.answers import Page, answered, picture
from treewright.workbench.opened import Opened, OpenGrammar
from treewright.workbench.parameters import Parameters

__all__ = ["sampling_page"]

_MOST, _LONGEST, _LARGEST_SEED = 50, 60, 2**31 - 1


def sampling_page(opened: Opened, asked: Parameters) -> Page:
    """Show sentences that are drawn from a grammar, if one is chosen."""
    grammars = dict(opened.of_kind("grammar"))
    chosen = asked.choice("grammar", grammars)
    n = asked.number("n", 10, least=1, most=_MOST)
    seed = asked.number("seed", 0, least=0, most=_LARGEST_SEED)
    shortest = asked.number("shortest", 3, least=1, most=_LONGEST)
    longest = asked.number("longest", max(12, shortest), least=1, most=_LONGEST)
    values = {
        "grammars": grammars,
        "grammar": chosen,
        "n": n,
        "seed": seed,
        "shortest": shortest,
        "longest": longest,
        "most": _MOST,
        "most_words": _LONGEST,
    }
    if not chosen:
        return Page("sample.html", values)

    def answer() -> Mapping[str, Any]:
        if shortest > longest:
            raise OptionError(
                f"the shortest sentence has {shortest} words, the longest {longest}",
                hint="give the smaller number first",
            )
        return {"samples": _samples(grammars[chosen], n, seed, (shortest, longest))}

    return answered("sample.html", values, answer)


def _samples(
    item: OpenGrammar, n: int, seed: int, length: tuple[int, int]
) -> list[Mapping[str, Any]]:
    grammar: Any = item.grammar
    if not hasattr(grammar, "pcfg") or not hasattr(grammar, "tree_of"):
        raise OptionError(
            f"a grammar of the family {grammar.family!r} gives no sentences by itself",
            where=item.name,
            hint="choose a PCFG, a lexicalised one, or a tree-substitution grammar",
        )
    drawn = sample_sentences(grammar, n, seed=seed, length=length, trees=True)
    rows = zip(drawn.column("text"), drawn.column("tree"), drawn.column("provenance"), strict=True)
    return [
        {
            "text": text,
            "picture": picture(tree_picture(Tree.parse(tree))),
            "log_probability": provenance["log_probability"],
            "rules": len(provenance["rules"]),
            "words": len(text.split()),
        }
        for text, tree, provenance in rows
    ]

"""Sampling: sentences of a grammar with their trees, and the rules that made them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grammar.errors import OptionError
from grammar.trees.treebank import Treebank
from sampling.sentences.sentences import sample_sentences
from treewright.workbench.answers import Page, address, answered, picture
from treewright.workbench.opened import STEPS, Opened, OpenGrammar, Trees
from treewright.workbench.pages.rules import pattern_of_rule
from treewright.workbench.parameters import Parameters
from treewright.workbench.refining import quoted

__all__ = ["sampling_page"]

_MOST, _LONGEST, _LARGEST_SEED = 50, 60, 2**31 - 1


@dataclass(frozen=True)
class _Asked:
    """The form."""

    grammar: str
    n: int
    seed: int
    shortest: int
    longest: int
    words: str
    construction: str

    @classmethod
    def of(cls, asked: Parameters, grammars: Mapping[str, OpenGrammar]) -> _Asked:
        shortest = asked.number("shortest", 3, least=1, most=_LONGEST)
        return cls(
            asked.choice("grammar", grammars),
            asked.number("n", 10, least=1, most=_MOST),
            asked.number("seed", 0, least=0, most=_LARGEST_SEED),
            shortest,
            asked.number("longest", max(12, shortest), least=1, most=_LONGEST),
            asked.text("words", most=1000),
            asked.text("construction"),
        )

    @property
    def containing(self) -> list[str]:
        """The patterns that must each have a hit: those of words, and the construction."""
        words = [quoted(word) for word in self.words.split()]
        return [*words, self.construction] if self.construction else words

    def address(self, **changed: Any) -> str:
        return address("/sample", **{**vars(self), **changed})


def sampling_page(opened: Opened, asked: Parameters) -> Page:
    """Show sentences that are drawn from a grammar, if one is chosen."""
    grammars = dict(opened.of_kind("grammar"))
    form = _Asked.of(asked, grammars)
    values = {"grammars": grammars, "form": form, "most": _MOST, "most_words": _LONGEST}
    if not form.grammar:
        return Page("sample.html", values)
    item = grammars[form.grammar]

    def answer() -> Mapping[str, Any]:
        if form.shortest > form.longest:
            raise OptionError(
                f"the shortest sentence has {form.shortest} words, the longest {form.longest}",
                hint="give the smaller number first",
            )
        source = opened.get(item.treebank, "treebank") if item.treebank else None
        return {
            "samples": _samples(item, form, source.plain if source else None),
            "treebank": item.treebank,
            "source_hits": _hits_of_source(source.plain, form) if source else None,
            "rule_address": lambda pattern: address(
                f"/treebank/{item.treebank}", pattern=pattern, plain="1"
            ),
        }

    return answered("sample.html", values, answer)


def _hits_of_source(trees: Trees, form: _Asked) -> int | None:
    return len(trees.hits(form.construction).found_in) if form.construction else None


def _samples(item: OpenGrammar, form: _Asked, source: Trees | None) -> list[Mapping[str, Any]]:
    grammar: Any = item.grammar
    if not hasattr(grammar, "pcfg") or not hasattr(grammar, "tree_of"):
        raise OptionError(
            f"a grammar of the family {grammar.family!r} gives no sentences by itself",
            where=item.name,
            hint="choose a PCFG, a lexicalised one, or a tree-substitution grammar",
        )
    drawn = sample_sentences(
        grammar, form.n, seed=form.seed, length=(form.shortest, form.longest),
        containing=form.containing, trees=True,
    )  # fmt: skip
    trees = Treebank.parse("\n".join(drawn.column("tree")))
    found = trees.search(" ; ".join(form.containing) or "*", steps=STEPS)
    hits = found if form.containing else found.take([])
    rows = zip(drawn.column("text"), drawn.column("provenance"), strict=True)
    return [
        {
            "text": text,
            "picture": picture(hits.show_tree(number)),
            "log_probability": provenance["log_probability"],
            "rules": _rules(grammar, provenance["rules"], source),
        }
        for number, (text, provenance) in enumerate(rows)
    ]


def _rules(grammar: Any, numbers: Sequence[int], source: Trees | None) -> list[Mapping[str, Any]]:
    """Return the rules of a derivation, each once, and where a treebank has them."""
    weight = grammar.pcfg.weight
    return [
        {
            "text": grammar.pcfg.rule_text(rule),
            "times": times,
            "probability": float(weight[rule]),
            "pattern": _pattern(grammar, rule, source),
        }
        for rule, times in Counter(numbers).items()
    ]


def _pattern(grammar: Any, rule: int, source: Trees | None) -> str | None:
    if grammar.family != "pcfg" or source is None:
        return None
    lhs, rhs = grammar.rules.sides(rule)
    return pattern_of_rule([str(lhs), *map(str, rhs)], source)

"""Coverage: which rules of a grammar, and which pairs of rules, the sentences of a corpus use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grammar.arrays import BoolArray, LongArray
from grammar.chart.parser import NoParse, Parser
from grammar.errors import CorpusError
from grammar.pcfg.derivable import Derivable
from grammar.pcfg.rule_pairs import Targets
from grammar.pcfg.spelling import Spacing, Spelling

__all__ = ["Coverage", "coverage"]

_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class Coverage:
    """What the best derivations of sentences use of a grammar; it prints as a page for people.

    Rules that no derivation can use (unreachable, without an end, of weight zero) do not count.

    Attributes
    ----------
    uses : int64 array, shape (rules,)
        How often each rule of the grammar's PCFG is used.
    rules, pairs : float
        The share of rules that are used, and of pairs of a rule and a rule in one of its children.
    unused_rules, unused_pairs : tuple of str
        Those that are not.
    sentences : int
        How many have a derivation.
    failures : tuple of NoParse
        The others, with the reason.

    Examples
    --------
    >>> from grammar import Grammar
    >>> from induction import coverage
    >>> grammar = Grammar.parse("S -> 'a' S [1/2] | 'b' [1/4] | 'c' [1/4]")
    >>> found = coverage(grammar, ["a a b"])
    >>> round(found.rules, 2), found.unused_rules
    (0.67, ("S -> 'c'",))
    """

    uses: LongArray
    rules: float
    pairs: float
    unused_rules: tuple[str, ...]
    unused_pairs: tuple[str, ...]
    sentences: int
    failures: tuple[NoParse, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Return all findings but the uses as values that JSON can hold."""
        return {
            "sentences": self.sentences,
            "without a derivation": [str(failure) for failure in self.failures],
            "rules covered": self.rules,
            "pairs covered": self.pairs,
            "rules not covered": list(self.unused_rules),
            "pairs not covered": list(self.unused_pairs),
        }

    def lines(self) -> dict[str, str]:
        """Return all findings as text for people."""
        failures = [str(failure) for failure in self.failures]
        return {
            "sentences": f"{self.sentences:,}",
            "without a derivation": _listed(failures),
            "rules covered": f"{self.rules:.1%}",
            "pairs covered": f"{self.pairs:.1%}",
            "rules not covered": _listed(self.unused_rules),
            "pairs not covered": _listed(self.unused_pairs),
        }

    def __repr__(self) -> str:
        lines = self.lines()
        width = max(map(len, lines))
        return "\n".join(f"{name:<{width}}  {value}" for name, value in lines.items())


def coverage(
    grammar: Derivable,
    sentences: Iterable[str | Sequence[str]],
    *,
    spacing: Spacing = "words",
    workers: int = 1,
) -> Coverage:
    """Find what the most probable derivations of sentences use of a grammar.

    Parameters
    ----------
    grammar : Derivable
        A PCFG, or a grammar that has one as its view.
    sentences : iterable of str, or of sequences of str
        Texts, or their words.
    spacing : {"words", "characters"}
        Whether texts have a space between words, or nothing.
    workers : int
        Threads; their number does not change the result.

    Raises
    ------
    CorpusError
        If there are no sentences.
    ChartGrammarError
        If the grammar cannot be parsed with, see :class:`grammar.chart.parser.Parser`.
    OptionError
        If an option is out of range.

    Examples
    --------
    >>> from grammar import Grammar
    >>> grammar = Grammar.parse("S -> 'very' S [0.5] | 'good' [0.25] | 'bad' [0.25]")
    >>> coverage(grammar, ["very good", "good", "very"])
    sentences             2
    without a derivation  1: no parse of 'very': no derivation from S yields it
    rules covered         66.7%
    pairs covered         50.0%
    rules not covered     1: S -> 'bad'
    pairs not covered     3: S -> 'very' S, child 2: S -> 'bad'
      S -> 'very' S, child 2: S -> 'very' S
      start: S -> 'bad'
    """
    pcfg = grammar.pcfg
    spelling = Spelling.of(pcfg, spacing)
    given = list(map(spelling.words, sentences))
    if not given:
        raise CorpusError("there are no sentences", hint="give at least one")
    parser = Parser(spelling.parsed)
    found = iter(parser.parse_all([words for words in given if words], workers=workers))
    nothing = NoParse((), "it has no words")
    parses = [next(found) if words else nothing for words in given]
    derivations = [spelling.derivation(p.rules) for p in parses if not isinstance(p, NoParse)]
    rules, pairs = Targets.of(pcfg, "rules"), Targets.of(pcfg, "pairs")
    rules_used, pairs_used = rules.covered(derivations), pairs.covered(derivations)
    return Coverage(
        np.bincount(np.array([r for d in derivations for r in d], np.int64), minlength=len(pcfg)),
        _share(rules, rules_used),
        _share(pairs, pairs_used),
        tuple(_unused(rules, rules_used)),
        tuple(_unused(pairs, pairs_used)),
        len(derivations),
        tuple(p for p in parses if isinstance(p, NoParse)),
    )


def _share(targets: Targets, used: BoolArray) -> float:
    return float((used & targets.wanted).sum() / max(targets.wanted.sum(), 1))


def _unused(targets: Targets, used: BoolArray) -> Iterator[str]:
    return map(targets.text, np.flatnonzero(targets.wanted & ~used).tolist())


def _listed(texts: Sequence[str]) -> str:
    if not texts:
        return "none"
    more = ["..."] if len(texts) > _SHOWN else []
    return f"{len(texts):,}: " + "\n  ".join([*texts[:_SHOWN], *more])

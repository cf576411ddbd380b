"""A grammar that is induced from questions of ATIS, and what it answers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from grammar.chart.parses import NoParse
from grammar.errors import NotationError
from grammar.synchronous.parsing import SynchronousParser
from induction.corpus.corpus import Corpus
from induction.synchronous.induce import SynchronousInduction, induce_synchronous
from induction.terms.meanings import same_meaning
from scan.atis.forms import from_flat, to_flat
from scan.atis.names import Names, learn_names
from scan.atis.order import in_order

__all__ = ["AtisGrammar", "atis_score", "induce_atis", "read_answer", "training_pairs"]

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class AtisGrammar:
    """What was induced.

    Attributes
    ----------
    names : Names
        Which phrases stand for which names.
    found : SynchronousInduction
        The grammar of questions and flat forms with marks for names.
    """

    names: Names
    found: SynchronousInduction

    def answers(self, questions: Iterable[str]) -> list[str | None]:
        """Return logical forms as published; None where the grammar derives no question."""
        parser = SynchronousParser(self.found.grammar)
        return [self._answer(parser, question) for question in questions]

    def _answer(self, parser: SynchronousParser, question: str) -> str | None:
        hidden = self.names.hide(question)
        best = parser.translations(hidden.text.split())
        if isinstance(best, NoParse):
            return None
        return read_answer(" ".join(hidden.names.get(word, word) for word in best[0].target))


def read_answer(flat: str) -> str | None:
    """Return the logical form of what was written flat; None if that is no flat form."""
    try:
        return from_flat(flat)
    except NotationError:
        return None


def training_pairs(corpus: Corpus, names: Names | None = None) -> tuple[list[Pair], Names]:
    """Return questions and flat forms with marks for names, as they are given to induction.

    Of several targets of a question, the most frequent one is kept, the first if several are.

    Parameters
    ----------
    corpus : Corpus
        With the columns ``text`` and ``target``.
    names : Names, optional
        By default they are learnt from the corpus.
    """
    rows = list(zip(corpus.column("text"), map(to_flat, corpus.column("target")), strict=True))
    names = names or learn_names(rows)
    targets: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for text, target in in_order([names.hide(*row) for row in rows]):
        targets[text][target] += 1
    return [(text, counts.most_common(1)[0][0]) for text, counts in targets.items()], names


def induce_atis(
    corpus: Corpus, *, on_progress: Callable[[str], Any] | None = None, **options: Any
) -> AtisGrammar:
    """Induce a grammar from questions and logical forms.

    Parameters
    ----------
    corpus : Corpus
        With the columns ``text`` and ``target``.
    on_progress, **options
        See :func:`induction.synchronous.induce.induce_synchronous`.
    """
    pairs, names = training_pairs(corpus)
    return AtisGrammar(names, induce_synchronous(pairs, on_progress=on_progress, **options))


def atis_score(said: Iterable[str | None], corpus: Corpus) -> dict[str, int]:
    """Count right, wrong and missing answers; right ones mean what the corpus says.

    >>> gold = "( lambda $0 e ( and ( flight $0 ) ( to $0 bwi : ap ) ) )"
    >>> asked = Corpus.from_columns(text=["a", "b"], target=[gold, gold])
    >>> atis_score(["( lambda $x e ( and ( to $x bwi : ap ) ( flight $x ) ) )", None], asked)
    {'right': 1, 'wrong': 0, 'silent': 1}
    """
    counts: Counter[str] = Counter()
    for answer, target in zip(said, corpus.column("target"), strict=True):
        right = answer is not None and same_meaning(answer, target)
        counts["silent" if answer is None else "right" if right else "wrong"] += 1
    return {name: counts[name] for name in ("right", "wrong", "silent")}

"""What a grammar that was induced from SLOG's training pairs answers: right, wrong, or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from grammar.chart.parses import NoParse
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from induction.corpus.corpus import Corpus
from induction.terms.terms import Term
from scan.cogs.conversion import with_small_article
from scan.slog.conversion import convert_slog, to_published, to_term
from scan.slog.structures import STRUCTURES

__all__ = ["Answers", "hold_out", "slog_answers", "slog_pairs", "whole"]


@dataclass(frozen=True, slots=True)
class Answers:
    """Numbers of sentences.

    Attributes
    ----------
    right, wrong, silent : int
        Whose form is exactly the published one, another, or none.

    Examples
    --------
    >>> Answers(right=8, wrong=1, silent=1).exact
    0.8
    """

    right: int
    wrong: int
    silent: int

    @property
    def asked(self) -> int:
        """All of them."""
        return self.right + self.wrong + self.silent

    @property
    def exact(self) -> float:
        """Share of right ones."""
        return self.right / self.asked if self.asked else 0.0


def slog_pairs(corpus: Corpus) -> list[tuple[str, str]]:
    """Return sentences and their terms; an article that begins a sentence gets a small letter."""
    terms = convert_slog(corpus, "terms")
    return list(zip(terms.column("text"), terms.column("target"), strict=True))


def hold_out(corpus: Corpus, name: str, *, most: int = 300) -> tuple[Corpus, Corpus]:
    """Return the pairs without a structure, and up to ``most`` of those with it, evenly chosen.

    Raises
    ------
    KeyError
        If :data:`scan.slog.structures.STRUCTURES` has no such structure.
    """
    has = [
        STRUCTURES[name](to_term(target), kind)
        for target, kind in zip(corpus.column("target"), corpus.column("category"), strict=True)
    ]
    rest = [row for row, held in enumerate(has) if not held]
    held = [row for row, held in enumerate(has) if held]
    step = max(1, -(-len(held) // most))
    parts = (corpus.table.take(pa.array(rows, pa.int64())) for rows in (rest, held[::step]))
    without, asked = map(Corpus, parts)
    return without, asked


def slog_answers(grammar: SynchronousGrammar, corpus: Corpus) -> dict[str, Answers]:
    """Answer a corpus with the columns ``text``, ``target`` and ``category``.

    Returns
    -------
    dict of str to Answers
        By category.
    """
    parser = SynchronousParser(grammar)
    found: dict[str, Counter[str]] = {}
    columns = (corpus.column(name) for name in ("text", "target", "category"))
    for text, target, category in zip(*columns, strict=True):
        said = _answer(parser, text)
        verdict = "silent" if said is None else "right" if said == target else "wrong"
        found.setdefault(category, Counter())[verdict] += 1
    return {
        category: Answers(counts["right"], counts["wrong"], counts["silent"])
        for category, counts in sorted(found.items())
    }


def _answer(parser: SynchronousParser, text: str) -> str | None:
    found = parser.translations(with_small_article(text).split())
    return None if isinstance(found, NoParse) else to_published(Term.parse(found[0].target))


def whole(answers: Sequence[Answers]) -> Answers:
    """Return the sums."""
    return Answers(
        sum(a.right for a in answers), sum(a.wrong for a in answers), sum(a.silent for a in answers)
    )

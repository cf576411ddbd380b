"""What a grammar that was induced from SLOG's training pairs, or a model that was trained on pairs
of it, answers: right, wrong, or nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from grammar.arrays import LongArray
from induction.corpus.corpus import Corpus
from induction.terms.terms import Term
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


def hold_out(corpus: Corpus, *names: str, most: int = 300) -> tuple[Corpus, Corpus]:
    """Return the pairs without some structures, and up to ``most`` with each, evenly chosen.

    The category of the latter is the name of the structure.

    Raises
    ------
    KeyError
        If :data:`scan.slog.structures.STRUCTURES` has no such structure.
    """
    pairs = list(zip(map(to_term, corpus.column("target")), corpus.column("category"), strict=True))
    rest = np.ones(len(pairs), np.bool_)
    asked: dict[str, LongArray] = {}
    for name in names:
        has = np.array([STRUCTURES[name](*pair) for pair in pairs])
        rest &= ~has
        rows = np.flatnonzero(has)
        asked[name] = rows[:: max(1, -(-len(rows) // most))]
    without = corpus.table.filter(pa.array(rest))
    order = np.concatenate([np.empty(0, np.int64), *asked.values()])
    held = Corpus(corpus.table.take(pa.array(order)))
    structure = [name for name, rows in asked.items() for _ in rows]
    return Corpus(without), held.with_column("category", structure)


def slog_answers(said: Iterable[Term | None], corpus: Corpus) -> dict[str, Answers]:
    """Compare answers with the logical forms of a corpus that has categories.

    Parameters
    ----------
    said : iterable of Term or None
        One for each sentence, with references or without; None is no answer.
    corpus : Corpus
        With the columns ``target`` and ``category``.

    Returns
    -------
    dict of str to Answers
        By category.
    """
    found: dict[str, Counter[str]] = {}
    rows = zip(said, corpus.column("target"), corpus.column("category"), strict=True)
    for term, target, category in rows:
        right = term is not None and to_published(term) == target
        verdict = "silent" if term is None else "right" if right else "wrong"
        found.setdefault(category, Counter())[verdict] += 1
    return {
        category: Answers(counts["right"], counts["wrong"], counts["silent"])
        for category, counts in sorted(found.items())
    }


def whole(answers: Sequence[Answers]) -> Answers:
    """Return the sums."""
    return Answers(
        sum(a.right for a in answers), sum(a.wrong for a in answers), sum(a.silent for a in answers)
    )

"""Logical forms of SLOG as terms, and back.

The published forms are terms but for roles of three words (``nmod . on``). What a grammar writes
has references (:mod:`induction.terms.references`), which are written out on the way back.
"""

from __future__ import annotations

import re

from grammar.errors import OptionError, located
from induction.corpus.corpus import Corpus
from induction.terms.references import without_references
from induction.terms.terms import Term
from scan.cogs.conversion import with_small_article

__all__ = ["FORMS", "convert_slog", "to_published", "to_term"]

FORMS = ("published", "terms")


def to_term(form: str) -> Term:
    """Read a published logical form.

    >>> print(to_term("roll ( theme = cake ( nmod . on = table ) )"))
    roll ( theme = cake ( nmod.on = table ) )

    Raises
    ------
    NotationError
        If it is not a term.
    """
    return Term.parse(re.sub(r"(?<!\S)nmod \. ", "nmod.", form))


def to_published(term: Term) -> str:
    """Write a term, with references or without, as it would be published.

    >>> to_published(Term.parse("cake ( nmod^ = eat ( theme = ^ , agent = X ( nmod.on = bed ) ) )"))
    'cake ( nmod = eat ( theme = cake , agent = X ( nmod . on = bed ) ) )'
    """
    return re.sub(r"(?<!\S)nmod\.", "nmod . ", str(without_references(term)))


def convert_slog(corpus: Corpus, form: str) -> Corpus:
    """Write the targets of a corpus in a form.

    Parameters
    ----------
    corpus : Corpus
        With the columns ``text`` and ``target``, in either form.
    form : {"published", "terms"}
        With terms, an article that begins a text gets a small letter.

    Raises
    ------
    OptionError
        If there is no such form.
    NotationError
        If a target is not a term; the row is told.
    """
    if form not in FORMS:
        raise OptionError(f"unknown form {form!r}", hint=f"choose from {', '.join(FORMS)}")
    made = []
    for row, target in enumerate(corpus.complete("target")):
        with located(corpus.where(row)):
            term = to_term(target)
        made.append(str(term) if form == "terms" else to_published(term))
    if form == "terms":
        corpus = corpus.with_column("text", list(map(with_small_article, corpus.complete("text"))))
    return corpus.with_column("target", made)

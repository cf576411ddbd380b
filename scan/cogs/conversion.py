"""Corpora of COGS in the one form or the other."""

from __future__ import annotations

from grammar.errors import OptionError, TreewrightError, located
from induction.corpus.corpus import Corpus
from induction.terms.terms import Term
from scan.cogs.forms import FUNCTION_WORDS, to_original, to_variable_free

__all__ = ["FORMS", "convert", "with_small_article"]

FORMS = ("original", "variable-free")
"""The two forms, see :mod:`scan.cogs.forms`."""


def convert(corpus: Corpus, form: str) -> Corpus:
    """Write the targets of a corpus, which are of the other form, in this one.

    Parameters
    ----------
    corpus : Corpus
        With the columns ``text`` and ``target``; other columns stay.
    form : {"original", "variable-free"}
        What targets become. With the variable-free form, an article that begins a text gets a
        small letter, so that it is one word wherever it stands.

    Raises
    ------
    OptionError
        If there is no such form.
    LogicalFormError, NotationError
        If a target is not of the other form, or does not fit its text; the row is told.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["A cat slept ."],
    ...     target=["cat ( x _ 1 ) AND sleep . agent ( x _ 2 , x _ 1 )"])
    >>> terms = convert(corpus, "variable-free")
    >>> terms.column("text"), terms.column("target")
    (['a cat slept .'], ['sleep ( agent = cat )'])
    >>> convert(terms, "original").column("target") == corpus.column("target")
    True
    """
    if form not in FORMS:
        raise OptionError(f"unknown form {form!r}", hint=f"choose from {', '.join(FORMS)}")
    texts, targets = corpus.complete("text"), corpus.complete("target")
    made = []
    for row, (text, target) in enumerate(zip(texts, targets, strict=True)):
        try:
            made.append(_converted(text, target, form))
        except TreewrightError:
            with located(corpus.where(row)):
                raise
    if form == "variable-free":
        corpus = corpus.with_column("text", list(map(with_small_article, texts)))
    return corpus.with_column("target", made)


def _converted(text: str, target: str, form: str) -> str:
    if form == "original":
        return to_original(Term.parse(target), text)
    return str(to_variable_free(target))


def with_small_article(text: str) -> str:
    """Return the text; a function word that begins it gets a small letter.

    >>> with_small_article("The cat saw Ann .")
    'the cat saw Ann .'
    """
    first, _, rest = text.partition(" ")
    return f"{first.lower()} {rest}" if first.lower() in FUNCTION_WORDS else text

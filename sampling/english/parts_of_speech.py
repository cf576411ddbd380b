"""Which parts of speech an English word can have, by the table of lemminflect."""

from __future__ import annotations

from functools import cache

__all__ = ["parts_of_speech"]


@cache
def parts_of_speech(word: str) -> frozenset[str]:
    """Return the parts of speech of a word in any inflection, as universal tags.

    Parameters
    ----------
    word : str
        In lower case.

    Returns
    -------
    frozenset of str
        Some of ``NOUN``, ``VERB``, ``ADJ``, ``ADV`` and ``AUX``; none for a word that the table
        lacks.

    Examples
    --------
    >>> sorted(parts_of_speech("films")), sorted(parts_of_speech("boring")), parts_of_speech("xq")
    (['NOUN', 'VERB'], ['ADJ', 'VERB'], frozenset())
    """
    from lemminflect import getAllLemmas

    return frozenset(getAllLemmas(word))

"""Words that a lexicon lacks: which word or class of it stands for them.

A sentence in capitals is read as if it had none, and a word without its capital as if it had one,
if that is how the lexicon knows it. Signs are looked up as others of their kind
(:mod:`induction.trees.punctuation`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from induction.corpus.text.tokens import penn_word
from induction.trees.punctuation import equivalents
from induction.trees.unknown import signature

__all__ = ["KnownWords"]

_CLASS = re.compile(r"<rare(?::(.+))?>")


class KnownWords:
    """The words and rare-word classes of a lexicon.

    >>> known = KnownWords(["the", "-LRB-", "<rare>", "<rare:capital>", "<rare:ed>"])
    >>> [known.like(word, first=i == 0) for i, word in enumerate(["The", "(", "Rewed", "x"])]
    ['the', '-LRB-', '<rare:capital>', '<rare>']
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._classes = {_features(word): word for word in self._words if _CLASS.fullmatch(word)}

    def spelt(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return the words of a sentence in the spelling of the lexicon, unknown ones as they are.

        Unknown words of a sentence in capitals come without them.

        >>> known = KnownWords(["the", "Rex", "barked", ":", "I"])
        >>> known.spelt(["THE", "ODD", "REX", "BARKED"]), known.spelt(["i", "—", "rex"])
        (('the', 'odd', 'Rex', 'barked'), ('I', ':', 'Rex'))
        """
        return tuple(known or word for word, known in self._each(words))

    def alike(self, words: Sequence[str]) -> list[str | None]:
        """Return the known word or class that each word of a sentence is parsed as.

        See :meth:`like`; it is None where there are no classes.
        """
        return [known or self._nearest_class(word) for word, known in self._each(words)]

    def like(self, word: str, *, first: bool) -> str | None:
        """Return the known word that a word of a sentence is parsed as, or None without any.

        That is the word itself, in the spelling of the Penn Treebank or (if it is the ``first``)
        without its capital, or a class: the one with the fewest features that the word lacks,
        then the most that it has, then those that the word's own class names first.
        """
        return self._known(_spellings(word, first=first)) or self._nearest_class(word)

    def _each(self, words: Sequence[str]) -> Iterator[tuple[str, str | None]]:
        """Yield each word, without capitals if all have them, and its known spelling if any."""
        cased = [word for word in words if word.upper() != word.lower() and word[:1] != "-"]
        low = not any(word != word.lower() for word in cased)
        loud = all(word == word.upper() for word in cased) and len("".join(cased)) > 1
        begun = False
        for word in words:
            plain = word.lower() if loud and word[:1] != "-" else word
            spellings = _spellings(plain, first=not begun, low=low or loud)
            yield plain, self._known((*spellings, word))
            begun = begun or any(c.isalnum() for c in word)

    def _known(self, spellings: Iterable[str]) -> str | None:
        # what looks like a class is no word
        known = (s for s in spellings if s in self._words and not _CLASS.fullmatch(s))
        return next(known, None)

    def _nearest_class(self, word: str) -> str | None:
        if not self._classes:
            return None
        own = _features(signature(word))

        def distance(features: tuple[str, ...]) -> tuple[int, int, list[int], tuple[str, ...]]:
            shared = [own.index(feature) for feature in features if feature in own]
            return len(features) - len(shared), -len(shared), shared, features

        return self._classes[min(self._classes, key=distance)]


def _spellings(word: str, *, first: bool, low: bool = False) -> Iterator[str]:
    """Yield how a lexicon may spell a word: the nearest first.

    ``low`` says that the sentence has no capitals, so that nothing is known of its words' own.
    """
    if low and word == "i":
        yield "I"
    yield word
    yield penn_word(word)
    if "/" in word or "*" in word:
        yield word.replace("/", "\\/").replace("*", "\\*")
    yield from equivalents(word)
    if first:
        yield word[:1].lower() + word[1:]
    if low:
        yield word[:1].upper() + word[1:]
        yield word.upper()
    elif len(word) > 1 and word.isupper():
        yield word.lower()
        yield word.capitalize()


def _features(name: str) -> tuple[str, ...]:
    """Return what a class says of its words.

    >>> _features("<rare:capital-ly>"), _features("<rare>")
    (('capital', 'ly'), ())
    """
    match = _CLASS.fullmatch(name)
    return tuple(match[1].split("-")) if match and match[1] else ()

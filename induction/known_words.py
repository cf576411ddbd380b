"""Words that a lexicon lacks: which word or class of it stands for them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from induction.tokens import penn_word
from induction.unknown import signature

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

    def like(self, word: str, *, first: bool) -> str | None:
        """Return the known word that a word of a sentence is parsed as, or None without any.

        That is the word itself, in the spelling of the Penn Treebank or (if it is the ``first``)
        without its capital, or a class: the one with the fewest features that the word lacks,
        then the most that it has, then those that the word's own class names first.
        """
        lower = word[:1].lower() + word[1:]
        for known in (word, penn_word(word), lower if first else word):
            # what looks like a class is no word
            if known in self._words and not _CLASS.fullmatch(known):
                return known
        if not self._classes:
            return None
        own = _features(signature(word))

        def distance(features: tuple[str, ...]) -> tuple[int, int, list[int], tuple[str, ...]]:
            shared = [own.index(feature) for feature in features if feature in own]
            return len(features) - len(shared), -len(shared), shared, features

        return self._classes[min(self._classes, key=distance)]


def _features(name: str) -> tuple[str, ...]:
    """Return what a class says of its words.

    >>> _features("<rare:capital-ly>"), _features("<rare>")
    (('capital', 'ly'), ())
    """
    match = _CLASS.fullmatch(name)
    return tuple(match[1].split("-")) if match and match[1] else ()

"""Synonyms from WordNet through NLTK, by part of speech, in the inflection of the word replaced.

WordNet is loaded when the first synonym is asked for. Where it is not installed,
:func:`synonyms` raises :class:`~grammar.errors.MissingDataError`; methods that can do without say
so with a :class:`MissingWordNetWarning` and go on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from grammar.errors import MissingDataError, OptionError

__all__ = [
    "PARTS_OF_SPEECH",
    "MissingWordNetWarning",
    "feature_of",
    "inflected",
    "match_case",
    "part_of_speech",
    "synonyms",
    "wordnet",
]

PARTS_OF_SPEECH = ("n", "v", "a", "r")
"""Noun, verb, adjective, adverb, as WordNet writes them."""

_UNIVERSAL = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
_PENN = {"NN": "n", "VB": "v", "JJ": "a", "RB": "r"}
_DATA = {"n": "data.noun", "v": "data.verb", "a": "data.adj", "r": "data.adv"}
_NOT_WORDS = frozenset({"NNP", "NNPS"})
_FEATURES = frozenset({"NNS", "VBZ", "VBG", "VBD", "VBN", "JJR", "JJS", "RBR", "RBS"})
_SUFFIX = {
    "NNS": "s", "VBZ": "s", "VBG": "ing", "VBD": "ed", "VBN": "ed",
    "JJR": "er", "RBR": "er", "JJS": "est", "RBS": "est",
}  # fmt: skip
_SIBILANT = re.compile(r"(s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")


class MissingWordNetWarning(UserWarning):
    """WordNet is not installed, so a method goes on without synonyms."""


@cache
def wordnet() -> Any:
    """Return NLTK's reader of WordNet.

    Raises
    ------
    MissingDataError
        If NLTK does not find WordNet.
    """
    from nltk.corpus import wordnet as reader

    try:
        reader.ensure_loaded()
    except LookupError:
        raise MissingDataError(
            "WordNet is not installed",
            where="wordnet",
            hint="python -m nltk.downloader wordnet; or point NLTK_DATA at a folder that has it",
        ) from None
    return reader


def part_of_speech(tag: str) -> str | None:
    """Return WordNet's part of speech for a Penn or universal tag, or None.

    Proper nouns have none: they are names, not words with synonyms.

    >>> part_of_speech("VBD"), part_of_speech("ADJ"), part_of_speech("DT"), part_of_speech("NNP")
    ('v', 'a', None, None)
    """
    if tag in _NOT_WORDS:
        return None
    return _UNIVERSAL.get(tag) or _PENN.get(tag[:2])


def synonyms(
    word: str, *, pos: str | None = None, feature: str | None = None, inflect: bool = False
) -> tuple[str, ...]:
    """Return the other words of the synsets of a word, the commonest sense first.

    Parameters
    ----------
    word : str
        Looked up in lower case, in its base form too.
    pos : {"n", "v", "a", "r"}, optional
        Only synsets of this part of speech.
    feature : str, optional
        The Penn tag of the word, if it is known; says which inflection to make.
    inflect : bool
        Put synonyms into the inflection of the word; those for which that is not simple are left
        out (see :func:`inflected`).

    Returns
    -------
    tuple of str
        In lower case, hyphens and underscores as spaces, letters and spaces only, as the program
        of EDA writes them. The order does not depend on hash seeds.

    Raises
    ------
    MissingDataError
        If WordNet is not installed.
    OptionError
        If there is no such part of speech.
    """
    if pos is not None and pos not in PARTS_OF_SPEECH:
        raise OptionError(
            f"pos={pos!r} is not a part of speech",
            hint=f"use {', '.join(PARTS_OF_SPEECH)}, or None",
        )
    reader = wordnet()
    lowered = word.lower()
    found: dict[str, None] = {}
    for kind in PARTS_OF_SPEECH if pos is None else (pos,):
        wanted = _wanted(reader, lowered, kind, feature) if inflect else None
        for name in _neighbours(reader, lowered, kind):
            lemma = "".join(
                c for c in name.lower().replace("_", " ").replace("-", " ") if _plain(c)
            )
            form = lemma if wanted is None else inflected(lemma, kind, wanted)
            if form and form.strip() and form != lowered:
                found[form] = None
    return tuple(found)


def _neighbours(reader: Any, word: str, pos: str) -> Iterator[str]:
    """Yield the words of the synsets of a word, as ``reader.synsets`` finds them, ten times faster.

    That reads and parses each synset on its own; here all are read at once, for their words only.
    """
    names = _synset_names(pos)
    for base in reader._morphy(word, pos):
        for offset in reader._lemma_pos_offset_map[base].get(pos, ()):
            yield from names[offset]


@cache
def _synset_names(pos: str) -> dict[int, tuple[str, ...]]:
    """Return the words of all synsets of a part of speech (wndb(5WN), the format of data files)."""
    names = {}
    with wordnet().open(_DATA[pos]) as lines:
        for line in lines:
            if line.startswith(" "):  # the licence
                continue
            fields = line.split(" ", 4 + 2 * 255)
            words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            # adjectives may have a mark of their place, as in galore(ip)
            names[int(fields[0])] = tuple(word.partition("(")[0] for word in words)
    return names


def _plain(character: str) -> bool:
    return character == " " or "a" <= character <= "z"


def _wanted(reader: Any, word: str, pos: str, feature: str | None) -> str | None:
    if feature in _FEATURES and part_of_speech(feature or "") == pos:
        return feature
    base = reader.morphy(word, pos)
    return None if base is None or base == word else feature_of(word, base, pos)


def feature_of(word: str, base: str, pos: str) -> str | None:
    """Return the Penn tag of an inflected word, told by its ending, or None for a base form.

    >>> feature_of("films", "film", "n"), feature_of("gave", "give", "v")
    ('NNS', 'VBD')
    """
    if word == base:
        return None
    if pos == "n":
        return "NNS"
    if pos == "v":
        return "VBG" if word.endswith("ing") else "VBZ" if word.endswith("s") else "VBD"
    superlative = word.endswith("est")
    return ("JJ" if pos == "a" else "RB") + ("S" if superlative else "R")


@cache
def _irregular(pos: str) -> dict[str, tuple[str, ...]]:
    """Return the irregular forms of base forms, from the exception lists of WordNet."""
    forms: dict[str, list[str]] = {}
    for form, bases in wordnet()._exception_map[pos].items():
        for base in bases:
            forms.setdefault(base, []).append(form)
    return {base: tuple(found) for base, found in forms.items()}


def inflected(base: str, pos: str, feature: str) -> str | None:
    """Return a base form with the ending of a Penn tag, or None where that is not simple.

    Irregular forms come from WordNet's exception lists. Where these have several that fit (*gave*,
    *given*), and for several words, comparatives and superlatives of more than two syllables, the
    answer is None.

    Examples
    --------
    >>> inflected("very good", "a", "JJR") is None
    True
    """
    if " " in base:
        return None
    suffix = _SUFFIX[feature]
    known = [form for form in _irregular(pos).get(base, ()) if "_" not in form and "-" not in form]
    if pos == "v" and suffix != "ed":
        known = [form for form in known if form.endswith(suffix)]
    elif pos == "v":
        known = [form for form in known if not form.endswith(("ing", "s"))]
    elif pos in "ar":
        known = [form for form in known if form.endswith(suffix)]
    if known:
        return known[0] if len(known) == 1 else None
    if pos in "ar" and len(re.findall(r"[aeiouy]+", base)) > 2:
        return None
    return _regular(base, suffix)


def _regular(base: str, suffix: str) -> str:
    if suffix == "s":
        if _CONSONANT_Y.search(base):
            return base[:-1] + "ies"
        return base + ("es" if _SIBILANT.search(base) else "s")
    if suffix == "ing":
        silent = base.endswith("e") and not base.endswith(("ee", "oe", "ye"))
        return (base[:-1] if silent else base) + "ing"
    if _CONSONANT_Y.search(base):
        return base[:-1] + "i" + suffix
    return base + (suffix[1:] if base.endswith("e") else suffix)


def match_case(word: str, like: str) -> str:
    """Return a word in the case of another: all capitals, a first capital, or as it is.

    >>> match_case("movie", "Film"), match_case("movie", "FILM"), match_case("movie", "film")
    ('Movie', 'MOVIE', 'movie')
    """
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word[:1].upper() + word[1:] if like[:1].isupper() else word

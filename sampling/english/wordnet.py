"""Synonyms from WordNet through NLTK, by part of speech, in the inflection of the word replaced.

WordNet is loaded when the first synonym is asked for. Where it is not installed,
:func:`synonyms` raises :class:`~grammar.errors.MissingDataError`; methods that can do without say
so with a :class:`MissingWordNetWarning` and go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from grammar.engines.threads import SharedLock, computed_once
from grammar.errors import MissingDataError, OptionError
from sampling.english.inflection import forms_like, inflect
from sampling.english.unfit_words import ENGLISH, NONE, can_be_replaced, unfit_words

__all__ = [
    "ALL",
    "FREQUENT",
    "PARTS_OF_SPEECH",
    "MissingWordNetWarning",
    "match_case",
    "names_of_synsets",
    "part_of_speech",
    "synonyms",
    "wordnet",
    "wordnet_version",
]

PARTS_OF_SPEECH = ("n", "v", "a", "r")
"""Noun, verb, adjective, adverb, as WordNet writes them."""
FREQUENT, ALL = "frequent", "all"
"""Which senses of a word count."""

_UNIVERSAL = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
_PENN = {"NN": "n", "VB": "v", "JJ": "a", "RB": "r"}
_DATA = {"n": "data.noun", "v": "data.verb", "a": "data.adj", "r": "data.adv"}
_NOT_WORDS = frozenset({"NNP", "NNPS"})
_INFLECTED = frozenset({"NNS", "VBZ", "VBG", "VBD", "VBN", "JJR", "JJS", "RBR", "RBS"})
_LEAST_SHARE = 0.2
"""Of a word's uses in the sense-tagged texts, a frequent sense has this share."""
_QUANTITIES = 23
"""The lexicographer's file of numbers and units, ``noun.quantity`` (lexnames(5WN))."""
_SLUR = "ethnic_slur.n.01"
_READING = SharedLock()
"""NLTK's reader has one place in each of its files, and opens a zip file for one thread alone."""
_OFFENSIVE = ("obscenity.n.02", "disparagement.n.01", _SLUR)


class MissingWordNetWarning(UserWarning):
    """WordNet is not installed, so a method goes on without synonyms."""


@computed_once
def wordnet() -> Any:
    """Return NLTK's reader of WordNet.

    Raises
    ------
    MissingDataError
        If NLTK does not find WordNet.
    """
    from nltk.corpus.reader import CorpusReader, WordNetCorpusReader
    from nltk.corpus.util import LazyCorpusLoader

    class EnglishReader(WordNetCorpusReader):  # type: ignore[misc,unused-ignore]
        """Of English alone: synsets need no numbers that other languages know them by."""

        def map_wn(self, version: str = "wordnet") -> None:
            """Map nothing, which takes more than half of the time to load otherwise."""

    others = LazyCorpusLoader("omw-2.0", CorpusReader, r".*/wn-data-.*\.tab", encoding="utf8")
    reader = LazyCorpusLoader("wordnet", EnglishReader, others)
    try:
        with _READING:
            reader.ensure_loaded()
    except LookupError:
        raise MissingDataError(
            "WordNet is not installed",
            where="wordnet",
            hint="treewright data get wordnet; or point NLTK_DATA at a folder that has it",
        ) from None
    return reader


def wordnet_version() -> str | None:
    """Return the version of WordNet that is installed, as ``3.0``; None if none is."""
    try:
        reader = wordnet()
        with _READING:
            return str(reader.get_version())
    except MissingDataError:
        return None


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
    word: str,
    *,
    pos: str | None = None,
    feature: str | None = None,
    inflect: bool = False,
    senses: str = FREQUENT,
    never: str = ENGLISH,
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
        Put synonyms into the inflection of the word; those for which that is not one word that is
        known are left out (:mod:`sampling.english.inflection`).
    senses : {"frequent", "all"}
        All synsets; or those that are a fifth or more of the uses of the word in WordNet's tagged
        texts, and of the uses of the synonym too. Names, numbers, units, senses that WordNet marks
        as offensive, and words that are slurs in any sense are then left out.
    never : str
        Words that have no synonyms and are none
        (:func:`sampling.english.unfit_words.unfit_words`); not asked with ``senses="all"``.

    Returns
    -------
    tuple of str
        In lower case. With ``senses="all"``, hyphens are spaces and other signs are left out, as
        the program of EDA does it. The order does not depend on hash seeds.

    Raises
    ------
    MissingDataError
        If WordNet is not installed.
    OptionError
        If there is no such part of speech, or no such list.
    """
    if pos is not None and pos not in PARTS_OF_SPEECH:
        raise OptionError(
            f"pos={pos!r} is not a part of speech",
            hint=f"use {', '.join(PARTS_OF_SPEECH)}, or None",
        )
    lowered = word.lower()
    kinds = PARTS_OF_SPEECH if pos is None else (pos,)
    if senses == ALL:
        unfit, found = unfit_words(NONE), _all_neighbours(lowered, kinds)
    else:
        unfit = unfit_words(never)
        found = _frequent_neighbours(lowered, kinds) if can_be_replaced(word, unfit) else iter(())
    made: dict[str, None] = {}
    for name, base, kind in found:
        lemma = _plain(name) if senses == ALL else name.replace("_", " ")
        form = _inflected(lemma, kind, lowered, base, feature) if inflect else lemma
        if form and form != lowered and not unfit.intersection((form, *form.split(), lemma)):
            made[form] = None
    return tuple(made)


def _plain(name: str) -> str:
    spaced = name.lower().replace("_", " ").replace("-", " ")
    return "".join(c for c in spaced if c == " " or "a" <= c <= "z").strip()


def _inflected(lemma: str, kind: str, word: str, base: str, feature: str | None) -> str | None:
    """Return a synonym in the inflection of a word."""
    if " " in lemma:
        return lemma if word == base else None
    if feature in _INFLECTED and part_of_speech(feature or "") == kind:
        return inflect(lemma, feature or "")
    return forms_like(lemma, word, base, kind)


Neighbour = tuple[str, str, str]
"""A word of a synset, the base form that is looked up, and the part of speech."""


def _all_neighbours(word: str, kinds: tuple[str, ...]) -> Iterator[Neighbour]:
    """Yield the words of the synsets of a word, as ``reader.synsets`` finds them."""
    for kind in kinds:
        synsets = _synsets(kind)
        for base, _, offset in _senses(word, kind):
            yield from ((name, base, kind) for name in synsets[offset].words)


def _frequent_neighbours(word: str, kinds: tuple[str, ...]) -> Iterator[Neighbour]:
    """Yield the words of the frequent senses of a word, if these are frequent of them too."""
    for base, kind, offset in _frequent_senses(word, kinds):
        synset = _synsets(kind)[offset]
        if synset.file == _QUANTITIES or _names_a_number(synset) or offset in _offensive():
            continue
        for name in synset.words:
            lowered = name.lower()
            known = name == lowered and lowered != base and _is_common(lowered, kind, offset)
            if known and _slurs().isdisjoint(lowered.split("_")):
                yield name, base, kind


def _names_a_number(synset: _Synset) -> bool:
    return any(name[0].isdigit() for name in synset.words)


@cache
def _frequent_senses(word: str, kinds: tuple[str, ...]) -> tuple[tuple[str, str, int], ...]:
    """Return base form, part of speech and synset of each frequent sense, the commonest first.

    A word that is a base form itself is not taken for a form of another (*boring* for *bore*).
    """
    found = [
        (_uses().get((base, kind, number), 0), base, kind, offset)
        for kind in kinds
        for base, number, offset in _senses(word, kind)
    ]
    found = [row for row in found if row[1] == word] or found
    total = sum(count for count, *_ in found)
    if not total:  # never met in the tagged texts, so that only a single sense is sure
        found = found if len(found) == 1 else []
    often = [row for row in found if row[0] >= _LEAST_SHARE * total]
    return tuple((base, kind, offset) for _, base, kind, offset in sorted(often, key=_by_count))


def _by_count(row: tuple[int, str, str, int]) -> int:
    return -row[0]


@cache
def _is_common(name: str, kind: str, offset: int) -> bool:
    """Say whether a word was met in a sense, which is a frequent one of it."""
    met = any(
        synset == offset and _uses().get((base, kind, number), 0)
        for base, number, synset in _senses(name, kind)
    )
    senses = _frequent_senses(name, PARTS_OF_SPEECH)
    return met and any((kind, offset) == (k, synset) for _, k, synset in senses)


def _senses(word: str, kind: str) -> Iterator[tuple[str, int, int]]:
    """Yield base form, number from 1, and synset of each sense of a word."""
    reader = wordnet()
    for base in reader._morphy(word, kind):
        # the index lists senses by frequency, as the counts number them
        listed = reader._lemma_pos_offset_map[base].get(kind, ())
        for number, offset in enumerate(listed, 1):
            yield base, number, offset


def names_of_synsets(word: str) -> list[tuple[str, list[str]]]:
    """Return part of speech and words of each synset of a word, as NLTK's reader has them."""
    reader = wordnet()
    with _READING:
        return [(synset.pos(), synset.lemma_names()) for synset in reader.synsets(word)]


@computed_once
def _uses() -> dict[tuple[str, str, int], int]:
    """Return how often each sense was met in the tagged texts (cntlist.rev, cntlist(5WN))."""
    uses = {}
    for line in _lines("cntlist.rev"):
        key, number, count = line.split()
        lemma, _, rest = key.partition("%")
        kind = "nvara"[int(rest[0]) - 1]
        uses[lemma, kind, int(number)] = int(count)
    return uses


@computed_once
def _offensive() -> frozenset[int]:
    """Return the synsets that WordNet marks as obscene, or as slurs."""
    reader = wordnet()
    with _READING:
        marks = (reader.synset(name) for name in _OFFENSIVE)
        return frozenset(synset.offset() for mark in marks for synset in mark.in_usage_domains())


@computed_once
def _slurs() -> frozenset[str]:
    """Return the words that WordNet has as slurs, in small letters, whatever else they mean."""
    reader = wordnet()
    with _READING:
        marked = reader.synset(_SLUR).in_usage_domains()
        return frozenset(name.lower() for synset in marked for name in synset.lemma_names())


class _Synset(NamedTuple):
    file: int
    words: tuple[str, ...]


@computed_once
def _synsets(pos: str) -> dict[int, _Synset]:
    """Return all synsets of a part of speech (wndb(5WN), the format of data files).

    ``reader.synset`` reads and parses each on its own; here all are read at once, ten times faster.
    """
    synsets = {}
    for line in _lines(_DATA[pos]):
        if line.startswith(" "):  # the licence
            continue
        fields = line.split(" ", 4 + 2 * 255)
        words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
        # adjectives may have a mark of their place, as in galore(ip)
        names = tuple(word.partition("(")[0] for word in words)
        synsets[int(fields[0])] = _Synset(int(fields[1]), names)
    return synsets


def _lines(name: str) -> Iterator[str]:
    """Yield the lines of a file of WordNet; NLTK's own way of lines takes thrice as long."""
    reader = wordnet()
    with _READING, reader.open(name) as file:
        lines = file.read().split("\n")
    yield from filter(None, lines)


def match_case(word: str, like: str) -> str:
    """Return a word in the case of another: all capitals, a first capital, or as it is.

    >>> match_case("movie", "Film"), match_case("movie", "FILM"), match_case("movie", "film")
    ('Movie', 'MOVIE', 'movie')
    """
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word[:1].upper() + word[1:] if like[:1].isupper() else word

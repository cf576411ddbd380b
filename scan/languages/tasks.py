"""Training and held-out pairs of a small language.

Of every class of words, some are *rare*: training has them in one place of one rule, and there in
a few pairs. Held out are pairs with such a word elsewhere or in other company, and pairs longer
than any in training.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from grammar.rng import stream_key, uniforms
from grammar.synchronous.grammar import SynchronousGrammar
from induction.corpus.corpus import Corpus
from sampling.sentences.pairs import sample_pairs
from scan.languages.features import feature_language
from scan.languages.invented import few_shot_split, invented_language
from scan.languages.language import Language
from scan.splits import Split

__all__ = ["language_split", "named_task"]

_DRAWN = 20
"""Draws for each training pair: distinct pairs are taken from them."""
_SMALL_CLASS = 6
_RARE = 3
"""One word in so many of a class is rare."""
_SHOWN = 4
"""Training pairs with a rare word, at most."""

_INVENTED = re.compile(r"invented-(\d+)")

_Use = tuple[int, int, int]
"""A rule, the number of its slot, and the rule that fills it."""


class _Drawn(NamedTuple):
    """A pair, and which rules fill which places in its derivation."""

    text: str
    target: str
    uses: frozenset[_Use]

    @property
    def length(self) -> int:
        return len(self.text.split())


def named_task(name: str, *, seed: int = 0) -> tuple[Language, Split]:
    """Return a language by its name, with training and held-out pairs.

    Parameters
    ----------
    name : str
        One of :data:`FEATURES`, or such as ``invented-7`` for the language invented from seed 7,
        whose training pairs are the few that are studied.
    seed : int
        Of the pairs.

    Raises
    ------
    OptionError
        If there is no such language.

    Examples
    --------
    >>> language, parts = named_task("invented-7")
    >>> language.about, len(parts.train), len(parts.test)
    ('4 words and 3 functions', 14, 10)
    """
    found = _INVENTED.fullmatch(name)
    if found is not None:
        invented = invented_language(int(found[1]))
        return invented, few_shot_split(invented, seed=seed)
    language = feature_language(name)
    return language, language_split(language, seed=seed)


def language_split(
    language: Language, *, seed: int = 0, train: int = 300, test: int = 200
) -> Split:
    """Draw training pairs, and held-out pairs with rare words elsewhere or of greater length.

    Both parts are a function of the language and the seed; the pairs of all lengths are alike in
    number, as far as the language has them.

    Parameters
    ----------
    language : Language
        The grammar may have recursion, but sources of a given length only finitely many.
    seed : int
        Of the draws, and of which words are rare.
    train, test : int
        Most pairs of the parts. A small language gives fewer.

    Returns
    -------
    Split
        Each source is in one part, once.

    Examples
    --------
    >>> from scan.languages.features import feature_language
    >>> parts = language_split(feature_language("order"), train=40, test=20)
    >>> len(parts.train), len(parts.test), parts.train[0]["text"]
    (40, 20, 'dance the cat')
    """
    drawn = _distinct(_draws(language, seed, _DRAWN * max(train, test)))
    short = [pair for pair in drawn if pair.length <= language.longest]
    homes = _homes(language.grammar, short, seed)
    shown: Counter[int] = Counter()
    kept: list[_Drawn] = []
    held: list[_Drawn] = []
    for pair in drawn:
        rare = {use for use in pair.uses if use[2] in homes}
        known = all(use[:2] == homes[use[2]] and shown[use[2]] < _SHOWN for use in rare)
        if not known or pair.length > language.longest:
            held.append(pair)
        else:
            kept.append(pair)
            shown.update(use[2] for use in rare)
    # what has a rare word comes first, so that it is there however few pairs are asked for
    kept.sort(key=lambda pair: not any(use[2] in homes for use in pair.uses))
    return Split(language.name, _corpus(kept[:train]), _corpus(held[:test]))


def _draws(language: Language, seed: int, count: int) -> Iterator[_Drawn]:
    lengths = (1, language.deeper)
    made = sample_pairs(language.grammar, count, seed=seed, source_length=lengths, flat=True)
    for row in made:
        uses = _uses(language.grammar, row["provenance"]["rules"])
        yield _Drawn(row["text"], row["target"], frozenset(uses))


def _uses(grammar: SynchronousGrammar, rules: Sequence[int]) -> Iterator[_Use]:
    """Yield which rule stands in which slot, from rule numbers in preorder."""
    open_places: list[tuple[int, int]] = []
    for rule in rules:
        if open_places:
            yield (*open_places.pop(), rule)
        open_places += [(rule, slot) for slot in reversed(range(grammar.rules[rule].arity))]


def _distinct(drawn: Iterable[_Drawn]) -> list[_Drawn]:
    """Return the first pair of each source."""
    first: dict[str, _Drawn] = {}
    for pair in drawn:
        first.setdefault(pair.text, pair)
    return list(first.values())


def _homes(
    grammar: SynchronousGrammar, drawn: Iterable[_Drawn], seed: int
) -> dict[int, tuple[int, int]]:
    """Choose the rare words, as rules, and for each the one place where training has it."""
    places: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for pair in drawn:
        for parent, slot, child in pair.uses:
            places[child].add((parent, slot))
    classes: dict[str, list[int]] = defaultdict(list)
    for number, rule in enumerate(grammar.rules):
        if rule.arity == 0 and number in places:
            classes[rule.lhs].append(number)
    chance = uniforms(stream_key(seed, "rare-words"), 0, 2 * len(grammar.rules))
    homes = {}
    for words in classes.values():
        if len(words) >= _SMALL_CLASS:
            words.sort(key=lambda number: chance[number])
            for number in words[: len(words) // _RARE]:
                known = sorted(places[number])
                homes[number] = known[int(chance[len(grammar.rules) + number] * len(known))]
    return homes


def _corpus(pairs: Iterable[_Drawn]) -> Corpus:
    pairs = list(pairs)
    return Corpus.from_columns(
        text=[pair.text for pair in pairs], target=[pair.target for pair in pairs]
    )

"""The texts of a grammar, subword token by subword token: what may come next, and its mass.

A state of a text is the prefix of whole words and a node of the trie of words: the characters of
the word that is begun. Its mass is that of the prefix, times the probability of all words that
begin so. A word is added to the prefix where a space is read, or the end of the text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.prefix.state import Prefix
from sampling.neural.decoding.words import ROOT, START, Steps, TokenTrie

__all__ = ["END", "Choices", "Place", "State", "TextLanguage"]

END = -1
"""The node of a text that has ended."""
_HELD = 1 << 24
"""So many numbers are kept of places, beside those of the text that is being written."""


class Place:
    """A prefix of whole words, with what is known of the next one.

    Attributes
    ----------
    prefix : Prefix
        The words.
    mass : float64[nodes]
        The probability that the next word begins as each node says.
    """

    def __init__(self, prefix: Prefix, mass: FloatArray) -> None:
        self.prefix, self.mass = prefix, mass
        self.after: dict[int, Place] = {}
        self.choices: dict[int, Choices] = {}


class State(NamedTuple):
    """A text that is begun: whole words, and the node of the word that is begun."""

    place: Place
    node: int


class Choices(NamedTuple):
    """The tokens that may come next, in the order of their numbers.

    Attributes
    ----------
    tokens : int64[choices]
        Their numbers.
    log_ratio : float64[choices]
        The logarithm of what each leaves of the mass of the state.
    nodes : int64[choices]
        The node that each leads to; END where it ends the text.
    places : int64[choices]
        The place of that, among ``beginnings``.
    beginnings : tuple of Place
        The prefixes of whole words that they lead to.
    """

    tokens: LongArray
    log_ratio: FloatArray
    nodes: LongArray
    places: LongArray
    beginnings: tuple[Place, ...]

    def state(self, choice: int) -> State:
        """Return the state that a choice leads to."""
        return State(self.beginnings[self.places[choice]], int(self.nodes[choice]))


class TextLanguage:
    """The texts of a grammar, with one space between words.

    Parameters
    ----------
    prefix : Prefix
        The one without words.
    tries : TokenTrie
        Of the words of its grammar, as texts have them.
    written : sequence of str
        The words, as texts have them, in the order of the grammar.
    weighted : bool
        Whether masses are those of the grammar; else each is one where it is not zero.
    """

    def __init__(
        self, prefix: Prefix, tries: TokenTrie, written: Sequence[str], *, weighted: bool
    ) -> None:
        self._prefix, self._tries, self._weighted = prefix, tries, weighted
        self._written = dict(zip(prefix.next_words().words, written, strict=True))
        self._held = 0
        self._first = self._place(prefix)

    def start(self) -> State:
        """Return the state of the text without characters."""
        if self._held > _HELD:
            self._held = 0
            self._first = self._place(self._prefix)
        return State(self._first, START)

    @property
    def log_total(self) -> float:
        """The logarithm of the mass of the start."""
        return self._prefix.log_mass if self._weighted else 0.0

    def log_probability(self, ended: State) -> float:
        """Return the logarithm of the grammar's probability of a text that has ended."""
        return ended.place.prefix.log_mass + math.log(ended.place.prefix.end)

    def text(self, state: State) -> str:
        """Return the whole words of a text, with one space between two."""
        return " ".join(self._written[word] for word in state.place.prefix.words)

    def choices(self, state: State) -> Choices:
        """Return what may come next."""
        known = state.place.choices
        if state.node not in known:
            found = _Found([], [], [], [])
            mass = float(state.place.mass[state.node])
            self._add(found, state.place, self._tries.steps(b"", state.node), 1.0 / mass)
            known[state.node] = found.choices(weighted=self._weighted)
            self._held += 2 * len(known[state.node].tokens)
        return known[state.node]

    def _add(self, found: _Found, place: Place, steps: Steps, scale: float) -> None:
        """Add what steps lead to, by their masses times a scale."""
        found.add(steps.tokens, place.mass[steps.nodes] * scale, steps.nodes, place)
        for begun, node in steps.over:
            if (chance := self._chance(place, node)) > 0.0:
                after = self._after(place, node)
                self._add(found, after, self._tries.steps(begun, ROOT), scale * chance)
        for node, tokens in steps.ends:
            if (chance := self._chance(place, node)) > 0.0:
                after = self._after(place, node)
                ratio = np.full(len(tokens), scale * chance * after.prefix.end)
                found.add(tokens, ratio, np.full(len(tokens), END), after)

    def _chance(self, place: Place, node: int) -> float:
        """Return the probability of the word that ends at a node; 1 at the start."""
        if node == START:
            return 1.0
        chance = place.prefix.next_words().probability[self._tries.words.word[node]]
        return float(chance)

    def _after(self, place: Place, node: int) -> Place:
        """Return the place after the word that ends at a node."""
        if node == START:
            return place
        if node not in place.after:
            words = place.prefix.next_words().words
            word = words[self._tries.words.word[node]]
            place.after[node] = self._place(place.prefix.extend([word]))
        return place.after[node]

    def _place(self, prefix: Prefix) -> Place:
        mass = self._tries.words.masses(prefix.next_words().probability)
        self._held += len(mass) + len(prefix.next_words().words)
        return Place(prefix, mass)


class _Found(NamedTuple):
    """Parts of choices."""

    tokens: list[LongArray]
    ratios: list[FloatArray]
    nodes: list[LongArray]
    places: list[Place]

    def add(self, tokens: LongArray, ratio: FloatArray, nodes: LongArray, place: Place) -> None:
        """Add tokens that lead to nodes of a place, if their ratio is not zero."""
        kept = np.flatnonzero(ratio > 0.0)
        if len(kept):
            self.tokens.append(tokens[kept])
            self.ratios.append(ratio[kept])
            self.nodes.append(nodes[kept])
            self.places.append(place)

    def choices(self, *, weighted: bool) -> Choices:
        """Return all of them in the order of their tokens."""
        if not self.tokens:
            none = np.zeros(0, np.int64)
            return Choices(none, np.zeros(0), none, none, ())
        tokens = np.concatenate(self.tokens)
        order = np.argsort(tokens, kind="stable")
        ratio = np.concatenate(self.ratios)[order]
        places = np.repeat(np.arange(len(self.places)), [len(part) for part in self.tokens])
        return Choices(
            tokens[order],
            np.log(ratio) if weighted else np.zeros(len(order)),
            np.concatenate(self.nodes)[order],
            places[order],
            tuple(self.places),
        )

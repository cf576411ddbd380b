"""Stage 4 of ALP where a language model reads along: open words are written from left to right.

Each open word is drawn from the words that ALP may put there, by ALP's own probability, times how
much more probable its first piece is to the model behind all that was written than it usually is,
times what the word gains beside one behind it that stays. A governor that is not yet written tells
nothing.

Several rows of one derivation are written side by side. What stays as it was may not fit what was
written before it; so rows weigh what the model says of it, and where few rows have all the weight,
they are drawn again by their weights (a particle filter: Gordon, Salmond & Smith 1993; for texts,
Lew, Zhi-Xuan, Grand & Mansinghka 2023).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from grammar.arrays import BoolArray, FloatArray, Index, LongArray
from grammar.rng import uniforms_of
from grammar.rules.backoff import path_below
from grammar.trees.surfaces import surface_of
from induction.corpus.text.tokens import detokenise
from sampling.alp.grammar import ALPGrammar
from sampling.alp.kernels import Fit, gains_behind
from sampling.alp.slots import Settings, Slots
from sampling.examples.spacing import touching
from sampling.joins.phrases import END, Phrases, phrases_of

__all__ = ["Candidates", "Prefixes", "Reader", "Writer", "candidates"]

POWER = 1.5
"""The power of what a model gains: more reads better, and is less varied."""
WEAR = 9.0
"""The power of how worn a phrase is: with 3 questions repeat more, beyond 6 little changes."""
_UNKNOWN = -1
"""The governor of a word that is written before it."""


class Prefixes(Protocol):
    """Beginnings of texts that a model has read, one a row."""

    following: FloatArray
    """float[rows, pieces]: the log-probability of every piece behind each."""

    def extend(self, piece: LongArray) -> FloatArray:
        """Read one piece more in each row, -1 for none; return its log-probability, or 0."""
        ...

    def keep(self, rows: LongArray) -> None:
        """Go on with these rows, of which some may be one."""
        ...


class Reader(Protocol):
    """A language model that reads texts from left to right, in pieces of words."""

    usual: FloatArray
    """float64[pieces]: the log-probability of every piece at whatever place of the source."""

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the pieces of texts."""
        ...

    def begin(self, rows: int) -> Prefixes:
        """Return so many empty beginnings."""
        ...


class Candidates(NamedTuple):
    """What may stand for an open word: forms, the rules that put them there, log-probabilities."""

    form: LongArray
    rule: LongArray
    log_probability: FloatArray


def candidates(
    grammar: ALPGrammar, o: Settings, leaf: int, symbols: tuple[int, int, int], own: int
) -> Candidates:
    """Return what ALP may put in the place of a leaf, with its probabilities.

    Parameters
    ----------
    grammar : ALPGrammar
        With the words of classes, and synonyms.
    o : Settings
        The options.
    leaf : int
        Which leaf of the frames.
    symbols : (int, int, int)
        The context of the word model: class and tag, label, governor (-1 where it is not known).
    own : int
        The form that stands there.

    Returns
    -------
    Candidates
        A form may be there several times, by several rules; the probabilities sum to 1.
    """
    forms, rules, shares = _words(grammar, o.back_off, symbols)
    row = int(grammar.frames.synonyms[leaf])
    synonym = o.synonym if row >= 0 else 0.0
    of_pool = o.pool if len(forms) else 0.0
    first, last = grammar.choices.synonym_offsets[row : row + 2] if row >= 0 else (0, 0)
    rest = max(0.0, 1.0 - of_pool - synonym)
    many = int(last - first)
    each = np.concatenate((of_pool * shares, np.full(many, synonym / max(many, 1)), [rest]))
    form = np.concatenate((forms, grammar.choices.synonym[first:last], [own])).astype(np.int64)
    rule = np.concatenate((rules, len(grammar.model.form) + np.arange(first, last), [-1]))
    there = each > 0
    return Candidates(form[there], rule[there].astype(np.int64), np.log(each[there]))


def _words(
    grammar: ALPGrammar, back_off: float, symbols: tuple[int, int, int]
) -> tuple[LongArray, LongArray, FloatArray]:
    """Return the words of a context, their most special entries, and their probabilities."""
    model, paths = grammar.model, list[int]()
    path: Index = np.int32(0)
    for symbol in symbols:
        path = path_below(model.trie, path, symbol) if symbol != _UNKNOWN else np.int32(0)
        if path <= 0:
            break
        paths.append(int(path))
    if not paths:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    entries = [model.first[p] + np.arange(int(model.trie.distinct[p])) for p in paths]
    order = np.argsort(model.form[entries[0]], kind="stable")
    rules = entries[0][order]
    forms, shares = model.form[rules].astype(np.int64), _shares(grammar, entries[0])[order]
    for p, own in zip(paths[1:], entries[1:], strict=True):
        back = back_off * model.trie.distinct[p]
        kept = model.trie.total[p] / (model.trie.total[p] + back)
        place = np.searchsorted(forms, model.form[own])
        shares = (1.0 - kept) * shares
        shares[place] += kept * _shares(grammar, own)
        rules[place] = own
    return forms, rules, shares


def _shares(grammar: ALPGrammar, entries: LongArray) -> FloatArray:
    """Return the relative frequencies of the entries of one context."""
    found: FloatArray = np.diff(grammar.model.ends[entries], prepend=0.0)
    return found


class Writer:
    """Writes the open words of derivations, as a reader likes them.

    Parameters
    ----------
    grammar : ALPGrammar
        What derivations are of.
    settings : Settings
        The options.
    fit : Fit
        What a word gains beside the one behind it.
    reader : Reader
        A language model.
    together : int
        So many rows in a row are of one derivation.
    """

    def __init__(
        self, grammar: ALPGrammar, settings: Settings, fit: Fit, reader: Reader, together: int
    ) -> None:
        self.grammar, self.settings, self.fit, self.reader = grammar, settings, fit, reader
        self.together = together

    def write(
        self,
        slots: Slots,
        classes: LongArray,
        key: np.uint64,
        numbers: LongArray,
        phrases: Phrases,
    ) -> None:
        """Write the open words of rows, which are drawn but not yet redrawn.

        Parameters
        ----------
        slots : Slots
            Derivations; their forms, rules and log-probabilities are changed.
        classes : int64[rows]
            The class of each.
        key, numbers : uint64, int64[rows]
            Row r goes by the stream ``numbers[r]`` of the key.
        phrases : Phrases
            What was given before, of :meth:`phrases`.
        """
        rows = np.flatnonzero(slots.size > 0)
        if len(rows):
            places = int(slots.size[rows].max()) + 1
            u = np.array([uniforms_of(key, int(k), 2 * places) for k in numbers[rows]])
            group = numbers[rows] // self.together
            each = _Each(rows, classes[rows], group, u.reshape(len(rows), places, 2))
            _Page(self, slots, each, phrases).write()

    def phrases(self) -> Phrases:
        """Return the phrases of the source, of which none was given yet."""
        texts = self.grammar.texts
        bounds = itertools.pairwise(np.concatenate(([0], np.cumsum(texts.words))).tolist())
        words = self.lower[texts.form].tolist()
        return Phrases(phrases_of(words[first:last]) for first, last in bounds)

    @functools.cached_property
    def shown(self) -> list[list[list[int]]]:
        """The pieces of every form, as one that touches the word before it and as one that not."""
        surfaces = [surface_of(form) for form in self.grammar.forms]
        return [self.reader.pieces([gap + s for s in surfaces]) for gap in ("", " ")]

    @functools.cached_property
    def first_piece(self) -> LongArray:
        """int64[2, forms]: the first piece of each."""
        return np.array([[p[0] if p else 0 for p in each] for each in self.shown], np.int64)

    @functools.cached_property
    def lower(self) -> LongArray:
        """int64[forms]: one number for all forms that differ in capitals only, and for articles."""
        lower = [form.lower() for form in self.grammar.forms]
        indefinite = self.grammar.choices.article > 0
        same = np.where(indefinite, "a", lower)
        found: LongArray = np.unique(same, return_inverse=True)[1]
        return found


class _Each(NamedTuple):
    """Of each row on a page: which of the slots it is, its class, and its derivation.

    ``u`` has two random numbers for each place, and two for the end.
    """

    rows: LongArray
    classes: LongArray
    group: LongArray
    u: FloatArray


class _Page:
    """Rows of derivations that are written side by side.

    Those of one derivation go on together: when all have been read, they are drawn again by their
    weights if need be, and the next open word of each is drawn.
    """

    def __init__(self, writer: Writer, slots: Slots, each: _Each, phrases: Phrases) -> None:
        self._writer, self._grammar, self._slots = writer, writer.grammar, slots
        self._phrases = phrases
        rows, self._classes, group, self._u = each
        self._rows = rows
        self._at, self._size = slots.at[rows], slots.size[rows]
        places = np.arange(int(self._size.max()))
        place = np.minimum(self._at[:, None] + places, len(slots.form) - 1)
        there = places < self._size[:, None]
        self._leaf, self._label = slots.leaf[place], slots.label[place]
        self._form = slots.form[place]
        self._rule = np.full(place.shape, -1, np.int64)
        self._open = there & self._grammar.frames.open[self._leaf]
        self._governor = slots.governor[place] - self._at[:, None]
        self._groups = [np.flatnonzero(group == g) for g in np.unique(group)]
        self._sheets = [self._sheet(int(k), slots.sentence[place]) for k, *_ in self._groups]
        self._likely, self._weight = np.zeros(len(rows)), np.zeros(len(rows))
        # of each row the pieces to come, and whether they weigh
        self._unread: list[list[tuple[int, bool]]] = [[] for _ in rows]
        self._prefixes = writer.reader.begin(len(rows))
        self._known: dict[Any, Candidates] = {}

    def _sheet(self, k: int, sentence: LongArray) -> tuple[list[bool], BoolArray]:
        """Find which words of a row stand apart from the one before, and have a capital."""
        size = int(self._size[k])
        words = [self._grammar.forms[form] for form in self._form[k, :size].tolist()]
        apart = [False, *(not touches for touches in touching(words, detokenise(words)))]
        begins = np.diff(sentence[k, :size], prepend=-1) != 0
        return apart, begins & self._grammar.texts.capital[sentence[k, :size]]

    def write(self) -> None:
        """Write all open words."""
        next_places = [0] * len(self._groups)
        while True:
            for g, rows in enumerate(self._groups):
                t = next_places[g]
                if t <= self._size[rows[0]] and not any(self._unread[k] for k in rows):
                    self._draw_again(rows, self._u[rows[0], t, 1])
                    next_places[g] = self._go_on(g, t)
            if not any(self._unread):
                break
            self._read()
        slots = self._slots
        for k, r in enumerate(self._rows.tolist()):
            here = slice(int(self._at[k]), int(self._at[k] + self._size[k]))
            slots.form[here] = self._form[k, : self._size[k]]
            slots.rule[here] = self._rule[k, : self._size[k]]
            slots.log_probability[r] += self._likely[k]

    def _go_on(self, g: int, t: int) -> int:
        """Write the word at a place of a group, and all that stay behind it; return the next."""
        rows, (apart, _) = self._groups[g], self._sheets[g]
        size, stop = int(self._size[rows[0]]), t + 1
        if t < size and self._open[rows[0], t]:
            for k in rows.tolist():
                self._write_one(g, k, t)
        while stop < size and not self._open[rows[0], stop]:
            stop += 1
        for place in range(t, min(stop, size)):
            shown = self._shown(g, place, self._form[rows, place])
            for k, form in zip(rows.tolist(), shown.tolist(), strict=True):
                weighs = not self._open[k, place]
                self._unread[k] += [(p, weighs) for p in self._writer.shown[apart[place]][form]]
        return stop

    def _read(self) -> None:
        """Read one piece more of each row that has one."""
        taken = [unread.pop(0) if unread else (-1, False) for unread in self._unread]
        gained = self._prefixes.extend(np.array([piece for piece, _ in taken], np.int64))
        self._weight += np.where([weighs for _, weighs in taken], gained, 0.0)

    def _shown(self, g: int, t: int, forms: LongArray) -> LongArray:
        """Return forms as they are shown at a place of a group: sentences may have a capital."""
        capital = self._sheets[g][1][t]
        return self._grammar.choices.capitals[forms].astype(np.int64) if capital else forms

    def _write_one(self, g: int, k: int, t: int) -> None:
        """Draw the word at a place of a row."""
        writer, found = self._writer, self._candidates(k, t)
        apart = int(self._sheets[g][0][t])
        pieces = writer.first_piece[apart, self._shown(g, t, found.form)]
        gained = self._prefixes.following[k, pieces] - writer.reader.usual[pieces]
        weights = found.log_probability + POWER * gained + self._behind(k, t, found.form)
        weights -= WEAR * self._worn(k, t)[writer.lower[found.form]]
        again = self._written_before(k, t, found.form)
        if not again.all():
            weights[again] = -np.inf
        highest = weights.max()
        ends = np.cumsum(np.exp(weights - highest))
        at = np.searchsorted(ends, self._u[k, t, 0] * ends[-1], side="right")
        choice = min(int(at), len(ends) - 1)
        self._form[k, t], self._rule[k, t] = found.form[choice], found.rule[choice]
        total = highest + np.log(ends[-1])
        self._likely[k] += weights[choice] - total
        self._weight[k] += total

    def _candidates(self, k: int, t: int) -> Candidates:
        leaf, above = int(self._leaf[k, t]), int(self._governor[k, t])
        written = above < t or not self._open[k, above]
        parent = 0 if above < 0 else int(self._form[k, above]) + 1 if written else _UNKNOWN
        tag = int(self._classes[k]) * 4096 + int(self._grammar.frames.tag[leaf])
        key = (leaf, (tag, int(self._label[k, t]), parent), int(self._form[k, t]))
        if key not in self._known:
            self._known[key] = candidates(self._grammar, self._writer.settings, *key)
        return self._known[key]

    def _behind(self, k: int, t: int, forms: LongArray) -> FloatArray | float:
        """Return what forms gain beside what stands behind them, if that is known."""
        last = t + 1 == self._size[k]
        if not last and self._open[k, t + 1]:
            return 0.0
        return gains_behind(self._writer.fit, forms, -1 if last else int(self._form[k, t + 1]))

    def _worn(self, k: int, t: int) -> FloatArray:
        """Return, by words in small letters, how worn the phrases are that are whole with them."""
        lower, size, stop = self._writer.lower, int(self._size[k]), t + 1
        while stop < size and not self._open[k, stop]:
            stop += 1
        words = lower[self._form[k, :stop]].tolist()
        behind = words[t + 1 :] + [END] * (stop == size)
        worn = np.zeros(int(lower.max()) + 1)
        for word, by in self._phrases.worn_between([END, *words[:t]], behind).items():
            worn[word] = by
        return worn

    def _written_before(self, k: int, t: int, forms: LongArray) -> BoolArray:
        """Say which forms a row has already, where words are open: no text says things twice."""
        lower = self._writer.lower
        before: BoolArray = np.isin(lower[forms], lower[self._form[k, :t][self._open[k, :t]]])
        return before

    def _draw_again(self, rows: LongArray, u: float) -> None:
        """Draw rows by their weights, where few have all the weight."""
        weights = np.exp(self._weight[rows] - self._weight[rows].max())
        if weights.sum() ** 2 >= np.square(weights).sum() * len(rows) / 2:
            return
        comb = (u + np.arange(len(rows))) / len(rows)
        drawn = np.searchsorted(np.cumsum(weights) / weights.sum(), comb, side="right")
        order = np.arange(len(self._weight))
        order[rows] = rows[np.minimum(drawn, len(rows) - 1)]
        self._weight[rows] = 0.0
        self._form, self._rule = self._form[order], self._rule[order]
        self._likely = self._likely[order]
        self._prefixes.keep(order)

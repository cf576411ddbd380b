"""Where a constituent hangs in its tree, and what heads it: what agreement and selection turn on.

A constituent's category is its label and the tag of its head word, so that ``VP VBZ`` is another
than ``VP VB``. Tags of pronouns and of *be* do not tell number, case and person; there the word
does (``NP PRP they``). A place is what stands around a constituent, without what it is itself: the
one that it depends on, from which side, and its nearest sister.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from grammar.arrays import IntArray, LongArray, kernel
from grammar.trees.treebank import Treebank
from induction.trees.heads import head_words

__all__ = ["Places", "places_of"]

_SIDES = ("left of", "right of")
NOTHING = "nothing"
_ALIKE = (
    "they we", "he she", "me him us them", "this that", "these those", "are 're", "am 'm",
    "myself yourself himself herself itself ourselves yourselves themselves",
    "i", "you", "it", "her", "his", "is", "was", "were", "who", "what", "which", "whose", "whom",
    "all", "each", "some", "both", "one",
)  # fmt: skip
"""Words with the same number, case and person, as far as these matter to what is beside them."""
_TELLING = MappingProxyType({word: row.split()[0] for row in _ALIKE for word in row.split()})
_SILENT = frozenset({"PRP", "PRP$", "DT", "WP", "WP$", "WDT", "VBP", "VBD", "PRON", "DET", "AUX"})
"""Tags that do not tell them."""


class Places(NamedTuple):
    """One value a node of a treebank: node n has ``names[codes[n]]``.

    Attributes
    ----------
    category, governor, sister : int64[nodes]
        Its label and the kind of its head word; the category of the lowest constituent above it
        that something else heads, and on which side of that head it stands; the category of the
        sister before it, or else behind it, and on which side.
    names : tuple of str
        Of all three.
    """

    category: LongArray
    governor: LongArray
    sister: LongArray
    names: tuple[str, ...]


def places_of(bank: Treebank) -> Places:
    """Return the categories and places of the nodes of trees.

    >>> bank = Treebank.parse("(S (NP (PRP She)) (VP (MD can) (VP (VB swim))))")
    >>> places = places_of(bank)
    >>> for node in (1, 4, 7):
    ...     print(*(places.names[row[node]] for row in places[:3]), sep=", ")
    NP PRP he, left of S MD, left of VP MD
    VP MD, right of nothing, right of NP PRP he
    VP VB, right of VP MD, right of MD MD
    """
    heads = head_words(bank)
    kind, kinds = _kinds_of_heads(bank, heads)
    width = max(len(bank.symbols), len(kinds))
    category = bank.label.astype(np.int64) * width + kind
    governor, right = _governors(bank.parent, heads)
    sister, behind = _sisters(bank)
    codes = np.concatenate(
        (
            category,
            _sided(np.where(governor >= 0, category[governor], -1), right, width),
            _sided(np.where(sister >= 0, category[sister], -1), behind, width),
        )
    )
    used, code = np.unique(codes, return_inverse=True)
    symbols = list(bank.symbols)
    names = tuple(_name(int(value), width, symbols, kinds) for value in used)
    category, governor, sister = code.astype(np.int64).reshape(3, -1)
    return Places(category, governor, sister, names)


def _kinds_of_heads(bank: Treebank, heads: LongArray) -> tuple[LongArray, list[str]]:
    """Return what kind of word heads each node: its tag, or where that is silent the word too."""
    word = bank.label[heads].astype(np.int64)
    tag = np.where(bank.parent[heads] >= 0, bank.label[bank.parent[heads]], word)
    symbols = list(bank.symbols)
    telling = [_TELLING.get(symbol.lower(), "") for symbol in symbols]
    silent = np.array([symbol in _SILENT for symbol in symbols], np.bool_)
    told = silent[tag] & np.array([bool(name) for name in telling], np.bool_)[word]
    pairs, kind = np.unique(
        np.stack((tag, np.where(told, word, -1)), axis=1), axis=0, return_inverse=True
    )
    names = [f"{symbols[t]} {telling[w]}" if w >= 0 else symbols[t] for t, w in pairs.tolist()]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], np.int64)[kind.ravel()], list(numbers)


@kernel()
def _governors(parent: IntArray, heads: LongArray) -> tuple[LongArray, LongArray]:
    """Return the lowest node above each that another word heads (or -1), and on which side.

    1 says that this word stands before it, or that there is none.
    """
    found, right = np.full(len(parent), -1, np.int64), np.ones(len(parent), np.int64)
    for node in range(len(parent)):  # what is above comes first
        above = parent[node]
        if above < 0:
            continue
        found[node] = found[above] if heads[above] == heads[node] else above
        if found[node] >= 0:
            right[node] = heads[found[node]] < node
    return found, right


def _sisters(bank: Treebank) -> tuple[LongArray, LongArray]:
    """Return the sister before each node, else the one behind it (or -1), and whether before."""
    size = len(bank.label)
    nodes = np.arange(size)
    last = nodes + bank.size
    before = np.full(size, -1, np.int64)
    behind = np.full(size, -1, np.int64)
    follows = np.flatnonzero(
        (last < size) & (bank.parent[np.minimum(last, size - 1)] == bank.parent)
    )
    follows = follows[bank.parent[follows] >= 0]
    behind[follows] = last[follows]
    before[last[follows]] = follows
    return np.where(before >= 0, before, behind), (before >= 0).astype(np.int64)


def _sided(category: LongArray, right: LongArray, width: int) -> LongArray:
    """Return numbers, above all categories, of categories and the side on which one stands."""
    return width * width + 2 * (category + 1) + right


def _name(code: int, width: int, symbols: list[str], kinds: list[str]) -> str:
    if code < width * width:
        return f"{symbols[code // width]} {kinds[code % width]}"
    category, right = divmod(code - width * width, 2)
    what = _name(category - 1, width, symbols, kinds) if category else NOTHING
    return f"{_SIDES[right]} {what}"

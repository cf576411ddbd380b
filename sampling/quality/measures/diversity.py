"""Diversity: how many different n-grams, grammar rules and tree shapes there are.

All are types over tokens, which fall with the size of a corpus whatever its quality. So two corpora
are compared by rarefaction: the expected number of types in m tokens drawn without replacement,
which has a closed form (Hurlbert 1971, equation 12), and needs no draws.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from grammar.arrays import (
    FloatArray,
    IntArray,
    LongArray,
    empty_paths,
    extend_path,
    kernel,
    reserve_paths,
)
from grammar.errors import OptionError
from grammar.options import whole_number
from grammar.trees.treebank import Treebank
from sampling.quality.measures.words import Text, ngram_ids, shared_words

__all__ = [
    "Types",
    "distinct_n",
    "new_types",
    "ngram_types",
    "rarefied",
    "rule_types",
    "shape_types",
]


@dataclass(frozen=True, eq=False)
class Types:
    """Tokens of some kind in a corpus: the type and the example of each.

    Examples
    --------
    >>> Types(np.array([4, 4, 7]), np.array([0, 0, 1])).ratio
    0.6666666666666666
    """

    ids: LongArray
    owner: LongArray

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def counts(self) -> LongArray:
        """How often each type occurs."""
        return np.unique(self.ids, return_counts=True)[1]

    @property
    def ratio(self) -> float:
        """Types over tokens; 0 if there are none."""
        return len(self.counts) / len(self) if len(self) else 0.0


def distinct_n(corpus: Text, n: int, *, tokens: int | None = None) -> float:
    """Return distinct-n: the number of different n-grams over that of all n-grams.

    Parameters
    ----------
    corpus : Corpus
        The texts.
    n : int
        Length of the n-grams.
    tokens : int, optional
        Expect so many n-grams only, drawn without replacement (see :func:`rarefied`).

    References
    ----------
    Li et al. 2016, A diversity-promoting objective function for neural conversation models.

    Examples
    --------
    >>> from induction import Corpus
    >>> distinct_n(Corpus.from_columns(text=["a b a", "a b"]), 2)
    0.6666666666666666
    """
    whole_number("n", n, 1)
    (types,) = ngram_types(n, corpus)
    return types.ratio if tokens is None else rarefied(types.counts, tokens)


def ngram_types(n: int, *corpora: Text) -> list[Types]:
    """Return the n-grams of corpora with numbers in common."""
    words = shared_words(*corpora)
    found = []
    for w, ids in zip(words, ngram_ids(words, n)[-1], strict=True):
        there = ids >= 0
        found.append(Types(ids[there], np.repeat(np.arange(len(w)), w.lengths)[there]))
    return found


def rarefied(counts: LongArray, tokens: int) -> float:
    """Return the expected types over tokens of a draw without replacement.

    With N tokens, of which type g has c(g), and m of them drawn::

        (1 / m) * sum over g of (1 - C(N - c(g), m) / C(N, m))

    Raises
    ------
    OptionError
        If not 1 <= m <= N.

    References
    ----------
    Hurlbert 1971, The nonconcept of species diversity, Ecology 52, equation 12.

    Examples
    --------
    >>> round(rarefied(np.array([2, 1]), 2), 4)  # 3 pairs, of which 1 has one type
    0.8333
    """
    total = int(counts.sum())
    if not 1 <= tokens <= total:
        raise OptionError(f"cannot draw {tokens} of {total} tokens", hint="draw fewer, at least 1")
    sizes, times = np.unique(counts, return_counts=True)
    left = total - sizes
    with np.errstate(invalid="ignore"):
        log_absent = (
            gammaln(left + 1) - gammaln(left - tokens + 1)
            - gammaln(total + 1) + gammaln(total - tokens + 1)
        )  # fmt: skip
    absent = np.where(left >= tokens, np.exp(np.minimum(log_absent, 0)), 0.0)
    return float((times * (1 - absent)).sum() / tokens)


def rule_types(*treebanks: Treebank) -> list[Types]:
    """Return the rule uses of treebanks: a label with its children, any word alike.

    Examples
    --------
    >>> (types,) = rule_types(Treebank.parse("(S (A a) (B b)) (S (A c) (B d))"))
    >>> types.ratio  # S -> A B twice, A -> word twice, B -> word twice
    0.5
    """
    together = Treebank.concatenate(treebanks)
    ids = _rules(together.label, together.size, together.offsets)
    return [
        Types(ids[a:b][ids[a:b] >= 0], owner[ids[a:b] >= 0])
        for a, b, owner in _stretches(treebanks)
    ]


def shape_types(*treebanks: Treebank) -> list[Types]:
    """Return the shapes of trees: all labels and brackets, without the words.

    Examples
    --------
    >>> (types,) = shape_types(Treebank.parse("(S (A a) (B b)) (S (A c) (B d)) (S (A b))"))
    >>> types.ids.tolist()
    [0, 0, 1]
    """
    together = Treebank.concatenate(treebanks)
    label = np.where(together.is_word, -1, together.label)
    nodes = np.stack((label, together.size), axis=1).astype(np.int32)
    bounds, seen = together.offsets.tolist(), dict[bytes, int]()
    ids = [seen.setdefault(nodes[a:b].tobytes(), len(seen)) for a, b in itertools.pairwise(bounds)]
    ends = np.cumsum([0, *map(len, treebanks)])
    return [
        Types(np.array(ids[a:b], np.int64), np.arange(b - a)) for a, b in itertools.pairwise(ends)
    ]


def new_types(types: Types, known: Types) -> FloatArray:
    """Return 1 for each token whose type is not among the known ones, and 0 for others."""
    return np.asarray(~np.isin(types.ids, known.ids), np.float64)


def _stretches(treebanks: tuple[Treebank, ...]) -> list[tuple[int, int, LongArray]]:
    """Return where the nodes of each treebank lie among all, and the tree of each node."""
    end, found = 0, []
    for treebank in treebanks:
        owner = np.repeat(np.arange(len(treebank)), np.diff(treebank.offsets))
        found.append((end, end + len(owner), owner))
        end += len(owner)
    return found


@kernel()
def _rules(label: IntArray, size: IntArray, offsets: LongArray) -> LongArray:
    """Return the number of the rule used at each node; -1 at words."""
    ids = np.full(len(label), -1, np.int64)
    table = empty_paths()
    for tree in range(len(offsets) - 1):
        start, end = offsets[tree], offsets[tree + 1]
        table = reserve_paths(table, 2 * (end - start))
        _tree_rules(label, size, start, end, table[0], table[1], table[2], ids)
    return ids


@kernel()
def _tree_rules(
    label: IntArray,
    size: IntArray,
    start: int,
    end: int,
    keys: LongArray,
    values: IntArray,
    made: LongArray,
    ids: LongArray,
) -> None:
    for node in range(start, end):
        if size[node] == 1:
            continue
        rule = extend_path(keys, values, made, 0, label[node] + 1)
        child = node + 1
        while child < node + size[node]:
            # 0 stands for any word
            symbol = 0 if size[child] == 1 else label[child] + 1
            rule = extend_path(keys, values, made, rule, symbol)
            child += size[child]
        ids[node] = rule

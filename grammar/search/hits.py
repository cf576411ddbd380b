"""Hits: where a pattern is found, as columns, and what can be made of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, overload

import numpy as np
import pyarrow as pa

from grammar.arrays import BoolArray, LongArray
from grammar.errors import OptionError
from grammar.pictures.svg import Picture
from grammar.search.drawing import hits_picture, marked_tree_picture
from grammar.search.frequencies import Frequencies, counted
from grammar.search.patterns import parse_pattern
from grammar.search.samples import sampled
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank

__all__ = ["Hits"]

_VARIABLES = ("label", "words")
_SHOWN = 12


@dataclass(frozen=True, eq=False, repr=False)
class Hits:
    """Nodes of a treebank that a pattern finds, with the nodes that have names in it.

    Each hit is one way to find the pattern: if it has names, a node is there once for each
    choice of named nodes.

    Attributes
    ----------
    treebank : Treebank
        What was searched.
    pattern : str
        What was searched for.
    head : int64 array, shape (hits,)
        Numbers of nodes in the columns of the treebank, ascending.
    named : mapping of str to int64 array, shape (hits,)
        The same of the nodes that have names; -1 where a hit has no such node.

    Examples
    --------
    >>> treebank = Treebank.parse("(S (NP (PRP we)) (VP (VBD saw) (NP (NNS cats))))")
    >>> hits = treebank.search("VP < (NP < /^N/=noun)")
    >>> hits
    1 hit in 1 of 1 trees: VP < (NP < /^N/=noun)
      saw cats  [noun: NNS cats]
    >>> hits.count(by="noun.words")["cats"]
    1
    """

    treebank: Treebank
    pattern: str
    head: LongArray
    named: Mapping[str, LongArray]

    def __len__(self) -> int:
        return len(self.head)

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice) -> Hits: ...
    def __getitem__(self, index: int | slice) -> Tree | Hits:
        """Return the tree below a hit, or a part of the hits."""
        if isinstance(index, slice):
            return self.take(np.arange(len(self))[index])
        return self._tree_at(int(self.head[range(len(self))[index]]))

    def __iter__(self) -> Iterator[Tree]:
        return (self._tree_at(node) for node in self.head.tolist())

    def __repr__(self) -> str:
        return "\n  ".join([self.summary(), *self.lines()])

    def _repr_svg_(self) -> str | None:
        return self.show().svg() if len(self) else None

    def lines(self, most: int = _SHOWN) -> list[str]:
        """Return the words of the first hits, with the nodes that have names, a line for each."""
        return self._with_rest([self._line(place) for place in range(min(len(self), most))])

    def concordance(self, most: int = _SHOWN, width: int = 40) -> list[str]:
        """Return the first hits in their sentences, a line for each, one below the other.

        Parameters
        ----------
        most : int
            How many hits.
        width : int
            At most so many characters of what stands before a hit, and of what stands after it.

        Examples
        --------
        >>> treebank = Treebank.parse("(S (NP we) (VP (VBD saw) (NP cats)))\\n(S (NP it) (VP ran))")
        >>> print("\\n".join(treebank.search("NP").concordance(width=8)))
                 [we] saw cats
          we saw [cats]
                 [it] ran
        """
        lines = []
        for (before, after), words in zip(self[:most].context(), self[:most].words(), strict=True):
            before = before if len(before) <= width else f"…{before[1 - width :].lstrip()}"
            after = after if len(after) <= width else f"{after[: width - 1].rstrip()}…"
            lines.append(f"{before:>{width}} [{words}] {after}".rstrip())
        return self._with_rest(lines)

    def context(self) -> list[tuple[str, str]]:
        """Return the words before and after each hit in its tree, with spaces between them."""
        bank = self.treebank
        found = []
        for tree, node in zip(self.tree.tolist(), self.head.tolist(), strict=True):
            parts = (bank.offsets[tree], node), (node + bank.size[node], bank.offsets[tree + 1])
            before, after = (self._words_between(int(first), int(last)) for first, last in parts)
            found.append((before, after))
        return found

    def facts(self) -> dict[str, Any]:
        """Return how many hits there are, as values that JSON can hold."""
        return {
            "pattern": self.pattern,
            "hits": len(self),
            "nodes": self.nodes,
            "trees_with_hits": len(self.found_in),
            "trees": len(self.treebank),
        }

    def summary(self) -> str:
        """Return how many hits there are, in one line."""
        hits = f"{len(self):,} hit{'' if len(self) == 1 else 's'}"
        nodes = f" at {self.nodes:,} nodes" if self.nodes != len(self) else ""
        trees = f"{len(self.found_in):,} of {len(self.treebank):,} trees"
        return f"{hits}{nodes} in {trees}: {self.pattern}"

    def missing(self) -> dict[str, str | None]:
        """Return the names in the pattern that no node has, each with a label that extends it.

        Such a label has functions: ``NP-SBJ`` for ``NP``. Where there is none, it is None.

        Examples
        --------
        >>> treebank = Treebank.parse("(S (NP-SBJ we) (VP ran))")
        >>> treebank.search("S < NP < XP").missing()
        {'NP': 'NP-SBJ', 'XP': None}
        """
        symbols = self.treebank.symbols
        names = {symbols[label] for label in np.unique(self.treebank.label).tolist()}
        folded = {name.lower() for name in names}
        found: dict[str, str | None] = {}
        for label in itertools.chain.from_iterable(p.labels for p in parse_pattern(self.pattern)):
            name = label.text
            if name is None or label.is_regex:
                continue
            if name not in names and not (label.fold and name.lower() in folded):
                longer = (other for other in names if re.match(f"{re.escape(name)}[-=]\\w", other))
                found[name] = min(longer, default=None)
        return found

    @cached_property
    def tree(self) -> LongArray:
        """int64 array, shape (hits,): the tree of each hit."""
        return np.searchsorted(self.treebank.offsets, self.head, side="right") - 1

    @cached_property
    def found_in(self) -> LongArray:
        """int64 array: the trees that have hits, each once, ascending."""
        return _distinct(self.tree)

    @property
    def node(self) -> LongArray:
        """int64 array, shape (hits,): the node of each hit in its tree, in preorder from 0."""
        return self.head - self.treebank.offsets[self.tree]

    @property
    def nodes(self) -> int:
        """How many nodes are hits, each counted once."""
        return len(_distinct(self.head))

    def take(self, chosen: Sequence[int] | LongArray | BoolArray) -> Hits:
        """Return the chosen hits, in the order of the treebank."""
        index = np.sort(np.arange(len(self))[np.asarray(chosen, None if len(chosen) else np.int64)])
        named = {name: nodes[index] for name, nodes in self.named.items()}
        return replace(self, head=self.head[index], named=named)

    def sample(self, n: int, seed: int = 0) -> Hits:
        """Return n hits, drawn without replacement; all, if there are fewer.

        Raises
        ------
        OptionError
            If n is negative, or the seed is no whole number.
        """
        return self.take(sampled(len(self), n, seed))

    def trees(self) -> Treebank:
        """Return the whole trees that have hits, each once."""
        return self.treebank.take(self.found_in)

    def to_treebank(self, name: str | None = None) -> Treebank:
        """Return what stands at the hits, or at a named node, as trees of their own.

        Each node is there once. Words by themselves are no trees and are left out.

        Parameters
        ----------
        name : str, optional
            Of the node; else the node that is searched for.

        Raises
        ------
        OptionError
            If there is no such name.

        Examples
        --------
        >>> treebank = Treebank.parse("(S (NP we) (VP (VBD saw) (NP cats)))")
        >>> [str(tree) for tree in treebank.search("S << NP=n").to_treebank("n")]
        ['(NP we)', '(NP cats)']
        """
        bank = self.treebank
        nodes = np.unique(self._nodes_of(name))
        nodes = nodes[nodes >= 0]
        nodes = nodes[bank.size[nodes] > 1]
        sizes = bank.size[nodes].astype(np.int64)
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        index = np.arange(offsets[-1]) + np.repeat(nodes - offsets[:-1], sizes)
        return Treebank(bank.label[index], bank.size[index], offsets, bank.symbols)

    def nested(self, name: str | None = None) -> int:
        """Return how many trees of :meth:`to_treebank` stand within others of them, too.

        Their words are there twice, and a grammar that is induced counts their rules twice.

        >>> treebank = Treebank.parse("(NP (NP we) (PP (IN of) (NP us)))")
        >>> treebank.search("NP").nested()
        2
        """
        nodes = np.unique(self._nodes_of(name))
        nodes = nodes[(nodes >= 0) & (self.treebank.size[nodes] > 1)]
        ends = np.maximum.accumulate(nodes + self.treebank.size[nodes])
        return int((ends[:-1] > nodes[1:]).sum())

    def labels(self, name: str | None = None) -> list[str | None]:
        """Return the label of each hit, or of a named node; None where there is none."""
        symbols = self.treebank.symbols
        return [
            None if node < 0 else symbols[self.treebank.label[node]]
            for node in self._nodes_of(name).tolist()
        ]

    def words(self, name: str | None = None) -> list[str | None]:
        """Return the words below each hit, or below a named node, with spaces between them."""
        bank = self.treebank
        found: list[str | None] = []
        for node in self._nodes_of(name).tolist():
            end = node + int(bank.size[node])
            found.append(None if node < 0 else self._words_between(node, end))
        return found

    def to_arrow(self, *, context: bool = False) -> pa.Table:
        """Return a table with a row for each hit.

        Its columns are ``tree`` and ``node`` (numbers from 0, nodes in preorder), ``label`` and
        ``words``; and for each name the same three, as ``n``, ``n.label`` and ``n.words``. With
        context, the words ``before`` and ``after`` the hit in its tree, too.
        """
        columns: dict[str, Any] = {
            "tree": self.tree,
            "node": self.node,
            "label": pa.array(self.labels(), pa.string()),
            "words": pa.array(self.words(), pa.string()),
        }
        if context:
            around = self.context()
            columns["before"] = pa.array([before for before, _ in around], pa.string())
            columns["after"] = pa.array([after for _, after in around], pa.string())
        starts = self.treebank.offsets[self.tree]
        for name, nodes in self.named.items():
            columns[name] = pa.array(nodes - starts, mask=nodes < 0)
            columns[f"{name}.label"] = pa.array(self.labels(name), pa.string())
            columns[f"{name}.words"] = pa.array(self.words(name), pa.string())
        return pa.table(columns)

    def to_pandas(self) -> Any:
        """Return the columns of :meth:`to_arrow` as a data frame of pandas."""
        return self.to_arrow().to_pandas()

    def count(
        self,
        by: str | Sequence[str] = "label",
        *,
        of_trees: Mapping[str, Sequence[Any]] | None = None,
    ) -> Frequencies:
        """Count hits by variables.

        Parameters
        ----------
        by : str or sequence of str
            ``label`` or ``words`` of the hit, ``n.label`` or ``n.words`` of the node named n, or
            a variable of trees.
        of_trees : mapping of str to sequence, optional
            Variables of trees, such as genre: a value for each tree of the treebank.

        Raises
        ------
        OptionError
            If there is no such variable, or it has not one value for each tree.

        Examples
        --------
        >>> treebank = Treebank.parse("(S (NP we) (VP ran)) (S (NP they) (VP ran))")
        >>> treebank.search("NP").count(by="genre", of_trees={"genre": ["news", "poem"]})
        genre  hits  trees  per_1000_words
        news      1      1         500.000
        poem      1      1         500.000
        """
        variables = (by,) if isinstance(by, str) else tuple(by)
        trees = of_trees or {}
        for name, values in trees.items():
            if len(values) != len(self.treebank):
                raise OptionError(
                    f"the variable {name} has {len(values):,} values for "
                    f"{len(self.treebank):,} trees",
                    hint="give one value for each tree",
                )
        of_hits = {name: list(self._values(name, trees)) for name in variables}
        dividing = {name: trees[name] for name in of_hits if name in trees}
        return counted(of_hits, self.tree, "trees", dividing, self.treebank.lengths)

    def show(self, most: int = _SHOWN) -> Picture:
        """Return a picture of the first trees that have hits, with all their hits marked.

        Parameters
        ----------
        most : int
            How many trees to draw. For others, take or sample the hits first.

        Raises
        ------
        OptionError
            If there are no hits.
        """
        return hits_picture(self.treebank, self.head, self.named, most)

    def show_tree(self, tree: int, links: Sequence[str] = ()) -> Picture:
        """Return a picture of one tree with its hits marked, of which it may have none.

        Parameters
        ----------
        tree : int
            Its number.
        links : sequence of str, optional
            Of each node of the tree, in preorder, the address that its label leads to in a page,
            or nothing.

        Raises
        ------
        OptionError
            If there is no such tree.
        """
        if not 0 <= tree < len(self.treebank):
            raise OptionError(
                f"there is no tree {tree}", hint=f"trees are 0 to {len(self.treebank) - 1:,}"
            )
        first, last = np.searchsorted(self.head, self.treebank.offsets[tree : tree + 2])
        named = {name: nodes[first:last] for name, nodes in self.named.items()}
        return marked_tree_picture(self.treebank, tree, self.head[first:last], named, links)

    def _values(self, variable: str, of_trees: Mapping[str, Sequence[Any]]) -> Iterable[Any]:
        if variable in of_trees:
            values = of_trees[variable]
            return [values[tree] for tree in self.tree.tolist()]
        name, dot, kind = variable.rpartition(".")
        if kind in _VARIABLES and (name in self.named or not dot):
            read = self.labels if kind == "label" else self.words
            return read(name or None)
        known = [
            *of_trees,
            *_VARIABLES,
            *(f"{n}.{kind}" for n in self.named for kind in _VARIABLES),
        ]
        raise OptionError(
            f"there is no variable {variable!r}", hint=f"there are: {', '.join(known)}"
        )

    def _nodes_of(self, name: str | None) -> LongArray:
        if name is None:
            return self.head
        if name not in self.named:
            known = ", ".join(self.named) or "none"
            raise OptionError(
                f"no node of the pattern is named {name}",
                hint=f"names there are: {known}; NP={name} in the pattern gives one",
            )
        return self.named[name]

    def _with_rest(self, lines: list[str]) -> list[str]:
        """Return lines of the first hits, and behind them how many more there are."""
        rest = len(self) - len(lines)
        return [*lines, f"... and {rest:,} more"] if rest > 0 else lines

    def _words_between(self, first: int, last: int) -> str:
        """Return the words among the nodes first to last, the last excluded."""
        bank = self.treebank
        of_words = bank.label[first:last][bank.size[first:last] == 1]
        return " ".join(bank.symbols[word] for word in of_words.tolist())

    def _tree_at(self, node: int) -> Tree:
        bank = self.treebank
        if bank.size[node] == 1:
            raise OptionError(
                f"the hit {bank.symbols[bank.label[node]]!r} is a word and no tree",
                hint="read it with hits.words(), or search for the label above it",
            )
        return Tree.from_columns(bank.symbols, bank.label, bank.size, node)

    def _line(self, place: int) -> str:
        one = self.take([place])
        names = [
            f"{name}: {one.labels(name)[0]} {one.words(name)[0]}"
            for name in self.named
            if one.named[name][0] >= 0
        ]
        return f"{one.words()[0]}  [{'; '.join(names)}]" if names else str(one.words()[0])


def _distinct(ascending: LongArray) -> LongArray:
    return ascending[np.diff(ascending, prepend=-1) > 0]

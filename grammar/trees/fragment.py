"""Fragments: elementary trees, the rules of a tree-substitution grammar.

A fragment is a piece of a tree that keeps all children of a node or none. A node that keeps none
is a substitution site: there another fragment with that root goes in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grammar.errors import BracketError, OptionError
from grammar.rules.rules import Nonterminal, Production
from grammar.trees.folding import below, fold, shape, shown, written
from grammar.trees.tree import Tree, escape

__all__ = ["Fragment", "shown_tree"]

_PIECE = re.compile(r"[()]|[^() \t\n\v\f\r]+")
_SITE_MARK = "↓"


@dataclass(frozen=True, slots=True)
class Fragment:
    """An elementary tree: a label over children that are fragments, sites or words.

    Parameters
    ----------
    label : str
        Label of the root.
    children : tuple of Fragment, Nonterminal or str
        At least one. A :class:`~grammar.rules.rules.Nonterminal` is a substitution site, a string
        is a word.

    Raises
    ------
    BracketError
        If the children are not a tuple of at least one.

    Examples
    --------
    >>> fragment = Fragment.parse("(S (NP ) (VP (VBD saw) (NP )))")
    >>> fragment.root, fragment.frontier
    (Nonterminal('S'), (Nonterminal('NP'), 'saw', Nonterminal('NP')))
    >>> str(fragment), fragment.depth, fragment.nodes
    ('(S (NP ) (VP (VBD saw) (NP )))', 3, 5)
    >>> print(fragment.substitute([Tree("NP", ("we",)), Tree("NP", ("stars",))]))
    (S (NP we) (VP (VBD saw) (NP stars)))

    Notes
    -----
    Written as brackets, a site is a bracket without children, as in the discbracket format.
    """

    label: str
    children: tuple[Fragment | Nonterminal | str, ...]

    def __post_init__(self) -> None:
        if not self.children or not isinstance(self.children, tuple):
            raise BracketError(
                f"the children of {self.label!r} are {self.children!r}",
                hint="give a tuple of words, sites and fragments; a site is a Nonterminal",
            )

    @classmethod
    def parse(cls, text: str) -> Fragment:
        """Read exactly one bracketed fragment.

        Raises
        ------
        BracketError
            If the brackets are unbalanced, lack a label, or there is not exactly one fragment.
        """
        found: Fragment | Nonterminal | None = None
        # open brackets: the label, once it is read, and then the children
        open_brackets: list[list[Any]] = []
        for match in _PIECE.finditer(text):
            piece = match.group()
            if found is not None or (piece != "(" and not open_brackets):
                raise _malformed(f"{piece!r} stands outside the brackets", text, match.start())
            if piece == "(":
                if open_brackets and not open_brackets[-1]:
                    raise _malformed("a bracket has no label", text, match.start())
                open_brackets.append([])
            elif piece != ")":
                open_brackets[-1].append(piece)
            elif not open_brackets[-1]:
                raise _malformed("a bracket has no label", text, match.start())
            else:
                label, *children = open_brackets.pop()
                node = cls(label, tuple(children)) if children else Nonterminal(label)
                if open_brackets:
                    open_brackets[-1].append(node)
                else:
                    found = node
        if open_brackets:
            raise _malformed(f"{len(open_brackets)} brackets are not closed", text, len(text))
        if found is None:
            raise _malformed("there is no fragment", text, 0)
        if isinstance(found, Nonterminal):
            raise _malformed("the root has no children", text, 0)
        return found

    @classmethod
    def from_tree(cls, tree: Tree) -> Fragment:
        """Return a whole tree as a fragment without sites."""

        def convert(node: Tree | str, children: list[Any]) -> Any:
            return node if isinstance(node, str) else cls(node.label, tuple(children))

        made: Fragment = fold(tree, below, convert)
        return made

    @property
    def root(self) -> Nonterminal:
        """The symbol that this fragment rewrites."""
        return Nonterminal(self.label)

    @property
    def frontier(self) -> tuple[Nonterminal | str, ...]:
        """Its sites and words, left to right."""
        found: list[Nonterminal | str] = []
        stack: list[Fragment | Nonterminal | str] = [self]
        while stack:
            node = stack.pop()
            if isinstance(node, Fragment):
                stack.extend(reversed(node.children))
            else:
                found.append(node)
        return tuple(found)

    @property
    def sites(self) -> tuple[Nonterminal, ...]:
        """Its substitution sites, left to right."""
        return tuple(node for node in self.frontier if isinstance(node, Nonterminal))

    @property
    def depth(self) -> int:
        """Number of productions on the longest path down; 1 for a single production."""
        return fold(
            self,
            lambda node: [child for child in node.children if isinstance(child, Fragment)],
            lambda node, depths: 1 + max(depths, default=0),
        )

    @property
    def nodes(self) -> int:
        """Number of labelled nodes: the root, the inner ones and the sites, without the words."""
        inner = sum(1 for _ in self.expanded())
        return inner + len(self.sites)

    def expanded(self) -> Iterator[Fragment]:
        """Yield every node that has children, in preorder, as the fragment below it."""
        stack: list[Fragment] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(c for c in reversed(node.children) if isinstance(c, Fragment))

    def top(self) -> Production:
        """Return the production at its root, with the weight 1."""
        children = (c.root if isinstance(c, Fragment) else c for c in self.children)
        return Production(self.root, tuple(children))

    def productions(self) -> tuple[Production, ...]:
        """Return its productions in preorder, each with the weight 1."""
        return tuple(node.top() for node in self.expanded())

    def substitute(self, children: Sequence[Tree]) -> Tree:
        """Return the tree with one tree put in at each site, left to right.

        Raises
        ------
        OptionError
            If the trees are more or fewer than the sites, or the labels differ.
        """
        labels = [child.label for child in children]
        if labels != [site.name for site in self.sites]:
            raise OptionError(
                f"trees with the roots {labels} do not fit the sites of {self}",
                hint="give one tree with the same label for each site, left to right",
            )
        trees = iter(children)
        return self.as_tree(lambda site: next(trees))

    def as_tree(self, filled: Callable[[Nonterminal], Tree | str]) -> Tree:
        """Return a tree in which something stands at each site, asked for from left to right."""

        def convert(node: Fragment | Nonterminal | str, made: list[Any]) -> Any:
            if isinstance(node, Nonterminal):
                return filled(node)
            return node if isinstance(node, str) else Tree(node.label, tuple(made))

        tree: Tree = fold(self, below, convert)
        return tree

    def with_frontier(self, frontier: Sequence[Nonterminal | str]) -> Fragment:
        """Return the same inner nodes over other sites and words, as many as there are."""
        given = iter(frontier)

        def renewed(node: Fragment | Nonterminal | str, made: list[Any]) -> Any:
            if isinstance(node, Fragment):
                return Fragment(node.label, tuple(made))
            return next(given)

        made: Fragment = fold(self, below, renewed)
        return made

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self is other or shape(self) == shape(other)

    def __hash__(self) -> int:
        return hash(shape(self))

    def __repr__(self) -> str:
        return shown(self)

    def __str__(self) -> str:
        return written(
            self,
            opening=lambda node: f"({escape(node.label)} ",
            leaf=lambda leaf: escape(leaf) if isinstance(leaf, str) else f"({escape(leaf.name)} )",
            between=" ",
            closing=lambda node: ")",
        )

    def _repr_svg_(self) -> str:
        from grammar.trees.draw import tree_svg

        return tree_svg(shown_tree(self))


def shown_tree(fragment: Fragment) -> Tree:
    """Return a tree to look at, whose words include the sites with an arrow."""
    return fragment.as_tree(lambda site: f"{site.name}{_SITE_MARK}")


def _malformed(what: str, text: str, position: int) -> BracketError:
    return BracketError(
        what,
        where=f"column {position + 1} of {text[:60]!r}",
        hint="a fragment is written (VP (VBD saw) (NP )), where (NP ) is a site",
    )

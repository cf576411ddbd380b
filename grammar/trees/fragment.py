"""Fragments: elementary trees, the rules of a tree-substitution grammar.

A fragment is a piece of a tree that keeps all children of a node or none. A node that keeps none
is a substitution site: there another fragment with that root goes in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grammar.errors import BracketError, OptionError
from grammar.rules.rules import Nonterminal, Production
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
        return cls(
            tree.label,
            tuple(c if isinstance(c, str) else cls.from_tree(c) for c in tree.children),
        )

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
        return 1 + max((c.depth for c in self.children if isinstance(c, Fragment)), default=0)

    @property
    def nodes(self) -> int:
        """Number of labelled nodes: the root, the inner ones and the sites, without the words."""
        return 1 + sum(
            c.nodes if isinstance(c, Fragment) else isinstance(c, Nonterminal)
            for c in self.children
        )

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
        return self._filled(iter(children))

    def _filled(self, trees: Iterator[Tree]) -> Tree:
        return Tree(
            self.label,
            tuple(
                next(trees)
                if isinstance(child, Nonterminal)
                else child
                if isinstance(child, str)
                else child._filled(trees)
                for child in self.children
            ),
        )

    def with_frontier(self, frontier: Sequence[Nonterminal | str]) -> Fragment:
        """Return the same inner nodes over other sites and words, as many as there are."""
        given = iter(frontier)

        def renewed(node: Fragment) -> Fragment:
            return Fragment(
                node.label,
                tuple(
                    renewed(c) if isinstance(c, Fragment) else next(given) for c in node.children
                ),
            )

        return renewed(self)

    def __str__(self) -> str:
        pieces = []
        for child in self.children:
            if isinstance(child, Nonterminal):
                pieces.append(f"({escape(child.name)} )")
            else:
                pieces.append(escape(child) if isinstance(child, str) else str(child))
        return f"({escape(self.label)} {' '.join(pieces)})"

    def _repr_svg_(self) -> str:
        from grammar.trees.draw import tree_svg

        return tree_svg(shown_tree(self))


def shown_tree(fragment: Fragment) -> Tree:
    """Return a tree to look at, whose words include the sites with an arrow."""
    return Tree(
        fragment.label,
        tuple(
            shown_tree(child)
            if isinstance(child, Fragment)
            else f"{child.name}{_SITE_MARK}"
            if isinstance(child, Nonterminal)
            else child
            for child in fragment.children
        ),
    )


def _malformed(what: str, text: str, position: int) -> BracketError:
    return BracketError(
        what,
        where=f"column {position + 1} of {text[:60]!r}",
        hint="a fragment is written (VP (VBD saw) (NP )), where (NP ) is a site",
    )

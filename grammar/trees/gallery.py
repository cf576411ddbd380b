"""Pictures of fragments side by side, and of the derivation that puts them together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grammar.errors import OptionError
from grammar.files import PathLike
from grammar.pictures.svg import (
    ASCENT,
    DESCENT,
    INK,
    MARGIN,
    WORD,
    Label,
    Line,
    Picture,
    Shape,
    checked_suffix,
)
from grammar.rules.rules import Nonterminal
from grammar.trees.draw import BRANCH, WORD_SIZE, TreeNode, gallery_picture, pill, tree_layout
from grammar.trees.fragment import Fragment, shown_tree
from grammar.trees.tree import Tree

__all__ = ["COLOURS", "draw_derivation", "draw_fragments", "marked_picture"]

SITE = "#c2410c"
# neighbours in this order are easy to tell apart, and all are dark enough for text
COLOURS = ("#1f2d3d", "#c2410c", "#2f6ba8", "#7c3aed", "#a16207", "#be185d", "#0f766e", "#4d7c0f")


def draw_fragments(
    fragments: Iterable[Fragment], path: PathLike, titles: Sequence[str] | None = None
) -> None:
    """Save a gallery of fragments, in order, with their substitution sites marked.

    Parameters
    ----------
    fragments : iterable of Fragment
        At least one.
    path : str or Path
        ``.svg`` or ``.png``.
    titles : sequence of str, optional
        One above each.

    Raises
    ------
    OptionError
        If there is no fragment, the titles are more or fewer, or the suffix is another.
    OutputError
        If the path cannot be written.

    Examples
    --------
    >>> draw_fragments([], "none.svg")
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: there is no fragment to draw
      hint: give at least one
    """
    checked_suffix(path)
    pictures = [_fragment_picture(fragment) for fragment in fragments]
    if not pictures:
        raise OptionError("there is no fragment to draw", hint="give at least one")
    if titles is not None and len(titles) != len(pictures):
        raise OptionError(
            f"{len(titles)} titles for {len(pictures)} fragments",
            hint="give one title for each fragment",
        )
    gallery_picture(pictures, titles).save(path)


def draw_derivation(fragments: Sequence[Fragment], path: PathLike) -> None:
    """Save a picture of the tree that fragments make, each in a colour of its own.

    Parameters
    ----------
    fragments : sequence of Fragment
        A derivation: each is put in at the leftmost site that is still open.
    path : str or Path
        ``.svg`` or ``.png``.

    Raises
    ------
    OptionError
        If the fragments do not fit, or leave sites open, or the suffix is another.
    OutputError
        If the path cannot be written.

    Examples
    --------
    >>> draw_derivation([Fragment.parse("(S (NP ) (VP swim))")], "open.svg")
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: the fragments are no derivation: a site NP stays open
      hint: give one fragment for each site, in preorder
    """
    checked_suffix(path)
    _derivation_picture(fragments).save(path)


def _fragment_picture(fragment: Fragment) -> Picture:
    nodes = tree_layout(shown_tree(fragment))
    # by place and not by name: a word may be spelt like a site
    items = list(_preorder(fragment))
    pills = [i for i, item in enumerate(items) if isinstance(item, Nonterminal)]
    inks = {Fragment: INK, Nonterminal: SITE, str: WORD}
    colours = [inks[type(item)] for item in items]
    bold = [isinstance(item, Fragment) and not _is_tag(item) for item in items]
    return marked_picture(nodes, colours, [BRANCH] * len(nodes), bold, pills, str(fragment))


def _is_tag(fragment: Fragment) -> bool:
    return all(isinstance(child, str) for child in fragment.children)


def _preorder(fragment: Fragment) -> Iterator[Fragment | Nonterminal | str]:
    stack: list[Fragment | Nonterminal | str] = [fragment]
    while stack:
        item = stack.pop()
        yield item
        if isinstance(item, Fragment):
            stack.extend(reversed(item.children))


def _derivation_picture(fragments: Sequence[Fragment]) -> Picture:
    owners, begins = _owners(fragments)
    colours = [COLOURS[owner % len(COLOURS)] for owner in owners]
    title = f"A derivation by {len(fragments)} fragments"
    nodes = tree_layout(_tree(fragments))
    return marked_picture(nodes, colours, colours, [node.is_bold for node in nodes], begins, title)


def marked_picture(
    nodes: Sequence[TreeNode],
    inks: Sequence[str],
    branches: Sequence[str],
    bold: Sequence[bool],
    pills: Iterable[int],
    title: str,
) -> Picture:
    """Draw nodes in preorder: texts in inks, branches below them, and marks around some."""
    shapes: list[Shape] = [
        _branch(node, child, colour)
        for node, colour in zip(nodes, branches, strict=True)
        for child in node.children
    ]
    shapes += [pill(nodes[i], inks[i]) for i in pills]
    shapes += [
        Label(node.x, node.y, node.text, node.size, ink, heavy)
        for node, ink, heavy in zip(nodes, inks, bold, strict=True)
    ]
    return Picture(
        2 * MARGIN + nodes[0].left + nodes[0].right,
        max(node.y for node in nodes) + DESCENT * WORD_SIZE + MARGIN,
        tuple(shapes),
        title,
    )


def _branch(parent: TreeNode, child: TreeNode, colour: str) -> Line:
    top, bottom = parent.y + DESCENT * parent.size + 2, child.y - ASCENT * child.size - 4
    return Line(parent.x, top, child.x, bottom, colour, 1.4)


def _owners(fragments: Sequence[Fragment]) -> tuple[list[int], list[int]]:
    """Return the fragment of each node and word in preorder, and where fragments begin."""
    owners: list[int] = []
    begins: list[int] = []
    waiting: list[tuple[Fragment | Nonterminal | str, int]] = [(fragments[0].root, 0)]
    while waiting:
        item, owner = waiting.pop()
        if isinstance(item, Nonterminal):
            if len(begins) == len(fragments):
                raise _no_derivation(f"a site {item} stays open")
            owner, item = len(begins), fragments[len(begins)]
            begins.append(len(owners))
        owners.append(owner)
        if isinstance(item, Fragment):
            waiting += [(child, owner) for child in reversed(item.children)]
    if len(begins) < len(fragments):
        raise _no_derivation(f"there is no site for {fragments[len(begins)]}")
    return owners, begins


def _tree(fragments: Sequence[Fragment]) -> Tree:
    made: list[Tree] = []
    for fragment in reversed(fragments):
        sites = len(fragment.sites)
        below = [made.pop() for _ in range(sites)]
        made.append(fragment.substitute(below))
    return made[0]


def _no_derivation(what: str) -> OptionError:
    return OptionError(
        f"the fragments are no derivation: {what}",
        hint="give one fragment for each site, in preorder",
    )

"""Trees with their hits marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from grammar.arrays import LongArray
from grammar.errors import OptionError
from grammar.pictures.svg import INK, QUIET, WORD, Label, Picture
from grammar.trees.draw import ACCENT, BRANCH, gallery_picture, tree_layout
from grammar.trees.gallery import COLOURS, marked_picture
from grammar.trees.treebank import Treebank

__all__ = ["hits_picture", "marked_tree_picture"]

_OF_NAMES = tuple(colour for colour in COLOURS if colour not in (ACCENT, INK))


def hits_picture(
    treebank: Treebank, head: LongArray, named: Mapping[str, LongArray], most: int
) -> Picture:
    """Draw the first trees that have hits, side by side.

    What stands below a hit has its colour, and there is a frame around its label; nodes with names
    have frames of other colours.

    Parameters
    ----------
    treebank : Treebank
        The trees.
    head : int64 array
        Nodes in its columns, ascending: the hits.
    named : mapping of str to int64 array
        With each hit the nodes that have names, or -1.
    most : int
        How many trees to draw.

    Raises
    ------
    OptionError
        If there are no hits, or no tree is asked for.
    """
    if not len(head) or most < 1:
        raise OptionError(
            "there is no hit to draw", hint="search for something that is found, and draw 1 or more"
        )
    of_hits = np.searchsorted(treebank.offsets, head, side="right") - 1
    trees = np.unique(of_hits)[:most].tolist()
    pictures = []
    for tree in trees:
        rows = np.flatnonzero(of_hits == tree)
        inside = {name: nodes[rows] for name, nodes in named.items()}
        pictures.append(marked_tree_picture(treebank, tree, head[rows], inside))
    return gallery_picture(pictures, [f"tree {tree}" for tree in trees])


def marked_tree_picture(
    treebank: Treebank,
    tree: int,
    head: LongArray,
    named: Mapping[str, LongArray],
    links: Sequence[str] = (),
) -> Picture:
    """Draw one tree with its hits marked.

    Parameters
    ----------
    treebank, head, named
        As of :func:`hits_picture`; all hits are in this tree.
    tree : int
        The tree.
    links : sequence of str, optional
        Of each node of the tree, in preorder, the address that its label leads to, or nothing.
    """
    start = int(treebank.offsets[tree])
    heads = {int(node) - start for node in head}
    marks = dict.fromkeys(heads, ACCENT)
    for place, nodes in enumerate(named.values()):
        colour = _OF_NAMES[place % len(_OF_NAMES)]
        marks |= {int(node) - start: colour for node in nodes if node >= 0}
    layout = tree_layout(treebank[tree])
    inks = [WORD if node.is_word else QUIET if node.is_tag else INK for node in layout]
    branches = [BRANCH] * len(layout)
    for top in sorted(heads):
        stop = top + int(treebank.size[start + top])
        # of a node the colour is that of the branches below it
        branches[top:stop] = [ACCENT] * (stop - top)
        inks[top:stop] = [ACCENT] * (stop - top)
    for node, colour in marks.items():
        inks[node] = colour
    title = " ".join(node.text for node in layout if node.is_word)
    bold = [node.is_bold or place in marks for place, node in enumerate(layout)]
    picture = marked_picture(layout, inks, branches, bold, sorted(marks), title)
    return _linked(picture, links) if links else picture


def _linked(picture: Picture, links: Sequence[str]) -> Picture:
    labels = iter(links)
    shapes = (
        replace(shape, link=next(labels)) if isinstance(shape, Label) else shape
        for shape in picture.shapes
    )
    return replace(picture, shapes=tuple(shapes))

"""Trees as labelled spans and tags, and back: chains of single constituents are one label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grammar.errors import CorpusError
from grammar.trees.tree import Tree

__all__ = ["Chain", "Spans", "spans_of_tree", "tree_of_spans"]

Chain = tuple[str, ...]
Labelled = tuple[int, int, Chain]


@dataclass(frozen=True)
class Spans:
    """A tree without its words.

    Attributes
    ----------
    constituents : tuple of (int, int, tuple of str)
        Begin, end, and the labels from above of each, in preorder; a single word has one only if
        there is something above its tag.
    tags : tuple of str
        One a word.
    """

    constituents: tuple[Labelled, ...]
    tags: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.tags)


def spans_of_tree(tree: Tree) -> Spans:
    """Return the constituents of a tree, and the tags of its words.

    Raises
    ------
    CorpusError
        If a word has no tag of its own.

    Examples
    --------
    >>> spans = spans_of_tree(Tree.parse("(S (NP (PRP We)) (VP (VBD slept) (ADVP (RB well))))"))
    >>> spans.tags
    ('PRP', 'VBD', 'RB')
    >>> spans.constituents
    ((0, 3, ('S',)), (0, 1, ('NP',)), (1, 3, ('VP',)), (2, 3, ('ADVP',)))
    """
    chains: dict[tuple[int, int], list[str]] = {}
    for label, begin, end in tree.spans():
        chains.setdefault((begin, end), []).append(label)
    words = tree.leaves()
    tags = []
    for place, word in enumerate(words):
        if (place, place + 1) not in chains:
            raise CorpusError(
                f"the word {word!r} has no tag",
                where=str(tree)[:60],
                hint="every word stands alone below its part of speech: (NN dog)",
            )
        tags.append(chains[place, place + 1].pop())
    made = tuple((*span, tuple(chain)) for span, chain in chains.items() if chain)
    return Spans(made, tuple(tags))


def tree_of_spans(words: Sequence[str], tags: Sequence[str], spans: Iterable[Labelled]) -> Tree:
    """Return the tree of constituents, the first of which is over all words.

    Examples
    --------
    >>> str(tree_of_spans(["We", "slept"], ["PRP", "VBD"], [(0, 2, ("TOP", "S"))]))
    '(TOP (S (PRP We) (VBD slept)))'
    """
    leaves = [(place, place + 1, (tag,)) for place, tag in enumerate(tags)]
    # stable, so that a word comes behind what is above it
    nodes = sorted([*spans, *leaves], key=lambda node: (node[0], -node[1]))
    above: list[tuple[Tree, int, int]] = []
    for begin, end, chain in reversed(nodes):
        children: list[Tree | str] = []
        at = begin
        while at < end and above and above[-1][1] == at and above[-1][2] <= end:
            child, _, at = above.pop()
            children.append(child)
        made = Tree(chain[-1], tuple(children) if children else (words[begin],))
        for label in reversed(chain[:-1]):
            made = Tree(label, (made,))
        above.append((made, begin, end))
    return above[-1][0]

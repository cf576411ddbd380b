"""Constituents whose words need not stand side by side, and the trees that are made of them.

A constituent of words 1 and 3 is no stretch of its sentence, and a tree of brackets has stretches
alone. It is refused, or made continuous: *split* gives every stretch of it a node of its own, whose
label ends in ``*``; *raise* leaves it the stretch with its head (its first, if no head is marked),
and hands the others to the constituent above.

References
----------
Boyd (2007), Discontinuity revisited. van Cranenburgh, Scha & Bod (2016), Data-oriented parsing with
discontinuous constituents and function tags.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from grammar.errors import BracketError, OptionError, located
from grammar.messages import tell
from grammar.trees.brackets import UNLABELLED_ROOT
from grammar.trees.folding import fold
from grammar.trees.tree import Tree, escape
from grammar.trees.treebank import Treebank

__all__ = ["WAYS", "Constituent", "Sentence", "Word", "treebank_of_sentences"]

WAYS = ("refuse", "raise", "split")
"""What may become of discontinuous constituents."""

_HEADS = ("HD", "head")
_SPLIT = "*"
_MOST_LOWERED = 2_000
"""Signs and constituents of a sentence, to look at each of the one for each of the other."""


@dataclass
class Word:
    """A word at its place in the sentence, with its tag; no tag: it is a leaf by itself."""

    position: int
    form: str
    tag: str | None = None
    edge: str = ""


@dataclass
class Constituent:
    """A label over constituents and words, in any order; ``edge`` is its function above."""

    label: str
    parts: list[Constituent | Word] = field(default_factory=list)
    edge: str = ""


@dataclass(frozen=True)
class Sentence:
    """What stands at the top of a sentence, and where the sentence stands, for messages."""

    top: list[Constituent | Word]
    where: str


@dataclass(frozen=True)
class _Piece:
    """A tree over a stretch of words."""

    tree: Tree | str
    first: int
    stop: int
    is_head: bool


class _DiscontinuousError(Exception):
    """A constituent is no stretch of its sentence; its label is the argument."""


def treebank_of_sentences(sentences: Iterable[Sentence], discontinuous: str) -> Treebank:
    """Return sentences as a treebank.

    What stands at the top of a sentence beside others becomes one tree, ``TOP``. Signs at the top
    that stand within a constituent, as treebanks of German have them, are put into it; it is told
    how many.

    Parameters
    ----------
    sentences : iterable of Sentence
        In order.
    discontinuous : {"refuse", "raise", "split"}
        What becomes of constituents that are no stretches.

    Raises
    ------
    BracketError
        If a sentence has a discontinuous constituent, and these are refused.
    OptionError
        If there is no such way.

    Examples
    --------
    >>> verb = Constituent("VP", [Word(0, "Seen"), Word(2, "it")])
    >>> given = [Sentence([Constituent("S", [verb, Word(1, "we")])], "a.dbr:1")]
    >>> print(treebank_of_sentences(given, "split")[0])
    (S (VP* Seen) we (VP* it))
    >>> print(treebank_of_sentences(given, "raise")[0])
    (S (VP Seen) we it)
    """
    if discontinuous not in WAYS:
        raise OptionError(
            f"there is no way {discontinuous!r} with discontinuous constituents",
            hint=f"use {', '.join(WAYS)}",
        )
    trees, broken, moved = [], [], 0
    for sentence in sentences:
        moved += _lower_signs(sentence.top)
        try:
            with located(sentence.where):
                trees.append(_tree(sentence.top, discontinuous))
        except _DiscontinuousError as error:
            broken.append((sentence.where, str(error)))
    if broken:
        where, label = broken[0]
        raise BracketError(
            f"the words of a constituent {label} do not stand side by side; so it is in "
            f"{len(broken):,} of {len(broken) + len(trees):,} trees",
            where=where,
            hint="discontinuous constituents are made continuous with --discontinuous split (a "
            "node LABEL* a stretch) or raise (what is apart goes to the node above), in Python "
            "read_treebank(path, discontinuous='split')",
        )
    if moved:
        tell(f"{moved:,} signs of no constituent are put into those that they stand in")
    return Treebank.from_trees(trees)


def _tree(top: list[Constituent | Word], way: str) -> Tree:
    def value(node: Constituent | Word, found: list[list[_Piece]]) -> list[_Piece]:
        if isinstance(node, Word):
            return [_of_word(node)]
        return _pieces(node, [piece for pieces in found for piece in pieces], way)

    whole: Constituent | Word = Constituent("", list(top))
    made: list[_Piece] = fold(whole, _parts, value)
    (piece,) = made
    assert isinstance(piece.tree, Tree)
    only = piece.tree.children[0]
    if len(piece.tree.children) == 1 and isinstance(only, Tree):
        return only
    return Tree(UNLABELLED_ROOT, piece.tree.children)


def _of_word(word: Word) -> _Piece:
    form = escape(word.form)
    tree = form if word.tag is None else Tree(escape(word.tag), (form,))
    return _Piece(tree, word.position, word.position + 1, word.edge in _HEADS)


def _pieces(node: Constituent, found: Sequence[_Piece], way: str) -> list[_Piece]:
    """Return a constituent as trees over stretches, and what is left of it for the one above."""
    runs: list[list[_Piece]] = []
    for piece in sorted(found, key=lambda piece: piece.first):
        if runs and runs[-1][-1].stop == piece.first:
            runs[-1].append(piece)
        else:
            runs.append([piece])
    is_head = node.edge in _HEADS
    if len(runs) == 1:
        return [_over(escape(node.label) if node.label else "", runs[0], is_head)]
    if not node.label or way == "refuse":
        raise _DiscontinuousError(node.label)
    if way == "split":
        return [_over(escape(node.label) + _SPLIT, run, is_head) for run in runs]
    kept = next((run for run in runs if any(piece.is_head for piece in run)), runs[0])
    return [
        piece
        for run in runs
        for piece in ([_over(escape(node.label), run, is_head)] if run is kept else run)
    ]


def _over(label: str, run: Sequence[_Piece], is_head: bool) -> _Piece:
    tree = Tree(label, tuple(piece.tree for piece in run))
    return _Piece(tree, run[0].first, run[-1].stop, is_head)


def _lower_signs(top: list[Constituent | Word]) -> int:
    """Put signs at the top into the lowest constituent that has words on both sides of them."""
    signs = [part for part in top if isinstance(part, Word) and _is_sign(part)]
    ends = _ends(top) if signs else {}
    if not signs or len(signs) + len(ends) > _MOST_LOWERED:
        return 0
    kept = [part for part in top if not isinstance(part, Word) or not _is_sign(part)]
    targets = [_lowest_around(top, sign.position, ends) for sign in signs]
    for sign, target in zip(signs, targets, strict=True):
        (kept if target is None else target.parts).append(sign)
    top[:] = kept
    return sum(target is not None for target in targets)


def _lowest_around(
    parts: Sequence[Constituent | Word], position: int, ends: dict[int, tuple[int, int]]
) -> Constituent | None:
    found: Constituent | None = None
    while True:
        inner = next(
            (
                part
                for part in parts
                if isinstance(part, Constituent)
                and ends[id(part)][0] < position < ends[id(part)][1]
            ),
            None,
        )
        if inner is None:
            return found
        found, parts = inner, inner.parts


def _ends(top: list[Constituent | Word]) -> dict[int, tuple[int, int]]:
    """Return the first and the last word of each constituent, by its identity."""
    ends: dict[int, tuple[int, int]] = {}

    def value(node: Constituent | Word, found: list[tuple[int, int]]) -> tuple[int, int]:
        if isinstance(node, Word):
            return node.position, node.position
        ends[id(node)] = min(first for first, _ in found), max(last for _, last in found)
        return ends[id(node)]

    whole: Constituent | Word = Constituent("", top)
    fold(whole, _parts, value)
    return ends


def _parts(node: Constituent | Word) -> Sequence[Constituent | Word]:
    return node.parts if isinstance(node, Constituent) else ()


def _is_sign(word: Word) -> bool:
    return all(unicodedata.category(sign)[0] in "PS" for sign in word.form)

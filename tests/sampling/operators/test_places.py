"""Places and categories of constituents against a walk over trees."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.corpus.readers import read_treebank
from induction.trees.heads import head_children
from sampling.joins.constituents import _ALIKE, _SILENT, NOTHING, places_of
from tests.grammar.strategies import trees

Path = tuple[int, ...]
Found = dict[Path, tuple[str, int]]
"""By the path to a node: its category, and the number of its head word in the sentence."""


def walked(bank: Treebank) -> Iterator[tuple[str, str, str]]:
    """Yield category, governor and sister of every constituent in preorder; the slow way."""
    heads = iter(head_children(bank).tolist())
    for tree in bank:
        own: dict[Path, int] = {}
        _read_heads(tree, (), heads, own)
        found: Found = {}
        _find_categories(tree, (), own, found, [0])
        yield from _rows(tree, (), own, found, (NOTHING, True))


def _read_heads(node: Tree | str, at: Path, heads: Iterator[int], own: dict[Path, int]) -> None:
    own[at] = next(heads)
    for k, child in enumerate(node.children if isinstance(node, Tree) else ()):
        _read_heads(child, (*at, k), heads, own)


def _find_categories(
    node: Tree | str, at: Path, own: dict[Path, int], found: Found, count: list[int]
) -> None:
    if isinstance(node, str):
        found[at] = (node, count[0])
        count[0] += 1
        return
    for k, child in enumerate(node.children):
        _find_categories(child, (*at, k), own, found, count)
    category, word = found[*at, own[at]]
    inner = node.children[own[at]]
    kind = category.split(" ", 1)[1] if not isinstance(inner, str) else _kind(node.label, inner)
    found[at] = (f"{node.label} {kind}", word)


def _kind(tag: str, word: str) -> str:
    telling = next((row.split()[0] for row in _ALIKE if word.lower() in row.split()), "")
    return f"{tag} {telling}" if telling and tag in _SILENT else tag


def _rows(
    node: Tree | str, at: Path, own: dict[Path, int], found: Found, above: tuple[str, bool]
) -> Iterator[tuple[str, str, str]]:
    if isinstance(node, str):
        return
    sister = NOTHING, False
    if at:
        before, behind = (*at[:-1], at[-1] - 1), (*at[:-1], at[-1] + 1)
        if before in found:
            sister = found[before][0], True
        elif behind in found:
            sister = found[behind][0], False
    yield found[at][0], _beside(above), _beside(sister)
    for k, child in enumerate(node.children):
        governed = above
        if k != own[at]:
            governed = found[at][0], found[at][1] < found[*at, k][1]
        yield from _rows(child, (*at, k), own, found, governed)


def _beside(one: tuple[str, bool]) -> str:
    return f"{'right of' if one[1] else 'left of'} {one[0]}"


def check(bank: Treebank) -> int:
    places = places_of(bank)
    nodes = [n for n in range(len(bank.label)) if not bank.is_word[n]]
    checked = 0
    for n, expected in zip(nodes, walked(bank), strict=True):
        if _has_a_word_beside(bank, n):
            continue  # a word has no category of the form of a constituent's
        assert tuple(places.names[row[n]] for row in places[:3]) == expected
        checked += 1
    return checked


def _has_a_word_beside(bank: Treebank, node: int) -> bool:
    above = bank.parent[node]
    return bool(above >= 0 and (bank.is_word & (bank.parent == above)).any())


@given(trees())
def test_places_are_those_of_a_walk(tree: Tree) -> None:
    check(Treebank.from_trees([tree]))


def test_places_of_the_embedded_treebank() -> None:
    assert check(read_treebank()[:60]) > 500


AGREEING = trees(
    labels=st.sampled_from(["S", "NP", "PRP", "VBD", "VBZ", "DT"]),
    words=st.sampled_from(["They", "we", "was", "is", "dog", "me", "them"]),
)


@given(AGREEING)
def test_where_tags_are_silent_words_tell(tree: Tree) -> None:
    check(Treebank.from_trees([tree]))


def test_what_agrees_alike_is_one_kind() -> None:
    rows = "(S (NP (PRP {})) (VP (VBD {}) (NP (DT the) (NN dog))))"
    pairs = [("They", "were"), ("we", "were"), ("It", "was"), ("him", "saw"), ("me", "saw")]
    bank = Treebank.parse("\n".join(rows.format(*pair) for pair in pairs))
    places = places_of(bank)
    subjects = bank.offsets[:-1] + 1
    names = [places.names[code] for code in places.category[subjects]]
    assert names == ["NP PRP they", "NP PRP they", "NP PRP it", "NP PRP me", "NP PRP me"]
    above = [places.names[code] for code in places.governor[subjects]]
    assert above == [f"left of S VBD{end}" for end in (" were", " were", " was", "", "")]

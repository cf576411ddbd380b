"""Patterns as text, and what they mean, said plainly and tried by enumeration."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from hypothesis import strategies as st

from grammar.search.patterns import (
    AllOf,
    AnyOf,
    Label,
    Node,
    NotOf,
    OptionalOf,
    Part,
    Pattern,
    Relation,
    parse_pattern,
)
from grammar.search.relations import Kind, Link
from grammar.trees.tree import Tree

SIGNS = (
    "<", ">", "<1", ">1", "<2", ">2", "<-1", ">-1", "<-2", ">-2", "<,", ">,", "<'", ">'", "<-",
    ">-", "<:", ">:", "<<", ">>", "<<,", ">>,", "<<'", ">>'", "<<:", ">>:", ".", ",", "..", ",,",
    "$", "$.", "$,", "$..", "$,,", "%..",
)  # fmt: skip
LABELS = ("A", "B", "x", "A|B", "*", "/^[Ax]/", "i@a")
Position = tuple[int, ...]
Names = dict[str, Position | None]


@st.composite
def patterns(draw: st.DrawFn, *, names: bool) -> str:
    """Patterns with up to two names, which are sometimes referred to."""
    free = ["n", "m"] if names else []
    given: list[str] = []

    def node(depth: int) -> str:
        if given and draw(st.integers(0, 3)) == 0:
            return f"={draw(st.sampled_from(given))}"
        label = draw(st.sampled_from(LABELS))
        if free and draw(st.booleans()):
            given.append(free.pop())
            label += f"={given[-1]}"
        if depth and draw(st.booleans()):
            return f"({label} {conditions(depth - 1)})"
        return label

    def condition(depth: int) -> str:
        kind = draw(st.integers(0, 6))
        before = {0: "! ", 1: "?"}.get(kind, "")
        if kind == 2 and depth:
            return f"{draw(st.sampled_from(['', '!', '?']))}[{conditions(depth - 1)}]"
        return f"{before}{draw(st.sampled_from(SIGNS))} {node(depth)}"

    def conditions(depth: int) -> str:
        parts = [condition(depth) for _ in range(draw(st.integers(1, 2)))]
        return draw(st.sampled_from([" ", " & ", " | "])).join(parts)

    text = node(2)
    if not text.startswith("("):
        text += f" {conditions(1)}"
    if given and draw(st.booleans()):
        text += f" : ={draw(st.sampled_from(given))} {conditions(1)}"
    return text


def positions(tree: Tree) -> list[Position]:
    """Return the places of all nodes, in preorder."""
    found: list[Position] = [()]
    for place, child in enumerate(tree.children):
        below = positions(child) if isinstance(child, Tree) else [()]
        found += [(place, *rest) for rest in below]
    return found


class Twin:
    """The meaning of one pattern in one tree, by trying every choice of named nodes."""

    def __init__(self, pattern: Pattern, tree: Tree) -> None:
        self.pattern = pattern
        self.places = positions(tree)
        self.labels = {place: self._label(tree, place) for place in self.places}

    def hits(self) -> set[tuple[int | None, ...]]:
        """Return the number of each node that is found, with those of the nodes with names."""
        names = self.pattern.names
        number: dict[Position | None, int | None] = {p: i for i, p in enumerate(self.places)}
        number[None] = None
        return {
            (number[head], *(number[given[name]] for name in names))
            for head in self.places
            for given in self._choices(names)
            if self._holds(self.pattern.head, head, given)
            and all(
                any(self._holds(segment, place, given) for place in self.places)
                for segment in self.pattern.segments
            )
        }

    def _choices(self, names: tuple[str, ...]) -> Iterator[Names]:
        for chosen in itertools.product([None, *self.places], repeat=len(names)):
            yield dict(zip(names, chosen, strict=True))

    def _label(self, tree: Tree, place: Position) -> str:
        node: Tree | str = tree
        for step in place:
            assert isinstance(node, Tree)
            node = node.children[step]
        return node if isinstance(node, str) else node.label

    def _holds(self, part: Part, at: Position, given: Names) -> bool:
        match part:
            case Node():
                return (
                    any(self._passes(label, at) for label in part.labels)
                    if part.reference is None
                    else given[part.reference] == at
                ) and (
                    all(given[name] == at for name in part.names)
                    and all(self._holds(each, at, given) for each in part.parts)
                )
            case Relation():
                return any(
                    self._related(part.link, at, other) and self._holds(part.parts[0], other, given)
                    for other in self.places
                )
            case AllOf():
                return all(self._holds(each, at, given) for each in part.parts)
            case AnyOf():
                return any(
                    self._holds(each, at, given)
                    and all(given[n] is None for n in set(part.defined) - set(each.defined))
                    for each in part.parts
                )
            case OptionalOf() if self._holds(part.parts[0], at, given):
                return True
            case NotOf() | OptionalOf():
                absent = isinstance(part, NotOf) or all(given[n] is None for n in part.defined)
                return absent and not any(
                    self._holds(part.parts[0], at, {**given, **more})
                    for more in self._choices(part.parts[0].defined)
                )
        raise AssertionError(part)

    def _passes(self, label: Label, at: Position) -> bool:
        name, text = self.labels[at], label.text
        if text is None:
            return True
        if label.is_regex:
            return re.search(text, name, re.IGNORECASE if label.fold else 0) is not None
        return name.lower() == text.lower() if label.fold else name == text

    def _related(self, link: Link, at: Position, other: Position) -> bool:
        a, b = (other, at) if link.is_inverse else (at, other)
        below = len(a) < len(b) and b[: len(a)] == a
        path = [b[:end] for end in range(len(a) + 1, len(b) + 1)]
        sisters = a != b and a[:-1] == b[:-1] and a != () != b
        words_a, words_b = self._words(a), self._words(b)
        match link.kind:
            case Kind.PARENT:
                return below and len(path) == 1
            case Kind.PARENT_OF_NTH:
                wanted = link.nth - 1 if link.nth > 0 else self._sisters(b) + link.nth
                return below and len(path) == 1 and b[-1] == wanted
            case Kind.PARENT_OF_ONLY:
                return below and len(path) == 1 and self._sisters(b) == 1
            case Kind.ANCESTOR:
                return below
            case Kind.ANCESTOR_LEFT:
                return below and all(step[-1] == 0 for step in path)
            case Kind.ANCESTOR_RIGHT:
                return below and all(step[-1] == self._sisters(step) - 1 for step in path)
            case Kind.ANCESTOR_SINGLE:
                return below and all(self._sisters(step) == 1 for step in path)
            case Kind.JUST_BEFORE:
                return words_a[-1] + 1 == words_b[0]
            case Kind.BEFORE:
                return words_a[-1] < words_b[0]
            case Kind.SISTER:
                return sisters
            case Kind.SISTER_JUST_BEFORE:
                return sisters and a[-1] + 1 == b[-1]
            case Kind.SISTER_BEFORE:
                return sisters and a[-1] < b[-1]
        raise AssertionError(link)

    def _sisters(self, at: Position) -> int:
        return sum(len(p) == len(at) and p[:-1] == at[:-1] for p in self.places)

    def _words(self, at: Position) -> list[int]:
        inner = {place[:-1] for place in self.places if place}
        words = [place for place in self.places if place not in inner]
        return [i for i, word in enumerate(words) if word[: len(at)] == at]


def twin_hits(text: str, trees: list[Tree]) -> set[tuple[int, int | None, tuple[int | None, ...]]]:
    """Return (tree, node, named nodes) of all hits of a pattern, by enumeration."""
    (pattern,) = parse_pattern(text)
    return {
        (number, head, tuple(named))
        for number, tree in enumerate(trees)
        for head, *named in Twin(pattern, tree).hits()
    }

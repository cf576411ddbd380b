"""Patterns of TGrep2, read from text.

A pattern is a tree of parts: nodes, relations to other nodes, and ``and``, ``or``, ``not`` and
``optional`` of them. Macros are put in where they are used.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grammar.errors import PatternError
from grammar.search.notation import error_at, fault_of_expression
from grammar.search.relations import Link, read_link

__all__ = [
    "AllOf",
    "AnyOf",
    "Label",
    "Node",
    "NotOf",
    "OptionalOf",
    "Part",
    "Pattern",
    "Relation",
    "parse_pattern",
]

_MOST_CHARACTERS, _MOST_PARTS, _MOST_NESTED = 10_000, 1_000, 60
_HINT = 'for example  S < (NP=subject $.. VP) ; quote labels such as "." or "PRP$"'


@dataclass(frozen=True)
class Label:
    """A test of labels and words: a name, a regular expression, or anything.

    Attributes
    ----------
    text : str or None
        The name or the expression; None accepts everything.
    is_regex : bool
        Whether it is an expression, of which a match may lie anywhere in the name.
    fold : bool
        Whether capitals count as small letters.
    """

    text: str | None
    is_regex: bool = False
    fold: bool = False


@dataclass(frozen=True)
class Part:
    """A part of a pattern.

    Attributes
    ----------
    parts : tuple of Part
        What it is made of.
    defined : tuple of str
        Names that nodes in it get; those in a negation are not seen from outside.
    used : frozenset of str
        Names that it refers to, but for those of its own negations.
    has_names : bool
        Whether any node in it has a name or is referred to.
    size, depth : int
        How many parts it has, itself included, and how many lie one in the other.
    """

    parts: tuple[Part, ...] = ()
    defined: tuple[str, ...] = field(init=False)
    used: frozenset[str] = field(init=False)
    has_names: bool = field(init=False)
    size: int = field(init=False)
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        defined = [*self._own_names, *(name for part in self.parts for name in part.defined)]
        used = self._own_reference.union(*(part.used for part in self.parts))
        inside = any(part.has_names for part in self.parts)
        object.__setattr__(self, "has_names", inside or bool(defined or used))
        if isinstance(self, NotOf):
            defined, used = [], used.difference(defined)
        object.__setattr__(self, "defined", tuple(defined))
        object.__setattr__(self, "used", used)
        object.__setattr__(self, "size", 1 + sum(part.size for part in self.parts))
        object.__setattr__(self, "depth", 1 + max((part.depth for part in self.parts), default=0))
        if self.size > _MOST_PARTS:
            raise _TooLargeError(f"the pattern has more than {_MOST_PARTS:,} parts")
        if self.depth > 4 * _MOST_NESTED:
            raise _TooLargeError("the pattern is nested too deeply")

    @property
    def _own_names(self) -> tuple[str, ...]:
        return ()

    @property
    def _own_reference(self) -> frozenset[str]:
        return frozenset()


@dataclass(frozen=True)
class Node(Part):
    """A node: a test of its label, or a reference to another node, and what must hold of it.

    ``parts`` are the conditions, all of which must hold.
    """

    labels: tuple[Label, ...] = ()
    names: tuple[str, ...] = ()
    reference: str | None = None

    @property
    def _own_names(self) -> tuple[str, ...]:
        return self.names

    @property
    def _own_reference(self) -> frozenset[str]:
        return frozenset() if self.reference is None else frozenset((self.reference,))


@dataclass(frozen=True)
class Relation(Part):
    """A relation of a node to another node, the only part."""

    link: Link = field(default_factory=lambda: _no_link())


@dataclass(frozen=True)
class AllOf(Part):
    """All parts hold."""


@dataclass(frozen=True)
class AnyOf(Part):
    """One part holds, or several do."""


@dataclass(frozen=True)
class NotOf(Part):
    """Its only part does not hold."""


@dataclass(frozen=True)
class OptionalOf(Part):
    """Its only part may hold; then its names are those of nodes."""


@dataclass(frozen=True)
class Pattern:
    """A node and segments, each of which begins with a reference; all must hold.

    Attributes
    ----------
    head : Node
        The node that is searched for.
    segments : tuple of Node
        What must hold of named nodes, too.
    """

    head: Node
    segments: tuple[Node, ...] = ()

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The head and the segments."""
        return (self.head, *self.segments)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of nodes, in the order in which they stand, each once."""
        return tuple(dict.fromkeys(name for node in self.nodes for name in node.defined))

    @property
    def labels(self) -> tuple[Label, ...]:
        """The tests of labels and words of all nodes, in the order in which they stand."""
        return tuple(itertools.chain.from_iterable(map(_labels_in, self.nodes)))


def _labels_in(part: Part) -> Iterator[Label]:
    if isinstance(part, Node):
        yield from part.labels
    for inner in part.parts:
        yield from _labels_in(inner)


def parse_pattern(text: str) -> tuple[Pattern, ...]:
    """Read patterns that stand between semicolons; a node is a hit if one of them finds it.

    Parameters
    ----------
    text : str
        At most 10,000 characters.

    Raises
    ------
    PatternError
        At the first place that does not follow the notation, with line, column and excerpt; if a
        name or a macro is used that is not defined; or if the pattern is too large.

    Examples
    --------
    >>> pattern, = parse_pattern("@ N /^N/; S < (@N=n $.. VP) : =n << NN")
    >>> pattern.names, pattern.head.labels
    (('n',), (Label(text='S', is_regex=False, fold=False),))
    >>> parse_pattern("S < (NP")
    Traceback (most recent call last):
    ...
    grammar.errors.PatternError: <pattern>:1:8: a closing bracket is missing
        S < (NP
               ^
      hint: close what is open: 1 bracket
    """
    import lark

    _check_size(text)
    try:
        tree = _reader().parse(text)
    except lark.exceptions.UnexpectedInput as error:
        raise _not_a_pattern(error, text) from None
    return _Reading(text).patterns(tree)


class _TooLargeError(Exception):
    """A part has more parts than are allowed; the text says so."""


class _Reading:
    """Makes parts of the syntax tree of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._macros: dict[str, Node] = {}

    def patterns(self, tree: Any) -> tuple[Pattern, ...]:
        found = []
        try:
            for statement in tree.children:
                if statement.data == "macro":
                    name, expression = statement.children
                    self._macros[name[1:].strip()] = self._node(expression)
                else:
                    found.append(self._pattern(statement))
        except _TooLargeError as error:
            raise PatternError(
                str(error), where="<pattern>", hint="use fewer or smaller macros and brackets"
            ) from None
        if not found:
            raise PatternError(
                "there are only macros", where="<pattern>", hint="add a pattern behind them"
            )
        return tuple(found)

    def _pattern(self, tree: Any) -> Pattern:
        head, *segments = tree.children
        made = [self._node(head)]
        for segment in segments:
            name, conditions = segment.children
            made.append(Node(self._given(conditions), reference=str(name[1:])))
        pattern = Pattern(made[0], tuple(made[1:]))
        self._check_names(pattern)
        return pattern

    def _node(self, tree: Any) -> Node:
        """Return the node of an expression, a label, or a reference."""
        if tree.data == "reference":
            return Node(reference=str(tree.children[0][1:]))
        if tree.data == "expression":
            node, conditions = tree.children
            return _with(self._node(node), self._given(conditions))
        names = tuple(str(t[1:]) for t in tree.children if getattr(t, "type", "") == "NAMED")
        nodes = [self._label(child) for child in tree.children if hasattr(child, "data")]
        first = nodes[0]
        if len(nodes) > 1:
            for child, node in zip(tree.children[::2], nodes, strict=False):
                if node.parts or node.names or node.reference:
                    raise self._error(
                        child.children[0],
                        "a macro between bars is more than labels",
                        "put the alternatives into relations: A [< @X | < @Y]",
                    )
            first = Node(labels=tuple(label for node in nodes for label in node.labels))
        return Node(first.parts, first.labels, (*first.names, *names), first.reference)

    def _label(self, tree: Any) -> Node:
        kind, token = tree.data, tree.children[-1]
        if kind == "use":
            if token[1:] not in self._macros:
                raise self._error(
                    token,
                    f"there is no macro {token[1:]}",
                    f"define it before it is used:  @ {token[1:]} /^N/ ; ...",
                )
            return self._macros[token[1:]]
        if kind == "any":
            return Node(labels=(Label(None),))
        written, fold = str(token), kind == "folded"
        if token.type == "LITERAL" and "\\" in written:
            raise self._error(
                token,
                "a backslash stands outside quotes and expressions",
                'bars need none: A|B ; quote a word that has one: "1\\\\/2"',
            )
        if token.type == "REGEX":
            return Node(labels=(self._regex(token, fold),))
        if token.type == "QUOTED":
            written = re.sub(r"\\(.)", r"\1", written[1:-1], flags=re.DOTALL)
        return Node(labels=(Label(written, fold=fold),))

    def _regex(self, token: Any, fold: bool) -> Label:
        expression = str(token)[1:-1].replace("\\/", "/")
        why = fault_of_expression(expression)
        if why is not None:
            raise self._error(
                token,
                f"the regular expression cannot be searched for: {why}",
                "expressions are RE2's: they have no (?=...) and no \\1",
            )
        return Label(expression, is_regex=True, fold=fold)

    def _given(self, conditions: Any) -> tuple[Part, ...]:
        """Return conditions, all of which must hold."""
        if conditions is None:
            return ()
        part = self._part(conditions)
        return part.parts if isinstance(part, AllOf) else (part,)

    def _part(self, tree: Any) -> Part:
        if tree.data == "link":
            sign, node = tree.children
            link = read_link(str(sign))
            if link is None:
                raise self._error(
                    sign, "children are counted from 1", "for example <1 or, from the right, <-1"
                )
            return Relation((self._node(node),), link)
        parts = tuple(self._part(child) for child in tree.children if hasattr(child, "data"))
        if tree.data == "negated":
            return NotOf(parts)
        if tree.data == "optional":
            return OptionalOf(parts)
        if len(parts) == 1:
            return parts[0]
        return AnyOf(parts) if tree.data == "conditions" else AllOf(parts)

    def _check_names(self, pattern: Pattern) -> None:
        """Refuse names that two nodes may have at once, and references to what may not be there."""
        given: dict[str, list[_Place]] = {}
        referred: list[tuple[str, _Place]] = []
        for name, place, is_reference in _named_places(pattern.nodes):
            if is_reference:
                referred.append((name, place))
            elif all(_are_alternatives(place, other) for other in given.get(name, ())):
                given.setdefault(name, []).append(place)
            else:
                raise self._error_of_name(
                    name,
                    f"two nodes are named {name}",
                    f"write ={name} alone for the same node, or give another name",
                )
        for name, place in referred:
            if name not in given:
                raise self._error_of_name(
                    name, f"no node is named {name}", f"name one first: NP={name}"
                )
            if not any(_is_seen_from(place, other) for other in given[name]):
                raise self._error_of_name(
                    name,
                    f"the name {name} is given inside a negation or an alternative, and used "
                    "outside of it",
                    "name the node outside of it",
                )

    def _error_of_name(self, name: str, what: str, hint: str) -> PatternError:
        found = re.search(rf"={re.escape(name)}(?![A-Za-z0-9_])", self._text)
        return error_at(self._text, found.start() if found else 0, what, hint)

    def _error(self, token: Any, what: str, hint: str) -> PatternError:
        return error_at(self._text, token.start_pos, what, hint)


def _with(node: Node, conditions: tuple[Part, ...]) -> Node:
    if not conditions:
        return node
    return Node((*node.parts, *conditions), node.labels, node.names, node.reference)


_Place = tuple[tuple[int, int], ...]
"""Negations and alternatives around a node: their numbers, and the place in alternatives, or -1."""


def _named_places(nodes: Iterable[Part]) -> Iterator[tuple[str, _Place, bool]]:
    """Yield each name with what is around it, and whether it is a reference."""
    count = itertools.count()
    waiting: list[tuple[Part, _Place]] = [(node, ()) for node in nodes]
    while waiting:
        part, around = waiting.pop()
        if isinstance(part, Node):
            yield from ((name, around, False) for name in part.names)
            if part.reference is not None:
                yield part.reference, around, True
        number = next(count)
        for branch, each in enumerate(part.parts):
            if isinstance(part, NotOf):
                waiting.append((each, (*around, (number, -1))))
            elif isinstance(part, AnyOf):
                waiting.append((each, (*around, (number, branch))))
            else:
                waiting.append((each, around))


def _are_alternatives(one: _Place, other: _Place) -> bool:
    """Say whether two places are in different alternatives of the same choice."""
    apart = next((pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]), None)
    return apart is not None and apart[0][0] == apart[1][0]


def _is_seen_from(place: _Place, other: _Place) -> bool:
    """Say whether a name given at another place can be referred to from a place."""
    if _are_alternatives(place, other):
        return False
    return all(around in place for around in other if around[1] == -1)


def _no_link() -> Link:
    raise TypeError("a relation has a link")


@functools.cache
def _reader() -> Any:
    import lark

    rules = (Path(__file__).parent / "tgrep2.lark").read_text(encoding="utf-8")
    return lark.Lark(rules, parser="lalr", maybe_placeholders=True)


def _check_size(text: str) -> None:
    if len(text) > _MOST_CHARACTERS:
        raise PatternError(
            f"the pattern has {len(text):,} characters",
            where="<pattern>",
            hint=f"write at most {_MOST_CHARACTERS:,}",
        )
    bare = re.sub(r'"(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)+/', "", text)
    steps = (1 if sign in "([" else -1 for sign in bare if sign in "([)]")
    if max(itertools.accumulate(steps), default=0) > _MOST_NESTED:
        raise PatternError(
            f"more than {_MOST_NESTED} brackets lie one in the other",
            where="<pattern>",
            hint="write parts of it as macros:  @ N (NP < NN) ; S < @N",
        )


def _not_a_pattern(error: Any, text: str) -> PatternError:
    token = getattr(error, "token", None)
    if getattr(token, "type", "") == "$END":
        bare = re.sub(r'"(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)+/', "", text)
        still = sum(bare.count(sign) for sign in "([") - sum(bare.count(sign) for sign in ")]")
        if still > 0:
            count = f"{still} bracket{'s' if still > 1 else ''}"
            hint = f"close what is open: {count}"
            return error_at(text, len(text), "a closing bracket is missing", hint)
        return error_at(text, len(text), "the pattern ends too early", _HINT)
    at = error.pos_in_stream if error.pos_in_stream is not None else len(text)
    if text[at : at + 1] == "'":
        what, hint = "a node is marked by no apostrophe here", "name it and read its column: NP=n"
        return error_at(text, at, what, hint)
    return error_at(text, at, "this is not a pattern", _HINT)

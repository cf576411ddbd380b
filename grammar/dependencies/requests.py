"""Requests of Grew, read from text.

A request has a block ``pattern`` and others, ``without`` and ``with``, that say what must not or
must be there besides. A block has nodes, tests of one node, and relations of two.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

from grammar.errors import PatternError
from grammar.search.notation import error_at, fault_of_expression

__all__ = [
    "ANY_NODE",
    "Block",
    "Edge",
    "FeatureTest",
    "LabelTest",
    "Relation",
    "RelationKind",
    "Request",
    "Value",
    "is_request",
    "parse_request",
]

ANY_NODE = "*"
"""Stands for the other end of an edge, which may be any word, or the root above all words."""

_MOST_CHARACTERS, _MOST_NODES, _MOST_BLOCKS = 10_000, 30, 30
_BEGINNING = re.compile(r"(?:\s|%[^\n]*\n)*(?:pattern|without|with)\s*\{")
_WHERE = "<request>"
_BLOCKS = ("pattern", "without", "with")
_HINT = "for example  pattern { V [upos=VERB]; V -[obj]-> N } without { V -[nsubj]-> S }"


class RelationKind(IntEnum):
    """Relations of two nodes."""

    HEAD = 0
    JUST_BEFORE = 1
    BEFORE = 2
    SAME = 3
    DIFFERENT = 4


@dataclass(frozen=True)
class Value:
    """A value of a feature or a label, or a regular expression that all of one must match."""

    text: str
    is_regex: bool = False


@dataclass(frozen=True)
class FeatureTest:
    """A test of a feature of one word.

    Attributes
    ----------
    name : str
        The feature, or the field.
    values : tuple of Value
        One of them is the value; if there are none, the word has the feature.
    negated : bool
        The word has the feature with another value; if there are no values, has it not.
    """

    name: str
    values: tuple[Value, ...] = ()
    negated: bool = False


@dataclass(frozen=True)
class LabelTest:
    """A test of the label of an edge, or of a part of it.

    Attributes
    ----------
    values : tuple of Value
        One of them is the label.
    negated : bool
        None of them is.
    part : int
        1 tests what stands before the first colon, 2 what stands behind it; 0 tests all of it.
    """

    values: tuple[Value, ...]
    negated: bool = False
    part: int = 0


@dataclass(frozen=True)
class Edge:
    """An edge from a head to a dependent, with tests of its label, all of which hold."""

    source: str
    target: str
    tests: tuple[LabelTest, ...] = ()


@dataclass(frozen=True)
class Relation:
    """A relation of two nodes; of ``SAME`` and ``DIFFERENT``, of their features."""

    kind: RelationKind
    left: str
    right: str
    features: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Block:
    """Conditions that hold together.

    Attributes
    ----------
    kind : str
        ``pattern``, ``without`` or ``with``.
    nodes : tuple of str
        The names of its nodes, in the order in which they stand, each once.
    tests : tuple of (str, tuple of tuple of FeatureTest)
        Of a node: alternatives, in one of which all tests hold.
    edges : tuple of Edge
        What heads have.
    relations : tuple of Relation
        Order, and features of two nodes.
    """

    kind: str
    nodes: tuple[str, ...]
    tests: tuple[tuple[str, tuple[tuple[FeatureTest, ...], ...]], ...] = ()
    edges: tuple[Edge, ...] = ()
    relations: tuple[Relation, ...] = ()


@dataclass(frozen=True)
class Request:
    """A request: what is searched for, and what else must, or must not, be there.

    Attributes
    ----------
    pattern : Block
        The nodes that are searched for.
    others : tuple of Block
        Blocks ``without`` and ``with``.
    edge_names : mapping of str to str
        Of each edge that has a name, the node that it leads to.
    """

    pattern: Block
    others: tuple[Block, ...] = ()
    edge_names: Mapping[str, str] = field(default_factory=dict)


def is_request(text: str) -> bool:
    """Say whether a text begins as a request does, and not as a pattern of TGrep2.

    >>> is_request("pattern { X -> Y }"), is_request("pattern < NP"), is_request("% a\\n with {}")
    (True, False, True)
    """
    return _BEGINNING.match(text) is not None


def parse_request(text: str) -> Request:
    """Read a request.

    Parameters
    ----------
    text : str
        At most 10,000 characters.

    Raises
    ------
    PatternError
        At the first place that does not follow the notation, with line, column and excerpt; or if
        the request is too large.

    Examples
    --------
    >>> request = parse_request("pattern { V -[obj]-> N } without { V -[nsubj]-> S }")
    >>> request.pattern.nodes, [block.nodes for block in request.others]
    (('V', 'N'), [('V', 'S')])
    >>> parse_request("pattern { V [upos=VERB }")
    Traceback (most recent call last):
    ...
    grammar.errors.PatternError: <request>:1:24: this is not a request
        pattern { V [upos=VERB }
                               ^
      hint: for example  pattern { V [upos=VERB]; V -[obj]-> N } without { V -[nsubj]-> S }
    """
    import lark

    if len(text) > _MOST_CHARACTERS:
        raise PatternError(
            f"the request has {len(text):,} characters",
            where=_WHERE,
            hint=f"write at most {_MOST_CHARACTERS:,}",
        )
    try:
        tree = _reader().parse(text)
    except lark.exceptions.UnexpectedInput as error:
        raise _not_a_request(error, text) from None
    return _Reading(text).request(tree)


def _not_a_request(error: Any, text: str) -> PatternError:
    if getattr(getattr(error, "token", None), "type", "") == "$END":
        return error_at(text, len(text), "the request ends too early", _HINT, _WHERE)
    at = len(text) if error.pos_in_stream is None else error.pos_in_stream
    block = re.match(r"(\w+)\s*\{", text[at:])
    if block is None:
        return error_at(text, at, "this is not a request", _HINT, _WHERE)
    what = f"there is no block {block[1]!r} here"
    return error_at(text, at, what, f"blocks are {', '.join(_BLOCKS)}", _WHERE)


class _Reading:
    """Makes a request of the syntax tree of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._edge_names: dict[str, str] = {}
        self._nodes: tuple[str, ...] = ()

    def request(self, tree: Any) -> Request:
        # names of the pattern are known in the others, wherever it stands
        parts = sorted(tree.children, key=lambda part: part.children[0] != "pattern")
        blocks = [self._block(part) for part in parts]
        patterns = [block for block in blocks if block.kind == "pattern"]
        if len(patterns) != 1 or not patterns[0].nodes:
            what = "two blocks are patterns" if len(patterns) > 1 else "no node is searched for"
            raise PatternError(what, where=_WHERE, hint=f"give one pattern: {_HINT}")
        others = tuple(block for block in blocks if block.kind != "pattern")
        if len(blocks) > _MOST_BLOCKS or any(len(b.nodes) > _MOST_NODES for b in blocks):
            raise PatternError(
                f"the request has more than {_MOST_BLOCKS} blocks or {_MOST_NODES} nodes",
                where=_WHERE,
                hint="ask for less",
            )
        return Request(patterns[0], others, self._edge_names)

    def _block(self, tree: Any) -> Block:
        token, *items = tree.children
        kind = str(token)
        tests, edges, relations = [], [], []
        for item in sorted(items, key=lambda item: item.data != "edge"):
            if item.data == "edge":
                edges.append(self._edge(item, kind))
            elif item.data in ("node", "value_of"):
                tests.append(self._tested(item))
            else:
                relations.append(self._relation(item))
        nodes = tuple(dict.fromkeys(name for item in items for name in _mentioned(item)))
        block = Block(kind, nodes, tuple(tests), tuple(edges), tuple(relations))
        self._check_names(items, block)
        return block

    def _check_names(self, items: Sequence[Any], block: Block) -> None:
        """Refuse a feature of what is no node; only a node, an edge or an order names one."""
        known = {*block.nodes, *self._nodes}
        if block.kind == "pattern":
            self._nodes = block.nodes
        for item in items:
            for token in item.children if item.data in ("comparison", "value_of") else ():
                name, is_name = str(token), token.type == "NAME"
                if is_name and name not in known and name not in self._edge_names:
                    raise self._error(
                        token, f"no node is named {name}", f"name one first: {name} []"
                    )

    def _tested(self, tree: Any) -> tuple[str, tuple[tuple[FeatureTest, ...], ...]]:
        name, *rest = tree.children
        if tree.data == "node":
            return str(name), tuple(
                tuple(self._feature(each) for each in features.children if each is not None)
                for features in rest
            )
        feature, sign, value = rest
        return str(name), ((FeatureTest(str(feature), (self._value(value),), sign == "<>"),),)

    def _feature(self, tree: Any) -> FeatureTest:
        name = str(tree.children[0])
        if tree.data in ("present", "absent"):
            return FeatureTest(name, (), tree.data == "absent")
        negated = tree.data == "different"
        tokens = [value.children[0] for value in tree.children[-1].children]
        if any(token.type == "VALUE" and token == "*" for token in tokens):
            return FeatureTest(name, (), negated)  # Lemma=* is an older way to say Lemma
        return FeatureTest(name, tuple(map(self._value, tokens)), negated)

    def _edge(self, tree: Any, kind: str) -> Edge:
        name, source, arrow, target = tree.children
        ends = [str(end.children[0]) for end in (source, target)]
        if ends == [ANY_NODE, ANY_NODE]:
            raise self._error(
                source.children[0], "an edge has no node with a name", "name one end: X -> *"
            )
        if name is not None:
            label = name[:-1].strip()
            if kind != "pattern" or ends[1] == ANY_NODE or label in self._edge_names:
                hint = "name edges of the pattern, each otherwise, that lead to a node with a name"
                raise self._error(name, f"the edge cannot be named {label}", hint)
            self._edge_names[label] = ends[1]
        return Edge(ends[0], ends[1], tuple(self._labels(arrow)))

    def _labels(self, arrow: Any) -> Iterator[LabelTest]:
        if arrow.data == "labelled":
            negation, *labels = arrow.children
            yield LabelTest(self._label_values(labels), negation is not None)
        elif arrow.data == "parts":
            for part in arrow.children:
                number, sign, *labels = part.children
                yield LabelTest(self._label_values(labels), sign == "<>", int(number))

    def _label_values(self, labels: Iterable[Any]) -> tuple[Value, ...]:
        return tuple(self._value(label.children[0]) for label in labels)

    def _relation(self, tree: Any) -> Relation:
        if tree.data == "order":
            left, sign, right = map(str, tree.children)
            if sign.startswith(">"):
                left, right = right, left
            is_next = len(sign) == 1
            kind = RelationKind.JUST_BEFORE if is_next else RelationKind.BEFORE
            return Relation(kind, left, right)
        left, of_left, sign, right, of_right = map(str, tree.children)
        left, of_left = self._of_node(left, of_left)
        right, of_right = self._of_node(right, of_right)
        kind = RelationKind.SAME if sign == "=" else RelationKind.DIFFERENT
        return Relation(kind, left, right, (of_left, of_right))

    def _of_node(self, name: str, feature: str) -> tuple[str, str]:
        """Return the node and the field that a feature of a node, or the label of an edge, is."""
        if feature == "label" and name in self._edge_names:
            return self._edge_names[name], "deprel"
        return name, feature

    def _value(self, token: Any) -> Value:
        written = str(token)
        if token.type == "QUOTED":
            return Value(_unquoted(written))
        if token.type != "REGEX":
            return Value(written)
        expression = _unquoted(written.removeprefix("re"), only_quotes=True)
        why = fault_of_expression(expression)
        if why is not None:
            what = f"the regular expression cannot be searched for: {why}"
            hint = "expressions are RE2's: they have no (?=...) and no \\1"
            raise self._error(token, what, hint)
        return Value(expression, is_regex=True)

    def _error(self, token: Any, what: str, hint: str) -> PatternError:
        return error_at(self._text, token.start_pos, what, hint, _WHERE)


def _mentioned(item: Any) -> Iterator[str]:
    """Yield the names of the nodes that a node, an edge or an order is about."""
    if item.data == "node":
        yield str(item.children[0])
    elif item.data == "edge":
        ends = (str(end.children[0]) for end in (item.children[1], item.children[3]))
        yield from (end for end in ends if end != ANY_NODE)
    elif item.data == "order":
        yield from (str(item.children[0]), str(item.children[2]))


def _unquoted(quoted: str, *, only_quotes: bool = False) -> str:
    r"""Return what stands between quotes; of an expression, only its ``\"`` are changed.

    >>> _unquoted(r'"a\"\\"'), _unquoted(r'"\d\""', only_quotes=True)
    ('a"\\', '\\d"')
    """
    return re.sub(r'\\(")' if only_quotes else r"\\(.)", r"\1", quoted[1:-1], flags=re.DOTALL)


@functools.cache
def _reader() -> Any:
    import lark

    rules = (Path(__file__).parent / "grew.lark").read_text(encoding="utf-8")
    return lark.Lark(rules, parser="lalr", maybe_placeholders=True)

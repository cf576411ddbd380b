"""What is computed of trees of any depth: no function here calls itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

__all__ = ["below", "fold", "shape", "shown", "written"]

Node = TypeVar("Node")
Value = TypeVar("Value")

_END = object()


def fold(
    root: Node,
    children: Callable[[Node], Iterable[Node]],
    value: Callable[[Node, list[Value]], Value],
) -> Value:
    """Return the value of a tree: ``value`` makes that of a node from those of its children.

    Nodes are met after their children, and these from left to right. Python would allow a function
    that calls itself about a thousand levels; trees of texts may have more.

    >>> fold(["a", ["b"]], lambda n: n if isinstance(n, list) else (), lambda n, v: 1 + sum(v))
    4
    """
    waiting: list[tuple[Any, Iterator[Any], list[Any]]] = [(root, iter(children(root)), [])]
    while True:
        node, left, found = waiting[-1]
        child: Any = next(left, _END)
        if child is not _END:
            waiting.append((child, iter(children(child)), []))
            continue
        waiting.pop()
        made = value(node, found)
        if not waiting:
            return made
        waiting[-1][2].append(made)


def below(node: Any) -> tuple[Any, ...]:
    """Return the children of a node; a leaf has none."""
    return getattr(node, "children", ())


def shape(root: Any) -> tuple[Any, ...]:
    """Return leaves, and labels with their numbers of children, in preorder: equal for equal trees.

    Nodes have a ``label`` and ``children``; whatever else is a leaf.
    """
    found: list[Any] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if hasattr(node, "children"):
            found.append((node.label, len(node.children)))
            stack.extend(reversed(node.children))
        else:
            found.append(node)
    return tuple(found)


def written(
    root: Any,
    *,
    opening: Callable[[Any], str],
    leaf: Callable[[Any], str],
    between: str,
    closing: Callable[[Any], str],
) -> str:
    """Return a tree in writing, of nodes as :func:`shape` has them."""
    pieces = [opening(root)]
    open_nodes = [(root, iter(root.children))]
    is_first = True
    while open_nodes:
        node, left = open_nodes[-1]
        child: Any = next(left, _END)
        if child is _END:
            open_nodes.pop()
            pieces.append(closing(node))
            is_first = False
            continue
        if not is_first:
            pieces.append(between)
        is_first = hasattr(child, "children")
        if is_first:
            pieces.append(opening(child))
            open_nodes.append((child, iter(child.children)))
        else:
            pieces.append(leaf(child))
    return "".join(pieces)


def shown(root: Any) -> str:
    """Return what ``repr`` says of nodes that are dataclasses of a label and children."""
    name = type(root).__name__
    return written(
        root,
        opening=lambda node: f"{name}(label={node.label!r}, children=(",
        leaf=repr,
        between=", ",
        closing=lambda node: ",))" if len(node.children) == 1 else "))",
    )

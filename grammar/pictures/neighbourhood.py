"""Pictures of the neighbourhood of a symbol in a grammar graph.

A grammar is far too large to draw whole, so a picture shows layers from left to right: the
symbol, its most probable rules, their children, and so on as deep as asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import fmean

import networkx as nx

from grammar.errors import OptionError
from grammar.files import PathLike
from grammar.options import whole_number
from grammar.pictures.base_labels import known_symbols
from grammar.pictures.svg import (
    DESCENT,
    INK,
    MARGIN,
    QUIET,
    WORD,
    Box,
    Label,
    Line,
    Picture,
    Shape,
    checked_suffix,
    elide,
    text_width,
)

__all__ = ["draw_neighbourhood", "neighbourhood_svg"]

FLOW, SIDE_FLOW = "#8fa9c4", "#b3c5d7"

ROW = 27.0
ROW_HEIGHT = 21.0
TEXT_SIZE = 12.0
GROUP_GAP = 22.0
PADDING = 8.0
MASS_WIDTH = 56.0
# longer texts are cut
WIDEST = {"root": 200.0, "symbol": 200.0, "word": 200.0, "rule": 320.0, "hidden": 320.0}
FILLS = {
    "root": (INK, INK),
    "symbol": ("#e8eef5", "#bccbdb"),
    "word": ("#e6f3ee", "#b5d8cb"),
    "rule": ("#ffffff", "#c3ccd5"),
    "hidden": ("#ffffff", "#ffffff"),
}
AGAIN = "↺"


def neighbourhood_svg(graph: nx.MultiDiGraph, symbol: str, *, top: int = 12, depth: int = 1) -> str:
    """Return the part of a grammar graph around one symbol, drawn as a standalone SVG document.

    Parameters
    ----------
    graph : networkx.MultiDiGraph
        The AND/OR graph of a grammar: symbol, word and rule nodes.
    symbol : str
        The symbol to start from; a label stands for all symbols that annotate it.
    top : int
        The most probable rules shown for each symbol, at least 1.
    depth : int
        How often symbols are opened into their rules, at least 1: with 2 also the symbols among
        the children of the first rules.

    Raises
    ------
    OptionError
        If the grammar has no such symbol, or a number is out of range.

    Examples
    --------
    >>> graph = nx.MultiDiGraph()
    >>> graph.add_node("symbol:N", kind="symbol", name="N")
    >>> graph.add_node("word:fish", kind="word", name="fish")
    >>> graph.add_node("rule:0", kind="rule")
    >>> _ = graph.add_edge("symbol:N", "rule:0", weight=1.0, count=3)
    >>> _ = graph.add_edge("rule:0", "word:fish", position=0)
    >>> "the only rule of N" in neighbourhood_svg(graph, "N")
    True
    >>> neighbourhood_svg(graph, "n")
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: the grammar has no symbol 'n'
      hint: try N
    """
    return _neighbourhood_picture(graph, symbol, top, depth).svg()


def draw_neighbourhood(
    graph: nx.MultiDiGraph, symbol: str, path: PathLike, *, top: int = 12, depth: int = 1
) -> None:
    """Save the part of a grammar graph around one symbol as ``.svg`` or ``.png``.

    Parameters
    ----------
    graph, symbol, top, depth
        As :func:`neighbourhood_svg` takes them.
    path : str or Path
        Its suffix says the format.

    Raises
    ------
    OptionError
        As :func:`neighbourhood_svg`, or if the suffix is another.
    OutputError
        If the path cannot be written.

    Examples
    --------
    >>> draw_neighbourhood(nx.MultiDiGraph(), "NP", "np.svg")
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: NP: the grammar has no such symbol
      hint: the graph has no symbols at all
    """
    checked_suffix(path)
    _neighbourhood_picture(graph, symbol, top, depth).save(path)


@dataclass(slots=True, eq=False)
class Item:
    """A row of a layer: a symbol, a word, a rule, or the rules of a symbol that are not shown."""

    node: str
    kind: str
    text: str
    y: float = 0.0
    mass: float | None = None
    is_again: bool = False


@dataclass(slots=True, eq=False)
class Link:
    """A line from a row to one in the next layer, as strong as the probability of its rule."""

    source: Item
    target: Item
    mass: float


def neighbourhood_layout(
    graph: nx.MultiDiGraph, symbol: str, top: int, depth: int
) -> tuple[list[list[Item]], list[Link]]:
    """Choose and place the rows around a symbol: layers from left to right, and their links."""
    names = _roots(graph, symbol)[:top]
    roots = [Item(f"symbol:{name}", "root", name) for name in names]
    layers, links, top = [roots], list[Link](), max(1, top // len(roots))
    opened: set[str] = set()
    for _ in range(depth):
        # a symbol is opened once, wherever it stands first: recursion ends here
        heads = [
            item
            for item in layers[-1]
            if item.kind != "word" and item.node not in opened and graph.out_degree(item.node)
        ]
        if not heads:
            break
        opened.update(head.node for head in heads)
        rules = _rule_layer(graph, heads, top, links)
        layers += [rules, _child_layer(graph, rules, links)]
    if len(roots) > 1:
        for root in roots:
            root.y = fmean([link.target.y for link in links if link.source is root] or [0.0])
    sources = {id(link.source) for link in links}
    for item in (item for layer in layers for item in layer):
        item.is_again = item.node in opened and id(item) not in sources
    return layers, links


def _rule_layer(
    graph: nx.MultiDiGraph, heads: Sequence[Item], top: int, links: list[Link]
) -> list[Item]:
    groups = [_open(graph, head, top) for head in heads]
    centres = spread([h.y for h in heads], [len(rows) * ROW + GROUP_GAP for rows in groups])
    for head, rows, centre in zip(heads, groups, centres, strict=True):
        for i, row in enumerate(rows):
            row.y = centre + (i - (len(rows) - 1) / 2) * ROW
            links.append(Link(head, row, row.mass or 0.0))
    return [row for rows in groups for row in rows]


def _open(graph: nx.MultiDiGraph, head: Item, top: int) -> list[Item]:
    weights = [(rule, data["weight"]) for _, rule, data in graph.out_edges(head.node, data=True)]
    weights.sort(key=lambda pair: -pair[1])  # stable: ties stay in the order of the grammar
    rows = [
        Item(rule, "rule", _rule_text(graph, rule, head.text), mass=weight)
        for rule, weight in weights[:top]
    ]
    if hidden := weights[top:]:
        text = f"{len(hidden)} more rule{'s' if len(hidden) > 1 else ''}"
        rows.append(Item("", "hidden", text, mass=sum(weight for _, weight in hidden)))
    return rows


def _child_layer(graph: nx.MultiDiGraph, rules: Sequence[Item], links: list[Link]) -> list[Item]:
    above: dict[str, list[Item]] = {}
    for rule in (item for item in rules if item.kind == "rule"):
        for child in dict.fromkeys(_children(graph, rule.node)):
            above.setdefault(child, []).append(rule)
    middle = {child: fmean(rule.y for rule in parents) for child, parents in above.items()}
    order = sorted(above, key=middle.__getitem__)
    centres = spread([middle[child] for child in order], [ROW] * len(order))
    layer = []
    for child, y in zip(order, centres, strict=True):
        item = Item(child, graph.nodes[child]["kind"], graph.nodes[child]["name"], y)
        links += [Link(rule, item, rule.mass or 0.0) for rule in above[child]]
        layer.append(item)
    return layer


def _children(graph: nx.MultiDiGraph, rule: str) -> list[str]:
    edges = graph.out_edges(rule, data="position")
    return [child for _, child, _ in sorted(edges, key=lambda edge: edge[2])]


def _rule_text(graph: nx.MultiDiGraph, rule: str, lhs: str) -> str:
    text = graph.nodes[rule].get("text")
    if text is not None:
        # names that are not plain stand in braces
        return str(text).removeprefix(f"{{{lhs}}} -> ").removeprefix(f"{lhs} -> ")
    nodes = (graph.nodes[child] for child in _children(graph, rule))
    names = [n["name"] if n["kind"] == "symbol" else repr(n["name"]) for n in nodes]
    return " ".join(names) or "ε"


def spread(wanted: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """Return centres in the given order, as near to the wanted ones as the sizes allow.

    Least squares under ``centre[i + 1] - centre[i] >= (size[i] + size[i + 1]) / 2``: an isotonic
    regression, solved by pooling neighbours that collide.

    Examples
    --------
    >>> spread([0, 0, 10], [2, 2, 2])
    [-1.0, 1.0, 10.0]
    """
    offsets = list(accumulate(((a + b) / 2 for a, b in pairwise(sizes)), initial=0.0))
    pools: list[tuple[float, int]] = []  # mean and number of the members
    for want, offset in zip(wanted, offsets, strict=False):
        mean, count = want - offset, 1
        while pools and pools[-1][0] >= mean:
            other, members = pools.pop()
            mean = (other * members + mean * count) / (members + count)
            count += members
        pools.append((mean, count))
    means = (mean for mean, count in pools for _ in range(count))
    return [mean + offset for mean, offset in zip(means, offsets, strict=False)]


def _neighbourhood_picture(graph: nx.MultiDiGraph, symbol: str, top: int, depth: int) -> Picture:
    _check_neighbourhood(graph, symbol, top, depth)
    layers, links = neighbourhood_layout(graph, symbol, top, depth)
    items = [item for layer in layers for item in layer]
    frames = _frames(layers)
    shapes: list[Shape] = [_flow(link, frames) for link in sorted(links, key=lambda k: -k.mass)]
    for item in items:
        shapes += _row(item, frames[id(item)])
    bottom = max(frame.y + frame.height for frame in frames.values())
    legend = _legend(graph, symbol, top, any(item.is_again for item in items))
    for i, text in enumerate(legend):
        shapes.append(Label(MARGIN, bottom + 30 + 18 * i, text, TEXT_SIZE, QUIET, anchor="start"))
    right = max(
        *(frame.x + frame.width for frame in frames.values()),
        *(MARGIN + text_width(text, TEXT_SIZE) for text in legend),
    )
    height = bottom + 12 + 18 * len(legend) + DESCENT * TEXT_SIZE + MARGIN
    return Picture(right + MARGIN, height, tuple(shapes), f"The rules of {symbol}")


def _check_neighbourhood(graph: nx.MultiDiGraph, symbol: str, top: int, depth: int) -> None:
    for name, number in (("top", top), ("depth", depth)):
        whole_number(name, number, 1)
    _roots(graph, symbol)


def _roots(graph: nx.MultiDiGraph, symbol: str) -> list[str]:
    """Return the names of the symbols that a label stands for."""
    if f"symbol:{symbol}" in graph:
        return [symbol]
    names = [d["name"] for _, d in graph.nodes(data=True) if d.get("kind") == "symbol"]
    if not names:
        raise OptionError(
            "the grammar has no such symbol", where=symbol, hint="the graph has no symbols at all"
        )
    return known_symbols(symbol, names)


def _frames(layers: Sequence[Sequence[Item]]) -> dict[int, Box]:
    ys = [item.y for layer in layers for item in layer]
    # the taller the picture, the more room its curves need to stay apart
    gap = min(max(0.2 * (max(ys) - min(ys)), 80.0), 220.0)
    frames: dict[int, Box] = {}
    x = MARGIN
    for layer in layers:
        width = max((_item_width(item) for item in layer), default=0.0)
        for item in layer:
            y = MARGIN + item.y - min(ys)
            frames[id(item)] = Box(x, y, width, ROW_HEIGHT, *FILLS[item.kind])
        x += width + gap
    return frames


def _is_bold(item: Item) -> bool:
    return item.kind in ("root", "symbol")


def _shown_text(item: Item) -> str:
    text = elide(item.text, WIDEST[item.kind], TEXT_SIZE, bold=_is_bold(item))
    return f"{text} {AGAIN}" if item.is_again else text


def _item_width(item: Item) -> float:
    text = text_width(_shown_text(item), TEXT_SIZE, bold=_is_bold(item))
    return text + 2 * PADDING + (MASS_WIDTH if item.mass is not None else 0.0)


def _flow(link: Link, frames: Mapping[int, Box]) -> Line:
    source, target = frames[id(link.source)], frames[id(link.target)]
    is_choice = link.source.kind != "rule"
    return Line(
        source.x + source.width,
        source.y + source.height / 2,
        target.x,
        target.y + target.height / 2,
        FLOW if is_choice else SIDE_FLOW,
        1.0 + link.mass * (9.0 if is_choice else 4.0),
        curved=True,
    )


def _row(item: Item, frame: Box) -> Iterator[Shape]:
    yield frame
    y = frame.y + ROW_HEIGHT / 2 + 0.36 * TEXT_SIZE
    text = _shown_text(item)
    if item.mass is None:
        colour = {"root": "#ffffff", "word": WORD}.get(item.kind, INK)
        middle = frame.x + frame.width / 2
        yield Label(middle, y, text, TEXT_SIZE, colour, bold=_is_bold(item))
    else:
        mass = f"{item.mass:.3f}" if item.mass >= 0.001 or item.mass == 0 else "<0.001"
        colour = QUIET if item.kind == "hidden" else INK
        left = frame.x + PADDING
        yield Label(left + MASS_WIDTH - 12, y, mass, TEXT_SIZE, QUIET, anchor="end")
        yield Label(left + MASS_WIDTH, y, text, TEXT_SIZE, colour, anchor="start")


def _legend(graph: nx.MultiDiGraph, symbol: str, top: int, again: bool) -> list[str]:
    weights = [data["weight"] for *_, data in graph.out_edges(f"symbol:{symbol}", data=True)]
    rest = sorted(weights, reverse=True)[top:]
    name = elide(symbol, WIDEST["root"], TEXT_SIZE)
    if not weights:
        return [f"{name} has no rules"]
    shown = f"all {len(weights)} rules of {name}" if weights[1:] else f"the only rule of {name}"
    if rest:
        mass = f"{sum(rest):.1%}" if sum(rest) >= 0.001 else "less than 0.1%"
        shown = (
            f"{top} of {len(weights)} rules of {name} shown; "
            f"{len(rest)} not shown, with {mass} of the probability"
        )
    lines = "numbers and line widths: probability of a rule given its symbol"
    return [shown, lines] + [f"{AGAIN} opened elsewhere in this picture"] * again

"""Grammar graphs on disk: deterministic node-link JSON with a schema version.

The file holds one JSON object::

    {"schema": "treewright.grammar/1", "seal": "treewright sha256 ...", "family": "pcfg",
     "start": "S",
     "nodes": [{"id": "symbol:S", "kind": "symbol", "name": "S"}, ...],
     "edges": [{"source": "symbol:S", "target": "rule:0", "key": 0, "weight": 1.0}, ...]}

Nodes and edges keep the order of the graph, so equal grammars give equal bytes and files can be
compared line by line. Reading never executes anything.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import networkx as nx

from grammar.errors import SchemaError, UnreadableInputError
from grammar.files import PathLike, half_in_json, write_text
from grammar.graph.table import GraphTable, TableReader
from grammar.rules.foreign import CONVERTED
from grammar.saving.checksum import UNSEALED, sealed

__all__ = [
    "SCHEMA",
    "graph_from_json",
    "graph_to_json",
    "looks_like_json",
    "table_from_json",
    "without_collection",
    "write_graph",
]

SCHEMA = "treewright.grammar/1"
_NODES, _EDGES, _END = ',\n"nodes": [\n', '\n],\n"edges": [\n', "\n]}\n"
_CHUNK = 1 << 22
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_JSON_START = re.compile(r'\s*\{\s*"\w+"\s*:')


def graph_to_json(graph: nx.MultiDiGraph | GraphTable) -> str:
    """Return the node-link JSON of a grammar graph (``graph.graph`` holds family and start)."""
    return "".join(_pieces(graph, {"schema": SCHEMA}))


def graph_from_json(text: str, *, source: str = "<string>") -> nx.MultiDiGraph:
    """Rebuild a grammar graph from node-link JSON (raises like :func:`table_from_json`)."""
    return table_from_json(text, source=source).to_graph()


def table_from_json(text: str, *, source: str = "<string>") -> GraphTable:
    """Read node-link JSON into columns.

    Raises
    ------
    SchemaError
        If the text is not JSON, is not a grammar of this schema, a node is there twice, or an
        edge names no node.
    UnreadableInputError
        If a character is half of a surrogate pair.
    """
    if (half := half_in_json(text)) is not None:
        raise UnreadableInputError(
            f"{half!r} is half of a surrogate pair",
            where=source,
            hint="correct the text it came from",
        )
    with without_collection():
        try:
            return _table(*_by_lines(text, source), source)
        except _NotByLinesError:
            return _table(*_whole(text, source), source)


def write_graph(graph: nx.MultiDiGraph | GraphTable, path: PathLike) -> None:
    """Save a grammar graph with a seal, atomically; gzipped if the name ends in ``.gz``."""
    text = "".join(_pieces(graph, {"schema": SCHEMA, "seal": UNSEALED}))
    # what cannot be written is for write_text to say
    write_text(path, sealed(text.encode(errors="surrogatepass")).decode(errors="surrogatepass"))


def looks_like_json(text: str, path: PathLike) -> bool:
    """Say whether a grammar file is node-link JSON rather than text notation.

    >>> looks_like_json('{"schema": 1}', "-"), looks_like_json("{PRP$} -> 'her'", "-")
    (True, False)
    """
    return ".json" in Path(path).suffixes or _JSON_START.match(text) is not None


@contextmanager
def without_collection() -> Iterator[None]:
    """Keep the garbage collector from looking, again and again, through what all stays."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _pieces(graph: nx.MultiDiGraph | GraphTable, head: dict[str, str]) -> Iterator[str]:
    table = GraphTable.of(graph)
    yield json.dumps({**head, **table.graph}, ensure_ascii=False)[:-1]
    for name, items in (("nodes", table.node_items()), ("edges", table.edge_items())):
        yield f',\n"{name}": ['
        separator = "\n"
        for item in items:
            yield separator + _ENCODER.encode(item)
            separator = ",\n"
        yield "\n]" if separator != "\n" else "\n\n]"
    yield "}\n"


class _NotByLinesError(Exception):
    """The text is not laid out as :func:`graph_to_json` does, so it must be read whole."""


Head = dict[str, Any]
Chunks = Iterable[list[Any]]


def _table(head: Head, nodes: Chunks, edges: Chunks, source: str) -> GraphTable:
    reader = TableReader({k: v for k, v in head.items() if k not in ("schema", "seal")}, source)
    for chunk in nodes:
        reader.add_nodes(chunk)
    for chunk in edges:
        reader.add_edges(chunk)
    return reader.table


def _by_lines(text: str, source: str) -> tuple[Head, Chunks, Chunks]:
    """Take a text apart at its lines, which JSON has none of within strings.

    Each chunk is JSON by itself, so no bracket is open where the text was cut.
    """
    nodes, edges = text.find(_NODES), text.find(_EDGES)
    if nodes < 0 or edges < nodes or not text.endswith(_END):
        raise _NotByLinesError
    head = _loads(text[:nodes] + "}")
    if not isinstance(head, dict) or "nodes" in head or "edges" in head:
        raise _NotByLinesError
    _check_head(head, source)
    first, second = nodes + len(_NODES), edges + len(_EDGES)
    return head, _chunks(text, first, edges), _chunks(text, second, len(text) - len(_END))


def _chunks(text: str, begin: int, end: int) -> Iterator[list[Any]]:
    """Yield the items between two positions, some thousands at a time."""
    while begin < end:
        cut = text.find(",\n", min(begin + _CHUNK, end), end)
        cut = end if cut < 0 else cut
        yield _loads(f"[{text[begin:cut]}]")
        begin = cut + 1


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise _NotByLinesError from None


def _whole(text: str, source: str) -> tuple[Head, Chunks, Chunks]:
    document = _document(text, source)
    nodes, edges = document.pop("nodes"), document.pop("edges")
    return document, [nodes], [edges]


_OF_JSON_SCHEMA = frozenset({"$schema", "$defs", "properties", "type", "anyOf", "oneOf", "enum"})


def _document(text: str, source: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise SchemaError(
            f"not JSON: {error.msg}",
            where=f"{source}:{error.lineno}:{error.colno}",
            hint="a grammar file is written by 'treewright induce' or Grammar.save",
        ) from None
    except (ValueError, RecursionError) as error:  # a number too long, brackets nested too deep
        raise SchemaError(f"not the JSON of a grammar: {error}", where=source) from None
    _check_head(document if isinstance(document, dict) else {}, source)
    _check_parts(document, {"nodes": list, "edges": list}, source)
    checked: dict[str, Any] = document
    return checked


def _check_head(head: Head, source: str) -> None:
    if head.get("schema") != SCHEMA:
        if not _OF_JSON_SCHEMA.isdisjoint(head):
            raise SchemaError(
                "a JSON Schema, and no grammar yet", where=source,
                hint=CONVERTED.format("jsonschema").replace("FILE", source),
            )  # fmt: skip
        if not head.get("schema"):
            raise SchemaError(
                f"unknown schema None: this JSON is no grammar that was saved here ({SCHEMA})",
                where=source,
                hint="write rules as  NP -> DT 'word' [0.5]  in a text file, or save a grammar: "
                "grammar.save('grammar.json')",
            )
        raise SchemaError(
            f"unknown schema {head.get('schema')!r}; this version reads {SCHEMA!r}",
            where=source,
            hint="induce the grammar again with this version of treewright",
        )
    _check_parts(head, {"family": str, "start": str}, source)


def _check_parts(head: Head, kinds: dict[str, type], source: str) -> None:
    for part, kind in kinds.items():
        if not isinstance(head.get(part), kind):
            raise SchemaError(f"the part {part!r} is missing or of the wrong kind", where=source)

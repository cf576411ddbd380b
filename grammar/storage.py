"""Grammar graphs on disk: deterministic node-link JSON with a schema version.

The file holds one JSON object::

    {"schema": "treewright.grammar/1", "family": "pcfg", "start": "S",
     "nodes": [{"id": "symbol:S", "kind": "symbol", "name": "S"}, ...],
     "edges": [{"source": "symbol:S", "target": "rule:0", "key": 0, "weight": 1.0}, ...]}

Nodes and edges keep the order of the graph, so equal grammars give equal bytes and files can be
compared line by line. Reading never executes anything.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import networkx as nx

from grammar.errors import SchemaError
from grammar.files import PathLike, read_text, write_text

__all__ = [
    "SCHEMA",
    "graph_from_json",
    "graph_to_json",
    "looks_like_json",
    "read_graph",
    "write_graph",
]

SCHEMA = "treewright.grammar/1"
_JSON_START = re.compile(r'\s*\{\s*"\w+"\s*:')


def graph_to_json(graph: nx.MultiDiGraph) -> str:
    """Return the node-link JSON of a grammar graph (``graph.graph`` holds family and start)."""
    head = {"schema": SCHEMA, **graph.graph}
    nodes = ({"id": node, **data} for node, data in graph.nodes(data=True))
    edges = (
        {"source": source, "target": target, "key": key, **data}
        for source, target, key, data in graph.edges(keys=True, data=True)
    )
    parts = [json.dumps(head, ensure_ascii=False)[1:-1]]
    parts += [_array("nodes", nodes), _array("edges", edges)]
    return "{" + ",\n".join(parts) + "}\n"


def graph_from_json(text: str, *, source: str = "<string>") -> nx.MultiDiGraph:
    """Rebuild a grammar graph from node-link JSON.

    Raises
    ------
    SchemaError
        If the text is not JSON, is not a grammar of this schema, or an edge names no node.
    """
    document = _document(text, source)
    graph = nx.MultiDiGraph()
    graph.graph.update({k: v for k, v in document.items() if k not in {"schema", "nodes", "edges"}})
    try:
        for node in document["nodes"]:
            graph.add_node(node["id"], **{k: v for k, v in node.items() if k != "id"})
        for edge in document["edges"]:
            data = {k: v for k, v in edge.items() if k not in {"source", "target", "key"}}
            if edge["source"] not in graph or edge["target"] not in graph:
                raise SchemaError(f"the edge {edge} names a node that is not there", where=source)
            graph.add_edge(edge["source"], edge["target"], key=edge["key"], **data)
    except SchemaError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise SchemaError(
            f"a node or edge is malformed ({error!r})",
            where=source,
            hint="nodes need an id; edges need source, target and key",
        ) from None
    return graph


def write_graph(graph: nx.MultiDiGraph, path: PathLike) -> None:
    """Save a grammar graph, atomically; gzipped if the name ends in ``.gz``."""
    write_text(path, graph_to_json(graph))


def looks_like_json(text: str, path: PathLike) -> bool:
    """Say whether a grammar file is node-link JSON rather than text notation.

    >>> looks_like_json('{"schema": 1}', "-"), looks_like_json("{PRP$} -> 'her'", "-")
    (True, False)
    """
    return ".json" in Path(path).suffixes or _JSON_START.match(text) is not None


def read_graph(path: PathLike) -> nx.MultiDiGraph:
    """Load a grammar graph (raises like :func:`graph_from_json`)."""
    return graph_from_json(read_text(path), source=str(path))


def _array(name: str, items: Any) -> str:
    lines = ",\n".join(json.dumps(item, ensure_ascii=False, allow_nan=False) for item in items)
    return f'"{name}": [\n{lines}\n]'


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
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        raise SchemaError(
            f"unknown schema {schema!r}; this version reads {SCHEMA!r}",
            where=source,
            hint="induce the grammar again with this version of treewright",
        )
    for part, kind in (("nodes", list), ("edges", list), ("family", str), ("start", str)):
        if not isinstance(document.get(part), kind):
            raise SchemaError(f"the part {part!r} is missing or of the wrong kind", where=source)
    return document

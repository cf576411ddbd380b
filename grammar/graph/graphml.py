"""Grammar graphs as GraphML, for Gephi, yEd and the like."""

from __future__ import annotations

import json
import re
from typing import Any

import networkx as nx

from grammar.errors import OutputError
from grammar.files import PathLike, atomic_output

__all__ = ["write_graphml"]

# a carriage return is a character of XML, but becomes a line feed when it is read
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_graphml(graph: nx.MultiDiGraph, path: PathLike) -> None:
    """Write a graph; what GraphML has no type for becomes text, and what is None is left out.

    Raises
    ------
    OutputError
        If a name holds a character that XML cannot express, or the path cannot be written.
    """
    for _, name in graph.nodes(data="name", default=""):
        if _NOT_XML.search(name):
            raise OutputError(
                f"the name {name!r} cannot be written as XML",
                where=str(path),
                hint="save as .json, which holds any name",
            )
    plain = nx.MultiDiGraph(**_plain(graph.graph))
    plain.add_nodes_from((node, _plain(data)) for node, data in graph.nodes(data=True))
    plain.add_edges_from(
        (source, target, key, _plain(data))
        for source, target, key, data in graph.edges(keys=True, data=True)
    )
    with atomic_output(path) as temporary:
        nx.write_graphml_xml(plain, temporary)


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    return {name: _text(value) for name, value in data.items() if value is not None}


def _text(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return json.dumps(value) if isinstance(value, dict) else value

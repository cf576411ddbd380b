"""The parents of an example, and the grammar that made it: found from what lies beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from induction.corpus import Corpus
    from sampling.span_grammar import SpanGrammar

__all__ = ["find_source", "grammar_of_manifest", "made_with", "manifest_of", "parents_of"]


def manifest_of(output: str) -> dict[str, Any] | None:
    """Return the manifest beside an output, or None if there is none."""
    from sampling.manifest import manifest_path, read_manifest

    if output == "-" or not manifest_path(output).exists():
        return None
    return read_manifest(output)


def find_source(
    output: str, source: str | None, manifest: Mapping[str, Any] | None
) -> Corpus | None:
    """Return the corpus that an output was made from: the one named, or that of its manifest.

    The file that a manifest names is only taken if it is still the same; None if there is none. A
    file that is the same is read as it was, by the names of its columns.
    """
    from induction.formats import read_corpus
    from treewright.augmenting import read_source

    entry = (manifest or {}).get("input") or {}
    file = _found(entry, output) if source is None else _if_same(entry, Path(source))
    if file is not None:
        return read_source(str(file), (manifest or {}).get("columns") or {}, entry.get("format"))
    return read_corpus(source) if source is not None else None


def _found(entry: Mapping[str, Any], output: str) -> Path | None:
    path = entry.get("path")
    if path is None or path == "-":
        return None
    return _if_same(entry, Path(path)) or _if_same(entry, Path(output).parent / path)


def _if_same(entry: Mapping[str, Any], file: Path) -> Path | None:
    from sampling.manifest import file_hash

    same = entry and file.exists() and entry.get("sha256") in (None, file_hash(file))
    return file if same else None


def parents_of(row: Mapping[str, Any], source: Corpus | None) -> list[dict[str, Any]]:
    """Return the rows of the parents of an example, or nothing if one is not in the source."""
    ids = (row.get("provenance") or {}).get("parents") or []
    if source is None or not ids:
        return []
    wanted = set(ids)
    numbers = {id: n for n, id in enumerate(source.column("id")) if id in wanted}
    return [source[numbers[id]] for id in ids] if wanted <= set(numbers) else []


def grammar_of_manifest(
    row: Mapping[str, Any], source: Corpus | None, manifest: Mapping[str, Any] | None
) -> SpanGrammar | None:
    """Return the span grammar of an example, induced again as its manifest says; None if it cannot.

    Only a method that stands in the expression once and alone is taken: the grammar of a later
    step of a chain is that of examples which were not kept.
    """
    from sampling.class_names import number_classes
    from sampling.expression import read_expression
    from sampling.protocol import induce
    from sampling.span_grammar import SpanGrammar

    if source is None or manifest is None:
        return None
    method = (row.get("provenance") or {}).get("method")
    steps = [
        part.steps[0]
        for part in read_expression(manifest["expression"]).parts
        if len(part.steps) == 1 and part.steps[0].method == method
    ]
    if len({str(step) for step in steps}) != 1:
        return None
    grammar = induce(steps[0].method, number_classes(source), **steps[0].options).grammar
    return grammar if isinstance(grammar, SpanGrammar) and made_with(row, grammar) else None


def made_with(row: Mapping[str, Any], grammar: SpanGrammar) -> bool:
    """Say whether the rules of an example are a host and a filler of its parents in a grammar."""
    made_by = row["provenance"]
    sites = len(grammar.sites)
    if grammar.method != made_by["method"] or len(made_by["rules"]) != 2:
        return False
    host, filler = made_by["rules"][0], made_by["rules"][1] - sites
    if not (0 <= host < sites and 0 <= filler < sites):
        return False
    examples = (int(grammar.sites.example[site]) for site in (host, filler))
    ids = grammar.examples.arrow("id")
    return bool([ids[i].as_py() for i in examples] == made_by["parents"])

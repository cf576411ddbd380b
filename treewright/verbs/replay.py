"""The verb replay: an output made again from its manifest, and compared."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.console import Json, Quiet, counted, show_facts, warnings_said
from treewright.outputs import Encoding
from treewright.permissions import AllowNetwork, Asked, Key, MaxRequests

if TYPE_CHECKING:
    import pyarrow as pa

    from sampling.pipeline.pipeline import Pipeline
    from sampling.pipeline.settings import Settings

__all__ = ["replay"]

_MANIFEST = ".manifest.json"


def replay(
    output: Annotated[
        str, typer.Argument(help="An output of treewright augment, or its manifest.")
    ],
    identifier: Annotated[
        str | None, typer.Argument(metavar="ID", help="One example. By default all.")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--input", help="The source corpus, if it was moved.")
    ] = None,
    test: Annotated[str | None, typer.Option(help="The test corpus, if it was moved.")] = None,
    workers: Annotated[
        int, typer.Option(min=1, help="Number of threads. The output is the same for any.")
    ] = 1,
    endpoint: Asked = None,
    key: Key = None,
    max_requests: MaxRequests = None,
    allow_network: AllowNetwork = False,
    encoding: Encoding = "utf-8",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make an output, or one example of it, again from its source, and compare the two.

    Example: treewright replay new.jsonl treemix-0-17
    """
    from sampling.pipeline.manifest import read_manifest

    manifest = read_manifest(output)
    path = output.removesuffix(_MANIFEST)
    with warnings_said(quiet=quiet):
        pipeline = _pipeline(manifest, {"input": source, "test": test}, workers)
        if identifier is None:
            facts = _all_again(pipeline, manifest, path, quiet=quiet)
        else:
            facts = _one_again(pipeline, path, identifier)
    show_facts(facts, as_json=as_json, quiet=quiet)


def _pipeline(manifest: Mapping[str, Any], moved: Mapping[str, Any], workers: int) -> Pipeline:
    from grammar.errors import SchemaError
    from induction.corpus.corpus import Corpus
    from sampling.pipeline.pipeline import Pipeline
    from sampling.pipeline.settings import read_settings
    from sampling.pipeline.sources import check_same, named_file, read_source

    if "input" not in manifest:
        raise SchemaError(
            "the manifest names no input", hint="it is not of treewright augment, or was changed"
        )
    settings = read_settings(manifest["settings"])
    _check_read(settings, manifest)
    columns = manifest["columns"]
    corpora = {}
    for name in [name for name in moved if name in manifest]:
        entry = manifest[name]
        if moved[name] is None:
            file = named_file(name, entry)
        else:
            file = moved[name]
            check_same(name, file, entry["sha256"])
        corpora[name] = read_source(
            file,
            entry.get("columns", columns),
            entry.get("format"),
            entry.get("on_error", "stop"),
            entry.get("encoding"),
        )
    source = corpora.get("input", Corpus.from_columns(text=[]))  # names need no corpus
    pipeline = Pipeline(source, settings, test=corpora.get("test"), workers=workers)
    _check_versions(pipeline, manifest)
    return pipeline


def _check_versions(pipeline: Pipeline, manifest: Mapping[str, Any]) -> None:
    from grammar.errors import SchemaError
    from sampling.pipeline.manifest import plan_of

    now, then = plan_of(pipeline)["versions"], manifest["versions"]
    if now.get("parser") != then.get("parser"):
        raise SchemaError(
            f"its texts were parsed by {then.get('parser')}, and now by {now.get('parser')}",
            hint=f"use treewright {then['treewright']}, or augment again",
        )
    here = now.get("wordnet")
    if "wordnet" in then and then["wordnet"] != here:
        raise SchemaError(
            f"its synonyms are of {_told(then['wordnet'])}, and here there is {_told(here)}",
            where="wordnet",
            hint="treewright data get wordnet, or point NLTK_DATA at the folder of then"
            if then["wordnet"]
            else "unset NLTK_DATA, or augment again",
        )
    for name, version in now["methods"].items():
        if then["methods"].get(name) != version:
            raise SchemaError(
                f"it was made with version {then['methods'].get(name)} of {name}, and this is "
                f"version {version}",
                hint=f"use treewright {then['treewright']}, or augment again",
            )


def _told(version: str | None) -> str:
    return f"WordNet {version}" if version else "no WordNet"


def _check_read(settings: Settings, manifest: Mapping[str, Any]) -> None:
    """Refuse files of names or grammars that are others than they were, before they are read."""
    from grammar.errors import CorpusError
    from sampling.expression import read_expression, with_options
    from sampling.pipeline.manifest import files_read

    expression = with_options(read_expression(settings.method), settings.options or {})
    known = manifest.get("reads", {})
    for path, digest in files_read(expression).items():
        then = known.get(path)
        if digest is not None and then != digest:
            raise CorpusError(
                "the file is not the one that a method read",
                where=path,
                hint=f"put that file there again; its SHA-256 begins {(then or '?')[:12]}",
            )


def _all_again(
    pipeline: Pipeline, manifest: Mapping[str, Any], path: str, *, quiet: bool
) -> dict[str, Any]:
    from grammar.errors import CorpusError
    from induction.corpus.formats import read_corpus, write_batches
    from sampling.pipeline.manifest import file_hash

    with tempfile.TemporaryDirectory() as folder:
        again = str(Path(folder) / Path(path).name)
        tables = (table.rename_columns(pipeline.written_names) for table in pipeline.run())
        rows = write_batches(counted(tables, pipeline.total, "making", quiet=quiet), again)
        same_bytes = file_hash(again) == file_hash(path)
        # another version of pyarrow may write the same examples in other bytes
        if not same_bytes and not read_corpus(again).table.equals(read_corpus(path).table):
            changed = file_hash(path) != manifest.get("output", {}).get("sha256")
            raise CorpusError(
                "the output is not what its manifest makes",
                where=path,
                hint="the file was changed after it was made" if changed else
                "the versions in the manifest may differ from those here",
            )  # fmt: skip
    return {"output": path, "examples": rows, "equal": True, "equal bytes": same_bytes}


def _one_again(pipeline: Pipeline, path: str, identifier: str) -> dict[str, Any]:
    from grammar.errors import CorpusError, OptionError
    from induction.corpus.formats import read_corpus

    there = read_corpus(path)
    ids = there.column("id")
    if identifier not in ids:
        raise OptionError(
            f"no example has the id {identifier!r}",
            where=path,
            hint=f"the ids are {', '.join(ids[:3])}, ... ({len(ids):,} in all)",
        )
    row = there[ids.index(identifier)]
    if "provenance" not in row:
        raise CorpusError(
            "the examples do not say what made them",
            where=path,
            hint="replay the whole output: leave the id out",
        )
    made = row["provenance"]
    if made is None:
        return {"id": identifier, "text": row["text"], "is": "an original, kept as it was"}
    example = pipeline.example(made["method"], made["seed"], made["index"])
    again = _as_written(example.rename_columns(pipeline.written_names), path)
    if again != row:
        differs = [name for name in row if again is None or again.get(name) != row[name]]
        raise CorpusError(
            f"the example made again differs in {', '.join(differs)}",
            where=f"{path}, id {identifier}",
            hint="the file was changed after it was made",
        )
    return {"id": identifier, "text": row["text"], "equal": True}


def _as_written(table: pa.Table, path: str) -> dict[str, Any] | None:
    """Return an example as it looks when it was written to such a file and read again."""
    from induction.corpus.formats import read_corpus, write_batches

    if not table.num_rows:
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"one{Path(path).suffix}"
        write_batches([table], file)
        return read_corpus(file)[0]

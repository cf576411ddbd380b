"""The verb induce: a treebank, texts, a file of pairs, or examples become a grammar."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.console import (
    Json,
    OnError,
    Quiet,
    naming,
    progress,
    show_facts,
    tell_skipped,
    trees_made,
    warnings_said,
)
from treewright.flags import FlagsOfOptions, read_settings, value_of
from treewright.outputs import FILE, Force
from treewright.pair_files import read_pair_file
from treewright.terminal import say
from treewright.workers import EngineName, engine_for, workers_beside

if TYPE_CHECKING:
    from grammar.options import Option
    from grammar.trees.treebank import Treebank
    from induction.corpus.corpus import Corpus
    from induction.corpus.rows import Skipped
    from induction.models import Model
    from sampling.method import Method

__all__ = ["InduceCommand", "induce"]


def induce(
    corpus: Annotated[
        str,
        typer.Argument(
            help="'embedded', nltk:NAME, a file or folder of brackets, or -; a corpus of texts "
            "(.csv, .tsv, .jsonl, .parquet, .conllu), which get trees if they have none; "
            "synchronous, terms: pairs, as 'IN: ... OUT: ...' lines (.txt) or a corpus with the "
            "columns text and target; methods of augmentation: examples, as for treewright augment."
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar=FILE,
            help="Grammar file; treewright models NAME lists its suffixes.",
        ),
    ],
    model: Annotated[
        str,
        typer.Option(help="A model or a method: see treewright models and treewright methods."),
    ] = "pcfg",
    set_option: Annotated[
        list[str] | None,
        typer.Option("--set", "-O", help="An option as NAME=VALUE; each has a flag too."),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            help="Format of examples, texts or pairs, if not clear from the name: sst, scan, ..."
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(help="Column of texts; for pairs, of sources."),
    ] = None,
    label: Annotated[str | None, typer.Option(help="Column of classes of examples.")] = None,
    on_error: OnError = "stop",
    encoding: Annotated[str, typer.Option(help="Encoding of files of trees.")] = "utf-8",
    discontinuous: Annotated[
        str,
        typer.Option(help="Discontinuous constituents: refuse, raise or split."),
    ] = "refuse",
    workers: Annotated[
        int, typer.Option(min=1, help="Number of workers; the result is the same.")
    ] = 1,
    engine: EngineName = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Induce a grammar from trees or texts, a synchronous one from pairs, or that of a method.

    Where the targets of pairs are terms such as sleep ( agent = Ann ), the model is terms.
    The grammar of a method of augmentation can be inspected, and sampled without the corpus:
    treewright induce train.jsonl -o g.arrow --model sub2 --phrase

    Example: treewright induce nltk:treebank -o wsj.json --horizontal-markov 2
    """
    chosen = _chosen(model)
    options = read_settings(set_option or (), chosen.options, f"the model {model}")
    _check_name(chosen, output)
    with warnings_said(quiet=quiet):
        how = {"format": format, "text": text, "label": label, "on_error": on_error}
        trees = {"encoding": encoding, "discontinuous": discontinuous}
        data, skipped = _read(chosen, corpus, how, trees, quiet=quiet)
        say(f"read {_size(chosen, data)}", quiet=quiet)
        tell_skipped(skipped, output, quiet=quiet)
        with (
            _told(quiet=quiet) as tell,
            naming(corpus),
            _workers(chosen, output, engine, workers) as those,
        ):
            besides = _besides(chosen, {**those, "on_progress": tell})
            found = chosen.induce(data, **options, **besides)
    grammar, findings = _findings(chosen, found, as_json=as_json)
    grammar.save(output)
    known = {"grammar": output, "model": model, _UNITS[chosen.reads]: len(data)}
    show_facts(known | findings, as_json=as_json, quiet=quiet)


class InduceCommand(FlagsOfOptions):
    """The verb induce, with the flags of the model that is asked for."""

    def asked(self, args: Sequence[str]) -> tuple[str, Sequence[Option]]:
        """Return the model and its options."""
        name = value_of(args, "--model") or "pcfg"
        return f"the model {name}", _chosen(name).options

    def explained(self, args: Sequence[str]) -> Mapping[str, Sequence[Option]]:
        """Return the options of the model that is named, else of all models."""
        from induction.models import MODELS

        name = value_of(args, "--model")
        if name is not None:
            return {name: _chosen(name).options}
        return {name: model.options for name, model in MODELS.items() if model.family}


def _chosen(name: str) -> Model | Method:
    """Return what can be induced to a file, by its name."""
    from grammar.options import named
    from induction.models import MODELS
    from sampling.method import METHODS

    every: dict[str, Model | Method] = {**MODELS, **METHODS}
    return named(name, {k: one for k, one in every.items() if one.family}, "model")


def _check_name(chosen: Model | Method, output: str) -> None:
    """Refuse a name that would not tell what the file holds, before anything is induced."""
    from grammar.errors import OptionError

    if not output.endswith(chosen.suffixes):
        raise OptionError(
            f"{output!r} is no name for the model {chosen.name}",
            hint=f"it is saved as {', '.join(chosen.suffixes)}",
        )


_UNITS = {"treebank": "trees", "pairs": "pairs", "examples": "examples"}


def _read(
    chosen: Model | Method,
    path: str,
    how: Mapping[str, Any],
    trees: Mapping[str, str],
    *,
    quiet: bool,
) -> tuple[Any, Sequence[Skipped]]:
    """Read what a model is induced from, and what was left out of it."""
    from grammar.errors import OptionError

    if chosen.reads == "pairs":
        if how["label"] is not None:
            raise OptionError(
                "pairs have no classes", where="--label", hint="leave it out; --text is the source"
            )
        pairs = read_pair_file(path, **{k: how[k] for k in ("format", "text", "on_error")})
        return pairs, pairs.skipped
    if chosen.reads == "examples" or how["format"] is not None or _is_corpus(path):
        from sampling.pipeline.sources import read_source

        columns = {name: how[name] for name in ("text", "label")}
        found = read_source(path, columns, how["format"], how["on_error"])
        data = found if chosen.reads == "examples" else _trees_of(found, path, quiet=quiet)
        return data, found.skipped
    if how["text"] is not None or how["label"] is not None:
        raise OptionError(
            "brackets have no columns",
            where="--text" if how["text"] is not None else "--label",
            hint="leave it out; --format says what else the file is",
        )
    skipped: list[Skipped] = []
    skip = skipped.append if how["on_error"] == "skip" else None
    return _read_brackets(path, trees, skip), skipped


def _read_brackets(
    path: str, trees: Mapping[str, str], skip: Callable[[Skipped], object] | None
) -> Treebank:
    from grammar.errors import BracketError
    from grammar.trees.brackets import STRAY_TEXT
    from induction.corpus.readers import read_treebank

    try:
        return read_treebank(path, skip=skip, **trees)
    except BracketError as error:
        if error.what != STRAY_TEXT:
            raise
        hint = f"{error.hint}; texts without trees are read with --format text"
        raise BracketError(error.what, where=error.where, hint=hint) from None


_TREES = (None, "text", "arrow", "brackets", "treebank", "sst")
"""What names of files tell that are read as trees: brackets may have any name."""


def _is_corpus(path: str) -> bool:
    from induction.corpus.formats import format_of_content, named_format
    from induction.corpus.huggingface import is_local_dataset

    if is_local_dataset(path):
        return True
    name = named_format(path)
    if name in (None, "text") and os.path.isfile(path):
        return format_of_content(path) not in (None, "brackets", "sst")
    return name not in _TREES


def _trees_of(corpus: Corpus, path: str, *, quiet: bool) -> Treebank:
    """Return the trees of a corpus, or those that the parser that ships finds for its texts."""
    from grammar.errors import CorpusError
    from induction.corpus.tree_files import trees_of_corpus

    if not len(corpus):
        raise CorpusError("the corpus is empty", where=path, hint="give at least one text")
    with trees_made(None, quiet=quiet) as trees:
        by_another = replace(trees, another="treewright parse-corpus takes another")
        return trees_of_corpus(by_another(corpus))


def _size(chosen: Model | Method, data: Any) -> str:
    words = f", {data.word_count:,} words" if chosen.reads == "treebank" else ""
    return f"{len(data):,} {_UNITS[chosen.reads]}{words}"


def _besides(chosen: Model | Method, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the function of a model takes besides options."""
    from inspect import signature

    taken = signature(chosen.function).parameters
    return {name: value for name, value in given.items() if name in taken}


@contextmanager
def _workers(
    chosen: Model | Method, output: str, name: str | None, workers: int
) -> Iterator[dict[str, Any]]:
    """Give who works, as the function of a model takes it."""
    from grammar.errors import OptionError

    engine = engine_for(name)
    if engine == "threads":
        yield {"workers": workers}
        return
    if not _besides(chosen, {"engine": None}):
        raise OptionError(
            f"the model {chosen.name} is induced in this process alone",
            where=f"--engine {engine}",
            hint="leave it out: its kernels use threads, which --workers counts, or take seconds",
        )
    with workers_beside(output, engine, workers) as those:
        yield {"engine": those}


def _findings(chosen: Model | Method, found: Any, *, as_json: bool) -> tuple[Any, dict[str, Any]]:
    """Return the grammar that was induced, and what there is to say of it."""
    if chosen.reads == "examples":
        return found.grammar, {"holds": repr(found.grammar), "licensed": found.count()}
    if chosen.reads == "pairs":
        return found.saved, found.to_dict() if as_json else dict(found.lines())
    return found, {"rules": len(found), "start": found.start, "holds": repr(found)}


@contextmanager
def _told(*, quiet: bool) -> Iterator[Callable[[Any], None]]:
    """Give what shows progress: a text as a line, a step of something as a bar."""
    with progress(quiet=quiet) as bars:
        tasks: dict[str, Any] = {}

        def tell(now: Any) -> None:
            if isinstance(now, str):
                say(now, quiet=quiet)
                return
            if now.task not in tasks:
                tasks[now.task] = bars.add_task(now.task, total=now.total, note="")
            bars.update(tasks[now.task], completed=now.done, note=now.note)

        yield tell

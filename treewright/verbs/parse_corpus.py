"""The verb parse-corpus: the texts of a corpus get trees."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.console import (
    Json,
    MemoryLimit,
    OnError,
    Quiet,
    StepLimit,
    progress,
    show_facts,
    tell_skipped,
)
from treewright.outputs import FILE, STORE, Encoding, Force
from treewright.terminal import say
from treewright.workers import EngineName, engine_for, workers_beside

if TYPE_CHECKING:
    from induction.corpus.corpus import Corpus
    from induction.corpus.rows import Skipped
    from induction.parsers.corpora import ParsedCorpus
    from induction.parsers.protocol import TextParser

__all__ = ["parse_corpus"]

_MOST_SAID = 5


def parse_corpus(
    first: Annotated[
        str,
        typer.Argument(
            metavar="[GRAMMAR]",
            help="A .json, text or .arrow file of a parser; by default that of English.",
        ),
    ],
    second: Annotated[
        str | None,
        typer.Argument(metavar="IN", help="A corpus: .jsonl, .csv, .tsv, .parquet, ..."),
    ] = None,
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar=FILE, help="The corpus with a column of trees.")
    ],
    text: Annotated[str | None, typer.Option(help="Column of texts.")] = None,
    text_pair: Annotated[str, typer.Option(help="Column of second texts of pairs.")] = "text_pair",
    format: Annotated[
        str | None, typer.Option(help="Format of IN, if not clear from its name: sst, scan, ...")
    ] = None,
    on_error: OnError = "stop",
    cache: Annotated[
        str | None,
        typer.Option(metavar=STORE, help="A file that keeps parses for later runs."),
    ] = None,
    max_words: Annotated[
        int, typer.Option(min=1, help="Longer sentences are parsed in parts.")
    ] = 300,
    max_text: Annotated[
        int,
        typer.Option(min=1, help="The largest number of words of a text; longer ones get no tree."),
    ] = 20_000,
    memory_limit: MemoryLimit = 1024,
    step_limit: StepLimit = 100_000_000,
    workers: Annotated[
        int, typer.Option(min=1, help="Number of workers; the result is the same.")
    ] = 1,
    engine: EngineName = None,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Parse the texts of a corpus: add the column of trees that sub2 and treemix need.

    Each sentence of a text is parsed by itself, and the trees of several joined below TOP.
    Pairs of texts get two, tree and tree_pair. Examples with a text that has no parse are left
    out, and the first reasons said, as are those of coarser parses, of texts that take too much.
    With --on-error skip all of these are written to a file, as are rows that no method could use.
    Trees that are there already are replaced.

    Example: treewright parse-corpus train.tsv -o train.jsonl --text sentence
    """
    from grammar.files import check_free
    from induction.corpus.formats import check_output, write_corpus
    from induction.parsers.cache import CachedParser
    from induction.parsers.opening import ENGLISH, open_parser
    from induction.parsers.remote import EngineParser
    from sampling.pipeline.sources import read_source, skipped_path

    grammar, source = (ENGLISH, first) if second is None else (first, second)
    check_output(output, columns=("id", "text", "tree"))
    check_free(skipped_path(output))
    corpus = read_source(source, {"text": text, "text_pair": text_pair}, format, on_error)
    limits: dict[str, Any] = {
        "max_words": max_words,
        "memory_limit": memory_limit << 20,
        "step_limit": step_limit,
    }
    with ExitStack() as working:
        opened: TextParser
        if engine_for(engine) == "threads":
            opened = open_parser(grammar, workers=workers, **limits)
        else:
            _refuse_stream(grammar)
            those = working.enter_context(workers_beside(output, str(engine), workers))
            opened = EngineParser(grammar, those, **limits)
        parser = opened if cache is None else CachedParser(opened, cache)
        found = _parsed(corpus, parser, max_text, quiet=quiet)
    _say_unparsed(corpus, found, quiet=quiet)
    tell_skipped(_left_out(corpus, found) if on_error == "skip" else (), output, quiet=quiet)
    write_corpus(found.corpus, output)
    facts = {
        "output": output,
        "examples": len(found.corpus),
        "unparsed": len(found.unparsed),
        "coarse": len(found.coarse),
    }
    show_facts(facts, as_json=as_json, quiet=quiet)


def _refuse_stream(grammar: str) -> None:
    from grammar.errors import OptionError

    if grammar == "-":
        raise OptionError(
            "workers cannot read the parser from standard input", hint="write it to a file first"
        )


def _parsed(corpus: Corpus, parser: TextParser, max_text: int, *, quiet: bool) -> ParsedCorpus:
    from induction.parsers.corpora import parse_corpus

    with progress(quiet=quiet) as bars:
        task = bars.add_task("parsing", total=len(corpus), note="")
        return parse_corpus(
            corpus,
            parser,
            max_text=max_text,
            on_progress=lambda done, _: bars.update(task, completed=done),
        )


def _left_out(corpus: Corpus, found: ParsedCorpus) -> list[Skipped]:
    """Return the rows that could not be read, and those that have no parse."""
    from induction.corpus.rows import Skipped

    unparsed = (
        Skipped(corpus.where(row), str(why), corpus[row]) for row, why in found.unparsed.items()
    )
    return [*corpus.skipped, *unparsed]


def _say_unparsed(corpus: Corpus, found: ParsedCorpus, *, quiet: bool) -> None:
    for row, reason in list(found.unparsed.items())[:_MOST_SAID]:
        say(f"{corpus.where(row)}: {reason}", quiet=quiet)
    if found.unparsed:
        count = f"{len(found.unparsed):,} of {len(corpus):,}"
        say(f"warning: {count} examples have no tree and are left out", quiet=quiet)
    for row, why in list(found.coarse.items())[:_MOST_SAID]:
        say(f"{corpus.where(row)}: a coarser parse, {why}", quiet=quiet)
    if found.coarse:
        count = f"{len(found.coarse):,} of {len(corpus):,}"
        say(f"warning: {count} examples have a coarser parse", quiet=quiet)

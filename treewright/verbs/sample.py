"""The verb sample: sentences from a grammar, or pairs from a synchronous one."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from treewright.console import (
    Backbone,
    GrammarEncoding,
    Json,
    Normalise,
    Quiet,
    Seed,
    counted,
    read_length,
    show_facts,
    warnings_said,
)
from treewright.outputs import FILE, Force, check_folder
from treewright.pair_files import check_pair_output, write_pair_tables
from treewright.permissions import AllowNetwork, Asked, Key, MaxRequests
from treewright.terminal import show
from treewright.workers import EngineName, engine_for, workers_beside

if TYPE_CHECKING:
    from grammar.pcfg.derivable import Derivable
    from grammar.synchronous.grammar import SynchronousGrammar
    from sampling.sentences.token_streams import TokenStream

__all__ = ["sample"]

_BANDS = "condition on a depth or a length, which is exact: --depth 1:8, --source-length 1:9 ..."


def sample(
    grammar: Annotated[
        str, typer.Argument(metavar="GRAMMAR", help="A .json, .arrow or text file, or -.")
    ],
    n: Annotated[
        int | None,
        typer.Option("-n", min=0, help="Number of sentences or pairs; by default 10."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar=FILE,
            help=".parquet .arrow .jsonl .csv .tsv .txt. By default printed. With --tokens a "
            "folder.",
        ),
    ] = None,
    tokens: Annotated[
        float | None,
        typer.Option(
            min=1, help="Make a corpus for language models with this number of tokens: 1e9."
        ),
    ] = None,
    shards: Annotated[int, typer.Option(min=1, help="With --tokens: number of files.")] = 1,
    form: Annotated[
        str, typer.Option(help="With --tokens: packed tokens (.npy), or texts (.parquet).")
    ] = "tokens",
    length: Annotated[
        str | None,
        typer.Option(help="Only sentences with this number of words, an exact condition: 5:20."),
    ] = None,
    containing: Annotated[
        list[str] | None,
        typer.Option(
            help="Only trees in which a pattern of treewright search has a hit, an exact "
            "condition: a construction or a word; may be repeated."
        ),
    ] = None,
    trees: Annotated[bool, typer.Option("--trees", help="Also give the trees.")] = False,
    spacing: Annotated[
        str, typer.Option(help="Between words: a space (words), or nothing (characters).")
    ] = "words",
    cover: Annotated[
        str | None,
        typer.Option(
            help="Make few sentences that use every rule (rules), or every rule in every place "
            "where it may stand (pairs)."
        ),
    ] = None,
    max_size: Annotated[
        int,
        typer.Option(
            min=1, help="With --cover: rules and words of a derivation, unless a rule needs more."
        ),
    ] = 100,
    distribution: Annotated[
        str,
        typer.Option(
            help="Rule probabilities: mle uniform tempered inverse-frequency inverse-probability."
        ),
    ] = "mle",
    temperature: Annotated[
        float, typer.Option(help="For tempered: above 1 flatter, below 1 sharper.")
    ] = 1.0,
    source_length: Annotated[
        str | None,
        typer.Option(
            help="Synchronous: only sources with this number of words, an exact condition: 1:9."
        ),
    ] = None,
    target_length: Annotated[
        str | None,
        typer.Option(
            help="Synchronous: only targets with this number of words, an exact condition."
        ),
    ] = None,
    depth: Annotated[
        str | None,
        typer.Option(help="Synchronous: only derivations of this depth, an exact condition: 1:8."),
    ] = None,
    uniform: Annotated[
        bool,
        typer.Option(
            "--uniform", help="Synchronous: all derivations of the band have equal probability."
        ),
    ] = False,
    flat: Annotated[
        bool,
        typer.Option("--flat", help="All lengths of the band (or bands) have equal probability."),
    ] = False,
    start: Annotated[int, typer.Option(min=0, help="Number of the first example.")] = 0,
    normalise: Normalise = False,
    workers: Annotated[
        int, typer.Option(min=1, help="Number of workers. The output is the same for any.")
    ] = 1,
    engine: EngineName = None,
    seed: Seed = 0,
    endpoint: Asked = None,
    key: Key = None,
    max_requests: MaxRequests = None,
    allow_network: AllowNetwork = False,
    encoding: GrammarEncoding = "utf-8",
    backbone: Backbone = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw sentences or pairs from a grammar, each with exactly its probability.

    The grammar of a method (sub2, treemix, randmix, geca, alp) gives new examples.

    With other rule probabilities sentences may grow without end. Then --length is required; it is
    an exact condition.

    --containing draws more sentences like the hits of a search.

    --cover makes test inputs instead: as few sentences as it finds that use every rule.

    Example: treewright sample wsj.json -n 1000 --length 5:20 --trees -o sentences.jsonl
    """
    from grammar.opening import open_grammar
    from induction.corpus.formats import check_output

    opened = open_grammar(grammar, normalise=normalise, encoding=encoding, backbone=backbone)
    bands = {"source_length": source_length, "target_length": target_length, "depth": depth}
    changed = distribution != "mle" or temperature != 1.0
    of_sentences = {
        "length": length, "trees": trees, "distribution": changed, "tokens": tokens,
        "cover": cover, "spacing": spacing != "words", "containing": containing,
    }  # fmt: skip
    count = 10 if n is None else n
    if opened.family == "synchronous":
        _refuse("sentences", {**of_sentences, "engine": engine}, grammar)
        _sample_pairs(
            cast("SynchronousGrammar", opened), count, output, bands, seed=seed, start=start,
            uniform=uniform, flat=flat, as_json=as_json, quiet=quiet,
        )  # fmt: skip
        return
    _refuse("pairs of synchronous grammars", {**bands, "uniform": uniform}, grammar)
    if getattr(opened, "method", None) is not None:
        _refuse("sentences", {**of_sentences, "flat": flat}, grammar)
        _sample_method(
            grammar, count, output, seed=seed, start=start, workers=workers, engine=engine,
            as_json=as_json, quiet=quiet,
        )  # fmt: skip
        return
    if output is not None and tokens is None:
        check_output(output)
    band = read_length(length)
    loaded = _source_of_sentences(opened, grammar)
    if cover is not None:
        drawn = {
            "n": n is not None, "tokens": tokens, "length": length, "flat": flat, "start": start,
            "containing": containing, "distribution": changed, "engine": engine,
        }  # fmt: skip
        _cover(
            loaded, output, drawn, as_json=as_json, quiet=quiet,
            what=cover, max_size=max_size, seed=seed, trees=trees, spacing=spacing,
        )  # fmt: skip
        return
    _refuse("--cover", {"max_size": max_size != 100}, "sample")
    loaded = _reweighted(loaded, distribution, temperature, bounded=band is not None)
    if tokens is not None:
        from sampling.sentences.token_streams import TokenStream

        stream = TokenStream(loaded, seed, band, shards)
        _sample_tokens(
            stream, tokens, output, form=form, workers=workers, engine=engine, as_json=as_json,
            quiet=quiet, unused={"start": start, "trees": trees, "flat": flat,
            "spacing": spacing != "words", "containing": containing},
        )  # fmt: skip
        return
    how: dict[str, Any] = {
        "seed": seed, "start": start, "length": band, "flat": flat, "trees": trees,
        "spacing": spacing, "containing": containing or (),
    }  # fmt: skip
    _sample_sentences(
        loaded, count, output, engine=engine, workers=workers, as_json=as_json, quiet=quiet,
        how=how,
    )  # fmt: skip


def _sample_sentences(
    grammar: Derivable,
    n: int,
    output: str | None,
    *,
    engine: str | None,
    workers: int,
    as_json: bool,
    quiet: bool,
    how: dict[str, Any],
) -> None:
    """Write sentences to a file, or show them."""
    from sampling.sentences.sentences import sentence_batches

    if output is None:
        batches = sentence_batches(grammar, n, workers=workers, **how)
        _print_examples(batches, trees=how["trees"], as_json=as_json)
        return
    rows = _write_sentences(
        grammar, n, output, engine=engine_for(engine), workers=workers, quiet=quiet, how=how
    )
    facts = {"output": output, "sentences": rows, "seed": how["seed"]}
    show_facts(facts, as_json=as_json, quiet=quiet)


def _write_sentences(
    grammar: Derivable,
    n: int,
    output: str,
    *,
    engine: str,
    workers: int,
    quiet: bool,
    how: dict[str, Any],
) -> int:
    """Write sentences to a file, drawn by whoever works; return how many there are."""
    from grammar.files import is_stream
    from induction.corpus.formats import write_batches
    from induction.corpus.pieces import lines_of, write_pieces
    from sampling.sentences.sentences import sentence_batches
    from sampling.sentences.shards import sentence_pieces

    if engine == "threads" or is_stream(output):
        batches = sentence_batches(grammar, n, workers=workers, **how)
        counting = counted(batches, n, "sampling", quiet=quiet)
        return write_batches(counting, output, workers=workers)
    with workers_beside(output, engine, workers) as those:
        pieces = sentence_pieces(grammar, n, those, lines=lines_of(output), **how)
        return write_pieces(counted(pieces, n, "sampling", quiet=quiet), output)


def _cover(
    grammar: Derivable,
    output: str | None,
    drawn: Mapping[str, Any],
    *,
    as_json: bool,
    quiet: bool,
    **how: Any,
) -> None:
    """Write sentences that cover a grammar to a file, or show them; refuse options of draws."""
    from induction.corpus.formats import write_batches
    from sampling.sentences.covering import covering_batches

    _refuse("drawn sentences, not --cover", drawn, "sample")
    batches = covering_batches(grammar, **how)
    if output is None:
        _print_examples(batches, trees=how["trees"], as_json=as_json)
        return
    rows = write_batches(batches, output)
    facts = {"output": output, "sentences": rows, "covers": how["what"], "seed": how["seed"]}
    show_facts(facts, as_json=as_json, quiet=quiet)


def _sample_tokens(
    stream: TokenStream,
    tokens: float,
    output: str | None,
    *,
    form: str,
    workers: int,
    engine: str | None,
    as_json: bool,
    quiet: bool,
    unused: Mapping[str, Any],
) -> None:
    """Fill a folder with shards, which appears when all are there."""
    from grammar.errors import OptionError
    from grammar.files import moved_output
    from sampling.sentences.token_files import token_shards, write_card

    _refuse("sentences alone, not --tokens", unused, "sample")
    if output is None or output == "-":
        raise OptionError("--tokens fills a folder", hint="name it: -o FOLDER")
    if tokens != int(tokens):
        raise OptionError(f"{tokens} tokens is no whole number", hint="for example 1e9")
    check_folder(output)
    with workers_beside(output, engine_for(engine), workers) as those:
        folder = those.folder / "made"
        made = token_shards(stream, int(tokens), folder, those, form)
        every = list(counted(made, int(tokens), "sampling", quiet=quiet))
        facts = write_card(stream, every, folder)
        if os.path.isdir(output) and not os.listdir(output):
            os.rmdir(output)
        moved_output(folder, output)
    show_facts({"folder": output, **facts}, as_json=as_json, quiet=quiet)


def _refuse(of: str, given: Mapping[str, Any], path: str) -> None:
    """Refuse options, of those that are given, that the grammar's family has no use for."""
    from grammar.errors import OptionError

    names = sorted(name for name, value in given.items() if value not in (None, False, 0, []))
    if names:
        flags = ", ".join(f"--{n.replace('_', '-')}" if len(n) > 1 else f"-{n}" for n in names)
        raise OptionError(f"{flags} is for {of}", where=path, hint="leave it out")


def _source_of_sentences(loaded: Any, path: str) -> Derivable:
    """Return the grammar, if sentences can be drawn from it."""
    from grammar.errors import OptionError

    if loaded.pcfg is not None:
        return cast("Derivable", loaded)
    raise OptionError(
        "a latent parser scores trees, but cannot generate sentences",
        where=path,
        hint="sample a grammar of the model pcfg, lpcfg, dop, double-dop or bayes-tsg",
    )


def _reweighted(
    grammar: Derivable, distribution: Any, temperature: float, *, bounded: bool
) -> Derivable:
    from grammar.families.distributions import check_tight, reweighted

    made = reweighted(grammar, distribution, temperature=temperature)
    if made is not grammar and not bounded:
        check_tight(made.pcfg, "--length 1:40")
    return made


def _print_examples(batches: Any, *, trees: bool, as_json: bool) -> None:
    for batch in batches:
        for row in batch.to_pylist():
            if as_json:
                show(json.dumps(row, ensure_ascii=False))
            else:
                show(row["tree"] if trees else row["text"])


def _sample_pairs(
    grammar: SynchronousGrammar,
    n: int,
    output: str | None,
    bands: dict[str, str | None],
    *,
    seed: int,
    start: int,
    uniform: bool,
    flat: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write pairs of a grammar to a file, or show them; bands are texts such as ``1:9``."""
    from grammar.errors import NotTightError, OptionError
    from sampling.sentences.pairs import pair_batches

    if output is not None:
        check_pair_output(output)
    given: dict[str, Any] = {
        name: read_length(text, name.replace("_", " ")) for name, text in bands.items()
    }
    if (uniform or flat) and not any(given.values()):
        raise OptionError("--uniform and --flat need a band", hint=_BANDS)
    try:
        batches = pair_batches(
            grammar, n, seed=seed, start=start, uniform=uniform, flat=flat, **given
        )
    except NotTightError as error:
        raise NotTightError(error.what, where=error.where, hint=_BANDS) from None
    if output is not None:
        rows = write_pair_tables(counted(batches, n, "sampling", quiet=quiet), output)
        show_facts({"output": output, "pairs": rows, "seed": seed}, as_json=as_json, quiet=quiet)
        return
    for batch in batches:
        for row in batch.to_pylist():
            line = f"IN: {row['text']} OUT: {row['target']}"
            show(json.dumps(row, ensure_ascii=False) if as_json else line)


def _sample_method(
    path: str,
    n: int,
    output: str | None,
    *,
    seed: int,
    start: int,
    workers: int,
    engine: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Draw new examples from the saved grammar of a method; the corpus is not needed."""
    from grammar.files import is_stream
    from induction.corpus.formats import check_output, write_batches
    from induction.corpus.pieces import lines_of, write_pieces
    from sampling.opening import open_sampler

    if output is not None:
        check_output(output)
    sampler = open_sampler(path)
    chosen = engine_for(engine)
    with warnings_said(quiet=quiet):
        if output is not None and chosen != "threads" and not is_stream(output):
            with workers_beside(output, chosen, workers) as those:
                pieces = sampler.pieces(n, those, seed=seed, start=start, lines=lines_of(output))
                rows = write_pieces(counted(pieces, n, "sampling", quiet=quiet), output)
            facts = {"output": output, "examples": rows, "seed": seed}
            show_facts(facts, as_json=as_json, quiet=quiet)
            return
        batches = sampler.batches(n, seed=seed, start=start, workers=workers)
        if output is not None:
            counting = counted(batches, n, "sampling", quiet=quiet)
            rows = write_batches(counting, output, workers=workers)
            facts = {"output": output, "examples": rows, "seed": seed}
            show_facts(facts, as_json=as_json, quiet=quiet)
            return
        for batch in batches:
            for row in batch.to_pylist():
                if as_json:
                    show(json.dumps(row, ensure_ascii=False))
                else:
                    beside = [row[name] for name in ("text_pair", "target") if row.get(name)]
                    show("\t".join([row["text"], *beside]))

"""The verb augment: labelled examples in, more of them out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.console import (
    Json,
    Quiet,
    counted,
    naming,
    read_option,
    show_facts,
    trees_made,
    warnings_said,
)
from treewright.outputs import FILE, Encoding, Force, Verb
from treewright.permissions import AllowNetwork, Asked, Key, MaxRequests
from treewright.terminal import say, show
from treewright.workers import EngineName, engine_for

if TYPE_CHECKING:
    from grammar.engines.engine import Engine
    from induction.parsers.trees import TreeMaker
    from sampling.pipeline.pipeline import Pipeline
    from sampling.pipeline.resuming import PartialWork

__all__ = ["AugmentCommand", "augment"]

_FILES: Mapping[str, type] = {
    "input": str, "output": str, "test": str, "text": str, "label": str, "test_text": str,
    "test_label": str, "format": str, "on_error": str, "workers": int, "engine": str,
    "encoding": str,
}  # fmt: skip
"""What belongs to files, on the command line and in TOML, and of what kind it is."""


def augment(
    source: Annotated[
        str | None, typer.Argument(metavar="IN", help="The corpus, or - for JSON lines.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar=FILE,
            help="The ending decides the format: .jsonl .csv .parquet .conllu ...",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            "-m",
            help="METHOD(OPTION=VALUE, ...), A | B, 0.7*A + 0.3*B. By default fluent(sub2), which "
            "keeps labels.",
        ),
    ] = None,
    class_names: Annotated[
        str | None,
        typer.Option(
            "--names", help="Same as --method names(FILE): examples from the names of classes."
        ),
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(
            help="A TOML file with a table [augment]. Options of the command line override it."
        ),
    ] = None,
    n: Annotated[int | None, typer.Option("-n", help="Number of new examples.")] = None,
    times: Annotated[int | None, typer.Option(help="New examples per original.")] = None,
    per_class: Annotated[int | None, typer.Option(help="New examples per class.")] = None,
    balance: Annotated[
        bool | None, typer.Option("--balance/--no-balance", help="Bring all classes to one count.")
    ] = None,
    length: Annotated[
        str | None,
        typer.Option(help="Words per text: a band, 5:20, or bands with counts, 5:9=40,10:20=60."),
    ] = None,
    set_option: Annotated[
        list[str] | None,
        typer.Option(
            "--set", "-O", help="An option of the methods: NAME=VALUE, or METHOD.NAME=VALUE."
        ),
    ] = None,
    dedup: Annotated[
        str | None,
        typer.Option(help="Remove duplicates: exact, minhash (similar texts too), none."),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Least similarity of similar texts (minhash).")
    ] = None,
    test: Annotated[str | None, typer.Option(help="A test corpus, to measure leakage.")] = None,
    drop_leaked: Annotated[
        bool | None,
        typer.Option(
            "--drop-leaked/--keep-leaked", help="Remove new texts that equal a test text."
        ),
    ] = None,
    keep_originals: Annotated[
        bool | None,
        typer.Option("--keep-originals/--only-new", help="Put the originals before the new ones."),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="Other columns that new examples get from their parents: all, none, or names "
            "with commas."
        ),
    ] = None,
    text: Annotated[str | None, typer.Option(help="The column of texts.")] = None,
    label: Annotated[
        str | None, typer.Option(help="The column of classes; '' if there are none.")
    ] = None,
    test_text: Annotated[
        str | None, typer.Option(help="The column of texts in the test corpus, if different.")
    ] = None,
    test_label: Annotated[
        str | None, typer.Option(help="The column of classes in the test corpus, if different.")
    ] = None,
    on_error: Annotated[
        str | None,
        typer.Option(help="Unusable rows: stop, or skip them and list them in OUT.skipped.jsonl."),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            help="Format of IN and the test corpus, if the endings do not give it: sst, scan, ..."
        ),
    ] = None,
    parser: Annotated[
        str | None,
        typer.Option(help="The parser of texts without trees: a file, or english, which ships."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Number of workers. The output is the same for any.")
    ] = None,
    engine: EngineName = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Random seed; example i depends on (seed, i) alone."),
    ] = None,
    each: Annotated[
        bool,
        typer.Option(
            "--each",
            help="Augment each file of 'IN-*' separately into a file of 'OUT-*', with its own "
            "seed. Counts are per file.",
        ),
    ] = False,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue the run in OUT.partial, with the same result."),
    ] = False,
    endpoint: Asked = None,
    key: Key = None,
    max_requests: MaxRequests = None,
    allow_network: AllowNetwork = False,
    encoding: Encoding = "utf-8",
    force: Force = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and draw nothing.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make new labelled examples: the number asked for, or a report of why there are fewer.

    Methods that define the classes themselves (names) need no IN.

    OUT.manifest.json records everything that determines the output. See treewright replay.

    Example: treewright augment train.jsonl -o new.jsonl -m "0.7*treemix + 0.3*sub2 | aeda"
    --times 5 --balance --test test.jsonl
    """
    flags = {
        "input": source, "output": output, "method": _method(method, class_names), "n": n,
        "times": times, "per_class": per_class, "balance": balance, "length": length,
        "dedup": dedup, "threshold": threshold, "test": test, "drop_leaked": drop_leaked,
        "keep_originals": keep_originals, "columns": columns, "text": text, "label": label,
        "test_text": test_text, "test_label": test_label, "on_error": on_error, "format": format,
        "workers": workers, "engine": engine, "seed": seed, "parser": parser,
        "encoding": None if encoding == "utf-8" else encoding,
    }  # fmt: skip
    given, files = _given(flags, set_option or [], config)
    works = _works(given, files) if each else [(given, files)]
    made = []
    with warnings_said(quiet=quiet):
        for own, its in works:
            with trees_made(own.get("parser"), quiet=quiet) as trees:
                pipeline, read = _opened(own, its, trees, dry_run=dry_run, resume=resume)
            if dry_run:
                _show_plan(pipeline, as_json=as_json)
                return
            made.append(_written(pipeline, read, its, resume=resume, force=force, quiet=quiet))
    _show_made(made, each=each, as_json=as_json, quiet=quiet)


class AugmentCommand(Verb):
    """The verb augment, whose help has the methods."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of the verb, and then the methods."""
        from sampling.method import METHODS

        super().format_help(ctx, formatter)
        width = max(map(len, METHODS))
        lines = [f"  {one.name:<{width}}  {one.title}" for one in METHODS.values()]
        about = "Methods (treewright methods NAME has the options of each):"
        formatter.write("\n".join([about, *lines]) + "\n")


def _method(method: str | None, names: str | None) -> str | None:
    """Return the expression of --method, or that of --names."""
    from grammar.errors import OptionError
    from sampling.expression import Step

    if names is None:
        return method
    if method is not None:
        raise OptionError(
            "--names is a method", hint="leave it out, or write names(FILE) within --method"
        )
    return str(Step("names", {"file": names}))


def _given(
    flags: Mapping[str, Any], options: list[str], config: str | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return settings, and files with all that belongs to them; flags come before the TOML file."""
    from sampling.pipeline.settings import read_toml

    table = read_toml(config, _FILES) if config is not None else {}
    given = {**table, **{name: value for name, value in flags.items() if value is not None}}
    given["options"] = {**table.get("options", {}), **dict(map(read_option, options))}
    files = {name: given.pop(name, None) for name in _FILES}
    return given, files


def _works(
    given: Mapping[str, Any], files: Mapping[str, Any]
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return settings and files of each file of the input."""
    from sampling.pipeline.settings import read_settings
    from treewright.each_file import each_file

    tasks = each_file(files["input"], files["output"], read_settings(given).seed)
    return [
        ({**given, "seed": one.seed}, {**files, "input": one.source, "output": one.output})
        for one in tasks
    ]


def _opened(
    given: Mapping[str, Any],
    files: dict[str, Any],
    trees: TreeMaker,
    *,
    dry_run: bool,
    resume: bool,
) -> tuple[Pipeline, dict[str, Any]]:
    """Check what is asked for, cheap things first, and make the pipeline ready."""
    from grammar.errors import OptionError
    from induction.corpus.corpus import Corpus
    from induction.corpus.formats import check_output
    from sampling.expression import read_expression
    from sampling.pipeline.chains import recombines
    from sampling.pipeline.manifest import file_hash
    from sampling.pipeline.pipeline import Pipeline
    from sampling.pipeline.settings import read_settings
    from sampling.pipeline.sources import read_source

    settings = read_settings(given)
    bare = files["input"] is None
    if recombines(read_expression(settings.method)) and bare:
        raise OptionError("there is no input", hint="name the corpus: treewright augment IN -o OUT")
    if bare and settings.n is None:
        raise OptionError("there is no input to count", hint="say how many with -n")
    if not dry_run:
        _check_paths(files, resume=resume)
    how = {
        "format": files["format"], "on_error": files["on_error"] or "stop",
        "encoding": files["encoding"],
    }  # fmt: skip
    columns = _columns(files)
    corpora = {
        name: read_source(files[name], columns[name], **how)
        for name in ("input", "test")
        if files[name] is not None
    }
    workers = 1 if files["workers"] is None else files["workers"]
    with naming(files["input"] or settings.method):
        pipeline = Pipeline(
            corpora.get("input", Corpus.from_columns(text=[])),
            settings,
            test=corpora.get("test"),
            workers=workers,
            trees=trees,
        )
    if not dry_run:
        check_output(files["output"], schema=pipeline.schema)
    files["skipped"] = [row for one in corpora.values() for row in one.skipped]
    read: dict[str, Any] = {"columns": columns["input"]}
    for name, data in corpora.items():
        path = files[name]
        read[name] = {"path": path, "sha256": file_hash(path), "examples": len(data)}
        read[name] |= {k: files[k] for k in ("format", "encoding") if files[k] is not None}
        if how["on_error"] != "stop":
            read[name] |= {"on_error": how["on_error"], "skipped": len(data.skipped)}
        if columns[name] != columns["input"]:
            read[name]["columns"] = columns[name]
    return pipeline, read


def _columns(files: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the names of the columns that were given, of the input and of the test corpus."""
    asked = {name: files[name] for name in ("text", "label")}
    own = {name: files[f"test_{name}"] for name in asked}
    test = {name: asked[name] if own[name] is None else own[name] for name in asked}
    both = {"input": asked, "test": test}
    return {
        name: {k: v for k, v in columns.items() if v is not None} for name, columns in both.items()
    }


def _check_paths(files: Mapping[str, Any], *, resume: bool) -> None:
    """Look at what a TOML file may have named, too, before an hour of drawing."""
    from grammar.errors import OptionError, OutputError
    from grammar.files import check_free, same_file, writing
    from grammar.storage.location import is_url
    from grammar.storage.opening import place_of
    from grammar.storage.permissions import check_named
    from induction.corpus.formats import check_output
    from sampling.pipeline.manifest import manifest_path

    output = files["output"]
    if output is None:
        raise OptionError("there is no output", hint="name it with -o, or use --dry-run")
    check_output(output)
    if is_url(output):
        check_named(output, "-o")
    with writing(output):
        if not place_of(output).has_room():
            raise OutputError(
                "there is no folder to write it to", where=output, hint="make it first"
            )
    for name in ("input", "test"):
        if files[name] is not None and same_file(output, files[name]):
            raise OptionError(
                f"the output is the {name}", where=output, hint="write to another file"
            )
    if not resume:
        check_free(output)
        check_free(manifest_path(output))


def _written(
    pipeline: Pipeline,
    read: Mapping[str, Any],
    files: Mapping[str, Any],
    *,
    resume: bool,
    force: bool,
    quiet: bool,
) -> dict[str, Any]:
    """Write the output, its manifest, and, in between, shards that a later run can go on from."""
    from grammar.errors import OutputError
    from grammar.files import is_stream
    from sampling.pipeline.manifest import is_made, manifest_path, plan_of
    from sampling.pipeline.resuming import PartialWork
    from sampling.pipeline.sources import skipped_path

    output: str = files["output"]
    facts: dict[str, Any] = {"output": output}
    if is_stream(output):  # it has no name that a manifest could lie beside
        return facts | _streamed(pipeline, output, quiet=quiet)
    plan = plan_of(pipeline, read)
    with PartialWork(output, plan) as work:
        if resume and not work.is_kept and is_made(output, plan):
            return facts | {"made before": True, "manifest": str(manifest_path(output))}
        found = work.begin(pipeline, resume=resume, force=force)
        if found:
            say(f"continuing after {found:,} examples", quiet=quiet)
        try:
            if not work.is_finished:
                with _workers(pipeline, files, work) as engine:
                    _draft(pipeline, read, files, work, engine, quiet=quiet)
        except (KeyboardInterrupt, OutputError) as error:
            if work.is_kept:
                say(f"finished shards are kept in {work.folder}: go on with --resume", quiet=quiet)
            if isinstance(error, OutputError):
                raise OutputError(error.what, where=output, hint=error.hint) from None
            raise
        work.publish()
    report = pipeline.report()
    facts |= {"examples": report.made + report.originals, "report": report}
    if pipeline.corpus.skipped:
        facts["skipped"] = str(skipped_path(output))
    return facts | {"manifest": str(manifest_path(output))}


@contextmanager
def _workers(
    pipeline: Pipeline, files: Mapping[str, Any], work: PartialWork
) -> Iterator[Engine | None]:
    """Give the pipeline the engine that was asked for, if it is another than threads."""
    from grammar.engines.engine import open_engine

    workers = files["workers"] or 1
    name = engine_for(files["engine"])
    if name == "threads":  # of the pipeline's own
        yield None
        return
    with open_engine(name, workers, work.folder) as engine:
        pipeline.work_with(engine)
        yield engine


def _draft(
    pipeline: Pipeline,
    read: Mapping[str, Any],
    files: Mapping[str, Any],
    work: PartialWork,
    engine: Engine | None,
    *,
    quiet: bool,
) -> None:
    """Write all files of the output where they have no names yet."""
    from induction.corpus.formats import write_batches
    from induction.corpus.pieces import in_pieces, lines_of, mapped, write_pieces
    from sampling.pipeline.manifest import file_hash, manifest_of
    from sampling.pipeline.sources import write_skipped

    made = work.tables(pipeline.pieces(), pipeline.state)
    batches = counted(made, pipeline.total, "augmenting", quiet=quiet)
    names = pipeline.written_names
    if engine is not None and lines_of(work.draft) is not None:
        lines = in_pieces(batches, work.draft, names, engine, pipeline.written_classes)
        rows = write_pieces(lines, work.draft)
    else:
        tables = (mapped(batch).rename_columns(names) for batch in batches)
        workers, classes = files["workers"] or 1, pipeline.written_classes
        rows = write_batches(tables, work.draft, workers=workers, classes=classes)
    write_skipped(files["skipped"], work.draft)
    output = {"path": files["output"], "sha256": file_hash(work.draft), "examples": rows}
    work.finish(manifest_of(pipeline, read, output), pipeline.state())


def _streamed(pipeline: Pipeline, output: str, *, quiet: bool) -> dict[str, Any]:
    from induction.corpus.formats import write_batches

    tables = (table.rename_columns(pipeline.written_names) for table in pipeline.run())
    rows = write_batches(
        counted(tables, pipeline.total, "augmenting", quiet=quiet),
        output,
        classes=pipeline.written_classes,
    )
    return {"examples": rows, "report": pipeline.report()}


def _show_made(
    made: Sequence[Mapping[str, Any]], *, each: bool, as_json: bool, quiet: bool
) -> None:
    for facts in made:
        if "report" in facts and (shortfall := facts["report"].shortfall):
            where = f"{facts['output']}: " if each else ""
            say(f"warning: {where}{shortfall}", quiet=quiet)
    if as_json:
        told = [
            {**facts, "report": facts["report"].to_dict()} if "report" in facts else dict(facts)
            for facts in made
        ]
        show_facts({"files": told} if each else told[0], as_json=True)
    elif not quiet:
        for facts in made:
            _show_one(facts, each=each)


def _show_one(facts: Mapping[str, Any], *, each: bool) -> None:
    if "made before" in facts:
        show(f"was there already: {facts['output']}")
        return
    if not each:
        show(facts["report"])
    how_many = f" ({facts['examples']:,} examples)" if each else ""
    show(f"written to {facts['output']}{how_many}")
    if "skipped" in facts:
        show(f"rows that were left out, with the reasons: {facts['skipped']}")


def _show_plan(pipeline: Pipeline, *, as_json: bool) -> None:
    facts = pipeline.facts()
    if as_json:
        show_facts(facts, as_json=True)
        return
    parts = facts.pop("parts")
    asked = facts.pop("by class and length")
    show_facts({**facts, "columns": ", ".join(facts["columns"])}, as_json=False)
    if len(asked) > 1:
        show_facts({f"  {name}": count for name, count in asked.items()}, as_json=False)
    for part in parts:
        show(f"{part.pop('method')}")
        show_facts({f"  {name}": fact for name, fact in part.items()}, as_json=False)

"""The verb that measures what augmentation made: quality."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.console import Json, Quiet, Seed, progress, show_facts, warnings_said
from treewright.outputs import FILE, Encoding, Force
from treewright.terminal import say, show

if TYPE_CHECKING:
    from induction.corpus.corpus import Corpus
    from induction.parsers.protocol import TextParser
    from sampling.quality.report import QualityReport
    from sampling.quality.thresholds import Threshold

__all__ = ["quality"]


def quality(
    original: Annotated[str, typer.Argument(help="The corpus that was augmented.")],
    augmented: Annotated[str, typer.Argument(help="The new examples, or -.")],
    test: Annotated[str | None, typer.Option(help="A test corpus, to measure leakage.")] = None,
    parser: Annotated[
        str | None,
        typer.Option(help="A parser that parses new texts again: a file, or english, which ships."),
    ] = None,
    html: Annotated[
        str | None,
        typer.Option(metavar=FILE, help="Write a page with plots and examples to this file."),
    ] = None,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            help="Exit with 1 if this holds: NAME OP NUMBER, such as 'duplicates>0.01'. Give "
            "several with commas, or repeat the option.",
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option(help="The column of texts in ORIGINAL and the tests.")
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="The column of classes in ORIGINAL and the tests.")
    ] = None,
    test_text: Annotated[
        str | None, typer.Option(help="The column of texts in the tests, if different.")
    ] = None,
    test_label: Annotated[
        str | None, typer.Option(help="The column of classes in the tests, if different.")
    ] = None,
    format: Annotated[
        str | None, typer.Option(help="Their format, if the endings do not give it: sst, scan, ...")
    ] = None,
    seed: Seed = 0,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure augmented examples: labels, novelty, leakage, similarity, variety, shift.

    Measures that the columns do not allow are left out, with the reason. ORIGINAL is read as it was
    for augment, if the manifest of AUGMENTED names it; otherwise by --text, --label, --format.

    Example: treewright quality train.jsonl augmented.jsonl --test test.jsonl --html report.html
    --fail-if 'duplicates>0.01, fidelity<0.8'
    """
    from grammar.errors import OptionError
    from sampling.quality.measures_table import MEASURES
    from sampling.quality.thresholds import read_thresholds

    if [original, augmented, test].count("-") > 1:
        raise OptionError("two files are standard input", hint="give all but one by name")
    thresholds = read_thresholds(fail_if or [], MEASURES)
    with _page_to_write(html) as draft:
        columns = {"text": text, "label": label}
        own = {"text": test_text or text, "label": test_label or label}
        with warnings_said(quiet=quiet):
            corpora = (
                _original(original, augmented, columns, format),
                _read(augmented),
                _read(test, own, format) if test is not None else None,
            )
        report = _measured(*corpora, _open(parser), seed=seed, quiet=quiet)
        if draft:
            report.save_html(draft, title=f"{Path(augmented).name}: quality of augmentation")
    if as_json:
        show_facts(report.to_dict(), as_json=True)
    elif not quiet:
        show(report)
    if html:
        say(f"written to {html}", quiet=quiet)
    _judge(report, thresholds)


def _measured(
    given: Corpus,
    made: Corpus,
    tests: Corpus | None,
    opened: TextParser | None,
    *,
    seed: int,
    quiet: bool,
) -> QualityReport:
    from sampling.quality.parts import PARTS
    from sampling.quality.report import assess

    with progress(quiet=quiet) as bars, warnings_said(quiet=quiet):
        task = bars.add_task("measuring", total=len(PARTS), note="")

        def told(part: str) -> None:
            bars.update(task, advance=1, note=part)

        return assess(given, made, test=tests, parser=opened, seed=seed, told=told)


def _read(
    path: str, columns: Mapping[str, str | None] | None = None, format: str | None = None
) -> Corpus:
    from grammar.errors import CorpusError
    from sampling.pipeline.sources import read_source

    corpus = read_source(path, columns or {}, format)
    if not len(corpus):
        raise CorpusError("the corpus is empty", where=path, hint="give at least one example")
    return corpus


def _original(
    path: str, augmented: str, columns: Mapping[str, str | None], format: str | None
) -> Corpus:
    """Read the corpus that was augmented, as it was read then, if nothing else is said."""
    from grammar.messages import tell
    from sampling.pipeline.manifest import manifest_beside
    from sampling.pipeline.sources import find_source

    if format is not None or any(columns.values()) or "-" in (path, augmented):
        return _read(path, columns, format)
    found = find_source(augmented, path, manifest_beside(augmented))
    if found is None or not len(found):
        return _read(path)
    if found.skipped:
        tell(f"rows of {path} left out as when it was augmented: {len(found.skipped):,}")
    return found


def _open(path: str | None) -> TextParser | None:
    if path is None:
        return None
    from induction.parsers.opening import open_parser

    return open_parser(path)


@contextlib.contextmanager
def _page_to_write(path: str | None) -> Iterator[Path | None]:
    """Give a temporary name for the page, so that a path that cannot be written is said at once."""
    if path is None:
        yield None
        return
    from grammar.files import atomic_output

    with atomic_output(path) as draft:
        yield draft


def _judge(report: QualityReport, thresholds: list[Threshold]) -> None:
    failures = report.failed(thresholds)
    if failures:
        say(f"treewright: failed: {'; '.join(failures)}")
        raise typer.Exit(1)

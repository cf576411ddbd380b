"""The verb parse: sentences become trees."""

from __future__ import annotations

import gzip
import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.console import (
    Backbone,
    GrammarEncoding,
    Json,
    MemoryLimit,
    Normalise,
    Quiet,
    StepLimit,
    progress,
)
from treewright.outputs import FILE, STORE, Force
from treewright.terminal import say, show

if TYPE_CHECKING:
    from grammar.chart.parses import NoParse, Parse, Span
    from grammar.trees.tree import Tree
    from induction.parsers.protocol import ScoringParser, Sentence, TextParser

    Answer = Tree | list[Parse] | list[Span] | NoParse

__all__ = ["parse"]

_MISSING = "(())"
_LIKELY = 0.01
_MOST_DRAWN = 60


def parse(
    grammar: Annotated[
        str,
        typer.Argument(
            metavar="GRAMMAR",
            help="A .json, text or .arrow file; a folder of structured train; or english, the "
            "packaged parser.",
        ),
    ],
    sentences: Annotated[
        str, typer.Argument(metavar="FILE", help="One sentence a line; - is standard input.")
    ] = "-",
    kbest: Annotated[
        int | None,
        typer.Option(min=1, help="Number of trees a sentence, best first, with log-probabilities."),
    ] = None,
    log_prob: Annotated[
        bool, typer.Option("--log-prob", help="Write the natural log-probability before each tree.")
    ] = False,
    spans: Annotated[
        bool,
        typer.Option("--spans", help="Write the probability of each bracket instead of trees."),
    ] = False,
    decoder: Annotated[
        str | None, typer.Option(help="For a PCFG: viterbi (best derivation) or max-rule.")
    ] = None,
    tokenised: Annotated[
        bool, typer.Option("--tokenised", help="Input is tokenised: spaces separate tokens.")
    ] = False,
    tagged: Annotated[
        str | None,
        typer.Option(
            metavar="SEPARATOR",
            help="Input has tags: this character separates token and tag (/ for saw/VBD).",
        ),
    ] = None,
    max_words: Annotated[
        int, typer.Option(min=1, help="Longer sentences are parsed in parts.")
    ] = 300,
    memory_limit: MemoryLimit = 1024,
    step_limit: StepLimit = 100_000_000,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar=FILE,
            help="Output file, written at the end; by default standard output.",
        ),
    ] = None,
    cache: Annotated[
        str | None,
        typer.Option(metavar=STORE, help="A file that keeps parses for later runs."),
    ] = None,
    plot: Annotated[
        str | None, typer.Option(metavar=FILE, help="Draw the trees side by side: .svg or .png.")
    ] = None,
    heat_map: Annotated[
        str | None,
        typer.Option(
            metavar=FILE, help="Draw the probability of each span of one sentence: .svg or .png."
        ),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, help="Number of threads; the result is the same.")
    ] = 1,
    encoding: GrammarEncoding = "utf-8",
    backbone: Backbone = False,
    normalise: Normalise = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the most probable trees of sentences.

    A sentence without a tree gives the line (()), which evalb understands, and the reason is said
    on standard error. So is why a sentence that took too much has a coarser parse. A word that the
    grammar lacks is parsed as a rare-word class, if the grammar was induced with --rare-words.

    Example: treewright parse english sentences.txt --kbest 3
    """
    from grammar.pictures.svg import checked_suffix
    from induction.parsers.cache import CachedParser
    from induction.parsers.opening import open_parser
    from induction.parsers.protocol import is_scoring

    scored = kbest is not None or log_prob
    _check(scored=scored, spans=spans, cache=cache, plot=plot, same=grammar == sentences == "-")
    if heat_map is not None:
        checked_suffix(heat_map)
    opened = open_parser(
        grammar,
        decoder=decoder,
        max_words=max_words,
        workers=workers,
        memory_limit=memory_limit << 20,
        step_limit=step_limit,
        encoding=encoding,
        backbone=backbone,
        normalise=normalise,
    )
    if scored or spans or heat_map is not None:
        _refuse_without_scores(opened, grammar)
    scored = scored or (as_json and cache is None)
    parser = opened if cache is None else CachedParser(opened, cache)
    given, tags = _read(sentences, tokenised=tokenised, tagged=tagged)
    _say_of_columns(sentences, quiet=quiet)
    if heat_map is not None and is_scoring(opened):
        _draw_heat_map(opened, given, tags, heat_map, quiet=quiet)
    k = (kbest or 1) if scored else None
    answers = _answers(parser, given, tags, k=k, spans=spans)
    form = _Form(numbers=kbest is not None, scores=kbest is not None or log_prob, spans=spans)
    gallery, missing, coarse = _Gallery(), _Missing(), 0
    with _written(output) as write, _bars(output, quiet=quiet) as bars:
        task = bars.add_task("parsing", total=len(given), note="")
        for number, (sentence, answer) in enumerate(zip(given, answers, strict=True), 1):
            bars.advance(task)
            rows = _rows(answer)
            why = _coarse_reason(answer)
            if why:
                coarse += 1
                say(f"line {number}: a coarser parse, {why}", quiet=quiet)
            if as_json:
                write(_json(number, sentence, answer, rows, "spans" if spans else "parses"))
            else:
                for line in form.lines(number, sentence, rows):
                    write(line)
            if not rows:
                missing.add(answer)
                say(f"line {number}: {answer}", quiet=quiet)
            elif plot:
                gallery.add(number, rows)
    gallery.save(plot, quiet=quiet)
    missing.warn(len(given), quiet=quiet)
    if coarse:
        say(f"warning: {coarse:,} of {len(given):,} have a coarser parse", quiet=quiet)
    if isinstance(parser, CachedParser):
        say(f"{parser.hits:,} from the cache, {parser.misses:,} parsed", quiet=quiet)


def _check(*, scored: bool, spans: bool, cache: str | None, plot: str | None, same: bool) -> None:
    """Refuse options that do not go together."""
    from grammar.errors import OptionError
    from grammar.pictures.svg import checked_suffix

    if same:
        raise OptionError(
            "grammar and sentences are both standard input", hint="give at least one file by name"
        )
    if spans and (scored or plot):
        raise OptionError(
            "--spans shows no trees", hint="leave it out, or leave out --kbest, --log-prob, --plot"
        )
    if cache is not None and (scored or spans):
        raise OptionError(
            "the cache keeps best trees only",
            hint="leave out --cache, or leave out --kbest, --log-prob and --spans",
        )
    if plot is not None:
        checked_suffix(plot)


def _read(
    source: str, *, tokenised: bool, tagged: str | None
) -> tuple[list[Sentence], list[list[str]] | None]:
    """Return the sentence of each line, empty ones included, and its tags, if they are given."""
    from grammar.files import read_text
    from induction.corpus.text.tagged import check_separator, read_tagged

    if tagged is not None:
        check_separator(tagged)
    lines = read_text(source).split("\n")
    if not lines[-1]:
        lines.pop()  # the end of the last line begins no other
    lines = [line.removesuffix("\r") for line in lines]
    if tagged is None:
        return [line.split() if tokenised else line for line in lines], None
    pairs = [
        read_tagged(line, tagged, where=f"{source}:{number}")
        for number, line in enumerate(lines, 1)
    ]
    return [words for words, _ in pairs], [tags for _, tags in pairs]


def _say_of_columns(source: str, *, quiet: bool) -> None:
    from induction.corpus.formats import named_format

    if named_format(source) in ("csv", "tsv", "jsonl"):
        say(f"{source}: each line is a sentence here; parse-corpus reads columns", quiet=quiet)


def _answers(
    parser: TextParser,
    sentences: list[Sentence],
    tags: list[list[str]] | None,
    *,
    k: int | None,
    spans: bool,
) -> Iterator[Answer]:
    from induction.parsers.protocol import is_scoring

    if is_scoring(parser) and spans:
        return parser.spans_each(sentences, tags=tags)
    if is_scoring(parser) and k is not None:
        return parser.kbest_each(sentences, k, tags=tags)
    return parser.parse_each(sentences, tags=tags)


def _refuse_without_scores(parser: TextParser, name: str) -> None:
    from grammar.errors import OptionError
    from induction.parsers.protocol import is_scoring

    if not is_scoring(parser):
        raise OptionError(
            "this parser knows no probabilities",
            where=name,
            hint="leave out --kbest, --log-prob, --spans and --heat-map, or parse with a grammar",
        )


def _coarse_reason(answer: Answer) -> str:
    """Return why the parse of a sentence is a coarser one, if it is."""
    from grammar.chart.parses import CoarseTree, Parse

    if isinstance(answer, list) and answer and isinstance(answer[0], Parse):
        answer = answer[0].tree
    return answer.reason if isinstance(answer, CoarseTree) else ""


def _rows(answer: Answer) -> list[dict[str, Any]]:
    """Return what is known of a sentence as facts; nothing, if it has no parse."""
    from grammar.chart.parses import NoParse, Parse, Span
    from grammar.trees.tree import Tree

    if isinstance(answer, NoParse):
        return []
    if isinstance(answer, Tree):
        return [{"tree": answer}]
    rows: list[dict[str, Any]] = []
    for one in answer:
        if isinstance(one, Parse):
            rows.append({"tree": one.tree, "log_probability": one.log_probability})
        elif isinstance(one, Span) and one.probability >= _LIKELY:
            rows.append(one._asdict())
    return rows


@dataclass(frozen=True)
class _Form:
    """How results are written as lines: which columns stand before each tree, or spans."""

    numbers: bool
    scores: bool
    spans: bool

    def lines(self, number: int, sentence: Sentence, rows: list[dict[str, Any]]) -> Iterator[str]:
        """Yield the lines of one sentence."""
        if self.spans:
            words = _tokens(sentence)["words"] if rows else []
            for row in rows:
                start, end = row["start"], row["end"]
                place = f"{number}\t{start}\t{end}\t{row['label']}\t{row['probability']:.4f}"
                yield f"{place}\t{' '.join(words[start:end])}"
            return
        for row in rows or [{"tree": _MISSING, "log_probability": -math.inf}]:
            columns = [str(number)] if self.numbers else []
            columns += [f"{row['log_probability']:.4f}"] if self.scores else []
            yield "\t".join([*columns, str(row["tree"])])


def _json(
    number: int, sentence: Sentence, answer: Answer, rows: list[dict[str, Any]], kind: str
) -> str:
    from grammar.chart.parses import NoParse

    facts = {"line": number, **_tokens(sentence)}
    facts[kind] = [{k: _plain(v) for k, v in row.items()} for row in rows]
    if isinstance(answer, NoParse):
        facts["reason"] = answer.reason
    elif _coarse_reason(answer):
        facts["coarse"] = _coarse_reason(answer)
    return json.dumps(facts, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold, which has no infinite numbers."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int | str) else str(value)


def _tokens(sentence: Sentence) -> dict[str, Any]:
    """Return the words of a sentence and, of raw text, the characters they stand for."""
    from induction.corpus.text.tokens import tokenise

    if not isinstance(sentence, str):
        return {"words": list(sentence)}
    tokens = tokenise(sentence)
    return {
        "words": list(tokens.words),
        "starts": list(tokens.starts),
        "ends": list(tokens.ends),
    }


@dataclass
class _Missing:
    """How many sentences have no tree, and how many of them because of a word."""

    sentences: int = 0
    unknown: int = 0

    def add(self, answer: Answer) -> None:
        from grammar.chart.parses import NoParse

        self.sentences += 1
        # said only by grammars without rare-word classes: others know every word as one of them
        reason = answer.reason if isinstance(answer, NoParse) else ""
        self.unknown += reason.startswith("the grammar lacks the word ")

    def warn(self, total: int, *, quiet: bool) -> None:
        if not self.sentences:
            return
        hint = ""
        if self.unknown:
            hint = (
                f", {self.unknown:,} of them with words that the grammar lacks: induce it with "
                "--rare-words 1, and such words are parsed, too"
            )
        say(f"warning: {self.sentences:,} of {total:,} have no tree{hint}", quiet=quiet)


@dataclass
class _Gallery:
    """The trees that are to be drawn."""

    trees: list[Tree] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    left_out: int = 0

    def add(self, number: int, rows: list[dict[str, Any]]) -> None:
        for rank, row in enumerate(rows, 1):
            if len(self.trees) == _MOST_DRAWN:
                self.left_out += 1
                continue
            score = row.get("log_probability")
            title = f"{number}.{rank}" if len(rows) > 1 else str(number)
            self.trees.append(row["tree"])
            self.titles.append(title if score is None else f"{title}: {score:.4f}")

    def save(self, path: str | None, *, quiet: bool) -> None:
        from grammar.trees.draw import draw_trees

        if path is None:
            return
        if not self.trees:
            say("warning: there is no tree to draw", quiet=quiet)
            return
        draw_trees(self.trees, path, self.titles)
        others = f", without {self.left_out:,} further trees" if self.left_out else ""
        say(f"drawn in {path}{others}", quiet=quiet)


def _draw_heat_map(
    parser: ScoringParser,
    sentences: list[Sentence],
    tags: list[list[str]] | None,
    path: str,
    *,
    quiet: bool,
) -> None:
    from grammar.chart.heat_map import draw_heat_map, posteriors_of_spans
    from grammar.chart.parses import NoParse
    from grammar.errors import OptionError

    if len(sentences) != 1:
        raise OptionError(
            f"a heat map shows one sentence, and there are {len(sentences):,}",
            hint="give a file with one line, or leave out --heat-map",
        )
    [found] = parser.spans_each(sentences, tags=tags)
    if isinstance(found, NoParse):
        say("warning: there are no spans to draw", quiet=quiet)
        return
    draw_heat_map(posteriors_of_spans(_tokens(sentences[0])["words"], found), path)
    say(f"drawn in {path}", quiet=quiet)


@contextmanager
def _written(path: str | None) -> Iterator[Callable[[str], None]]:
    """Give what writes a line: at once to standard output, or at the end to a file."""
    from grammar.files import atomic_output

    if path is None:
        # taken before progress bars stand between it and us
        stream = sys.stdout
        yield lambda line: show(line, stream)
        return
    lines: list[str] = []
    with atomic_output(path) as temporary:
        yield lines.append
        data = "".join(f"{line}\n" for line in lines).encode("utf-8")
        temporary.write_bytes(gzip.compress(data, mtime=0) if path.endswith(".gz") else data)


def _bars(output: str | None, *, quiet: bool) -> Any:
    """Show progress, but not between the lines of results on the same screen."""
    return progress(quiet=quiet or (output is None and sys.stdout.isatty()))

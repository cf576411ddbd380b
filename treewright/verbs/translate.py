"""The verb translate: sources become targets, by the best derivations of a synchronous grammar."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from treewright.console import Json, MemoryLimit, Quiet, StepLimit, show_facts
from treewright.outputs import FILE, Encoding, Force
from treewright.pair_files import read_pair_file
from treewright.terminal import say, show

if TYPE_CHECKING:
    from grammar.chart.parses import NoParse
    from grammar.synchronous.grammar import SynchronousGrammar
    from grammar.synchronous.inverse import InverseParser
    from grammar.synchronous.parsing import SynchronousParser, Translation
    from induction.corpus.corpus import Corpus

    Found = list[Translation] | NoParse
    Parser = SynchronousParser | InverseParser
    Executes = Callable[[str, str], bool]

__all__ = ["scored", "translate"]


def translate(
    grammar: Annotated[
        str, typer.Argument(metavar="GRAMMAR", help="A synchronous grammar: .json or notation.")
    ],
    sources: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="One source a line, words separated by spaces; - is stdin."
        ),
    ] = "-",
    kbest: Annotated[
        int | None,
        typer.Option(min=1, help="Number of targets a source, best first, with log-probabilities."),
    ] = None,
    score: Annotated[
        bool,
        typer.Option(
            "--score",
            help="FILE holds pairs: count those whose best target has the meaning of the given one "
            "(references resolved, roles and conjuncts in any order), and those derivable.",
        ),
    ] = False,
    inverse: Annotated[
        bool,
        typer.Option(
            "--inverse",
            help="Read what the grammar writes, and write what it reads: FILE has targets.",
        ),
    ] = False,
    executor: Annotated[
        str | None,
        typer.Option(
            help="With --score, also count the targets that this interpreter finds right, of one "
            "side for the other: scan."
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar=FILE,
            help="Output file, written at the end; by default standard output.",
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar=FILE, help="Draw the derivation of one source here: .svg or .png."),
    ] = None,
    memory_limit: MemoryLimit = 1024,
    step_limit: StepLimit = 100_000_000,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the most probable target of each source.

    A source without a derivation gives an empty line, and the reason is said on standard error.
    Targets are ranked by their best derivation. A source whose chart takes too many steps is
    parsed with a beam; which ones is said. With --inverse, the sources of targets are written.

    Example: treewright translate scan.json commands.txt --kbest 3
    """
    from grammar.errors import CorpusError, OptionError
    from grammar.files import write_text
    from grammar.pictures.svg import checked_suffix

    if plot:
        checked_suffix(plot)
    if grammar == sources == "-":
        raise OptionError(
            "grammar and sources are both standard input", hint="give at least one file by name"
        )
    if score and (kbest or plot or output):
        raise OptionError(
            "--score gives no targets", hint="leave it out, or leave out --kbest, --plot, --output"
        )
    executes = _executes(executor, score=score)
    opened = _open(grammar)
    parser = _parser(opened, memory_limit << 20, step_limit, inverse=inverse)
    if score:
        pairs = read_pair_file(sources)
        if not len(pairs):
            raise CorpusError(
                "there are no pairs to score", where=sources, hint="give at least one"
            )
        show_facts(scored(parser, pairs, executes), as_json=as_json)
        return
    given = _lines(sources)
    if plot and len(given) != 1:
        raise OptionError(
            f"the picture shows one source, and there are {len(given):,}",
            hint="give a file with one line, or leave out --plot",
        )
    written: list[str] = []
    best: Translation | None = None
    without = 0
    for number, source in enumerate(given, 1):
        found = _found(parser, source, kbest or 1)
        if not isinstance(found, list):
            say(f"line {number}: {found}", quiet=quiet)
            without += bool(source) and found.unknown is None
        else:
            best = best or found[0]
            if not found[0].exact:
                say(f"line {number}: found with a beam: it takes too many steps", quiet=quiet)
        for line in _shown(number, source, found, scores=kbest is not None, as_json=as_json):
            if output is None:
                show(line)
            written.append(line)
    if without:
        more = "a grammar induced with --purpose parsing translates more"
        say(f"{without:,} of {len(given):,} sources have no target: {more}", quiet=quiet)
    if output is not None:
        write_text(output, "".join(f"{line}\n" for line in written))
    if plot:
        _draw(opened, best, plot, quiet=quiet)


def _open(path: str) -> SynchronousGrammar:
    from grammar.errors import OptionError
    from grammar.opening import open_grammar

    opened = open_grammar(path)
    if opened.family == "synchronous":
        return cast("SynchronousGrammar", opened)
    raise OptionError(
        "this is no synchronous grammar, so it has no targets",
        where=path,
        hint="induce one with --model synchronous; trees are the answer of the verb parse",
    )


def _parser(
    grammar: SynchronousGrammar, memory_limit: int, step_limit: int, *, inverse: bool
) -> Parser:
    from grammar.synchronous.inverse import InverseParser
    from grammar.synchronous.parsing import SynchronousParser

    if inverse:
        return InverseParser(grammar, step_limit=step_limit)
    return SynchronousParser(grammar, memory_limit=memory_limit, step_limit=step_limit)


def _executes(executor: str | None, *, score: bool) -> Executes | None:
    """Return a function that says whether one side of a pair is the other one, executed."""
    from grammar.errors import OptionError

    if executor is None:
        return None
    if executor != "scan":
        raise OptionError(f"there is no executor {executor!r}", hint="the executor is scan")
    if not score:
        raise OptionError("--executor counts right targets", hint="give --score, too")
    from scan.language import actions_of

    def executes(source: str, target: str) -> bool:
        return any(
            actions_of(command) == tuple(actions.split())
            for command, actions in ((source, target), (target, source))
        )

    return executes


def _lines(source: str) -> list[str]:
    """Return the lines of a file; the end of the last line begins no other."""
    from grammar.files import read_text

    lines = read_text(source).split("\n")
    return [line.strip() for line in (lines if lines[-1] else lines[:-1])]


def _found(parser: Parser, source: str, k: int) -> Found:
    from grammar.chart.parses import NoParse

    words = source.split()
    return parser.translations(words, k) if words else NoParse((), "the source is empty")


def _shown(number: int, source: str, found: Found, *, scores: bool, as_json: bool) -> Iterator[str]:
    targets = found if isinstance(found, list) else []
    if as_json:
        facts: dict[str, Any] = {"line": number, "source": source}
        facts["targets"] = [
            {"target": " ".join(one.target), "log_probability": one.log_probability}
            for one in targets
        ]
        if not isinstance(found, list):
            facts["reason"] = found.reason
        yield json.dumps(facts, ensure_ascii=False)
        return
    for one in targets:
        columns = [str(number), f"{one.log_probability:.4f}"] if scores else []
        yield "\t".join([*columns, " ".join(one.target)])
    if not targets:
        yield f"{number}\t-inf\t" if scores else ""


def scored(parser: Parser, pairs: Corpus, executes: Executes | None = None) -> dict[str, Any]:
    """Return for how many pairs the best target of the source has the meaning of theirs.

    A pair is derivable if its target is one of those that its source has. Where sources have
    several targets, also the share of sources is told whose best target is one of them.
    """
    from induction.terms.meanings import canonical, written_as

    exact = same_words = derivable = without = executed = 0
    one_of: defaultdict[str, list[bool]] = defaultdict(list)
    references = written_as(parser.grammar)
    for source, target in zip(pairs.column("text"), pairs.column("target"), strict=True):
        found = _found(parser, source, 1)
        one_of[source].append(False)
        if not isinstance(found, list):
            without += 1
            continue
        best, wanted = found[0].target, tuple((target or "").split())
        right = canonical(best) == canonical(wanted)
        exact += right
        one_of[source][-1] = right
        same_words += best == wanted
        executed += executes is not None and executes(source, " ".join(best))
        derivable += right or (
            wanted != () and parser.is_derivable(source.split(), references(wanted))
        )
    facts: dict[str, Any] = {
        "pairs": len(pairs),
        "exact": exact,
        "word for word": same_words,
        "derivable": derivable,
        "no target": without,
        "exact match": exact / len(pairs),
    }
    if len(one_of) < len(pairs):
        facts["sources"] = len(one_of)
        facts["one of the right ones"] = sum(map(any, one_of.values())) / len(one_of)
    if executes is not None:
        facts["executed"] = executed / len(pairs)
    return facts


def _draw(grammar: SynchronousGrammar, best: Translation | None, path: str, *, quiet: bool) -> None:
    from grammar.synchronous.drawing import draw_pair_derivation

    if best is None:
        say("warning: there is no derivation to draw", quiet=quiet)
        return
    draw_pair_derivation(grammar, best.rules, path)
    say(f"drawn in {path}", quiet=quiet)

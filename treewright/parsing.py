"""The verb parse: trees of sentences, by a grammar."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.screen import Json, Quiet, progress, say

if TYPE_CHECKING:
    from grammar.chart import Parser
    from grammar.parses import NoParse, Parse
    from grammar.tree import Tree

__all__ = ["parse"]

_MISSING = "(())"
_LIKELY = 0.01


def parse(
    grammar: Annotated[str, typer.Argument(metavar="GRAMMAR", help="A .json or text file.")],
    sentences: Annotated[
        str, typer.Argument(help="One sentence a line, words between spaces; - by default.")
    ] = "-",
    kbest: Annotated[int, typer.Option(min=1, help="So many trees a sentence, best first.")] = 1,
    log_prob: Annotated[
        bool, typer.Option("--log-prob", help="The natural log-probability before each tree.")
    ] = False,
    spans: Annotated[
        bool, typer.Option("--spans", help="Instead of trees, how probable each bracket is.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the most probable trees of sentences, exactly.

    A sentence without a tree gives the line (()), and the reason is said on standard error. Words
    that the grammar lacks are parsed as their rare-word class, if it was induced with --rare-words.

    Example: treewright parse wsj.json sentences.txt --kbest 3 --log-prob
    """
    from grammar.chart import Parser
    from grammar.files import read_text
    from grammar.grammar import Grammar

    parser = Parser(Grammar.load(grammar))
    lines = [line.split() for line in read_text(sentences).splitlines() if line.strip()]
    with progress(quiet=quiet) as bars:
        for words in bars.track(lines, description="parsing"):
            given = _classed(words, parser)
            if spans:
                found: Any = parser.posteriors(given)
                rows = [span._asdict() for span in found or () if span.probability >= _LIKELY]
            else:
                found = parser.kbest(given, kbest) if kbest > 1 else parser.viterbi(given)
                rows = [_row(p, words) for p in _listed(found)]
            if not found:
                say(str(found), quiet=quiet)
            for line in _lines(words, rows, spans=spans, log_prob=log_prob, as_json=as_json):
                print(line)


def _classed(words: list[str], parser: Parser) -> list[str]:
    from induction.unknown import signature

    known = set(parser.grammar.rules.words)
    return [
        word if word in known or signature(word) not in known else signature(word) for word in words
    ]


def _listed(found: Parse | list[Parse] | NoParse) -> list[Parse]:
    from grammar.parses import NoParse, Parse

    if isinstance(found, NoParse):
        return []
    return [found] if isinstance(found, Parse) else found


def _row(parse: Parse, words: list[str]) -> dict[str, Any]:
    from grammar.treebank import Treebank
    from induction.binarise import unbinarise
    from induction.normalise import expand_unaries

    tree = _with_words(parse.tree, iter(words))
    shown = expand_unaries(unbinarise(Treebank.from_trees([tree])))[0]
    return {"tree": str(shown), "log_probability": parse.log_probability}


def _with_words(node: Tree, words: Iterator[str]) -> Tree:
    """Put the words of the sentence where their classes stood."""
    from grammar.tree import Tree

    children = (next(words) if isinstance(c, str) else _with_words(c, words) for c in node.children)
    return Tree(node.label, tuple(children))


def _lines(
    words: list[str], rows: list[dict[str, Any]], *, spans: bool, log_prob: bool, as_json: bool
) -> Iterator[str]:
    if as_json:
        kind = "spans" if spans else "parses"
        yield json.dumps({"words": words, kind: rows}, ensure_ascii=False)
    elif spans:
        for row in rows:
            covered = " ".join(words[row["start"] : row["end"]])
            place = f"{row['start']}\t{row['end']}\t{covered}"
            yield f"{row['probability']:.4f}\t{row['label']}\t{place}"
    elif not rows:
        yield _MISSING
    else:
        for row in rows:
            yield f"{row['log_probability']:.4f}\t{row['tree']}" if log_prob else row["tree"]

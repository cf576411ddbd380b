"""The verb surprisal: how unexpected each word of sentences is, and how much is open after it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.console import Backbone, GrammarEncoding, Json, Normalise, Quiet, show_facts
from treewright.outputs import FILE, Force
from treewright.terminal import say

if TYPE_CHECKING:
    from grammar.prefix.curve import WordSurprisal
    from induction.parsers.chart import ChartTextParser

__all__ = ["surprisal"]

_COLUMNS = (
    "sentence", "position", "word", "surprisal", "entropy", "rest_entropy", "reduction", "end",
)  # fmt: skip


def surprisal(
    grammar: Annotated[
        str, typer.Argument(metavar="GRAMMAR", help="A PCFG, or one of fragments or heads.")
    ],
    sentences: Annotated[
        str, typer.Argument(metavar="FILE", help="One sentence a line; - is standard input.")
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar=FILE, help="The table, a .tsv file."),
    ],
    tokenised: Annotated[
        bool, typer.Option("--tokenised", help="Tokens are what stands between spaces.")
    ] = False,
    plot: Annotated[
        str | None,
        typer.Option(metavar=FILE, help="Draw the curves of up to 20 sentences: .svg or .png."),
    ] = None,
    encoding: GrammarEncoding = "utf-8",
    backbone: Backbone = False,
    normalise: Normalise = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the surprisal of each word, and the entropies after it, in bits.

    A row a word: sentence and position (from 1), word, surprisal, entropy of the next word, entropy
    of the rest (the derivation of the whole sentence), what the word took away of that, and the
    probability that the sentence ends here. Words that the grammar lacks are taken for their class,
    as by parse; where there is none, the surprisal is infinite.

    Example: treewright surprisal wsj.json sentences.txt -o surprisal.tsv --plot curves.svg
    """
    from grammar.errors import OptionError
    from grammar.files import read_text
    from grammar.opening import open_grammar
    from grammar.pictures.svg import checked_suffix
    from grammar.prefix.curve import draw_surprisal
    from induction.parsers.chart import ChartTextParser

    if not output.endswith(".tsv"):
        raise OptionError("the table is separated by tabs", where=output, hint="name it .tsv")
    if plot is not None:
        checked_suffix(plot)
    opened = open_grammar(grammar, normalise=normalise, encoding=encoding, backbone=backbone)
    opened.prefix()  # refuses a grammar of which what comes next is not known
    lines = [line.removesuffix("\r") for line in read_text(sentences).split("\n")]
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    texts: list[Any] = [line.split() if tokenised else line for _, line in numbered]
    found = list(_rows(ChartTextParser(opened.pcfg), texts))
    for (number, _), rows in zip(numbered, found, strict=True):
        lost = [row.word for row in rows if math.isinf(row.surprisal)]
        if lost:
            say(f"line {number}: no sentence goes on with {lost[0]!r}", quiet=quiet)
    words = _write([number for number, _ in numbered], found, output)
    if plot is not None:
        draw_surprisal(found, plot)
        say(f"drawn in {plot}", quiet=quiet)
    facts = {"output": output, "sentences": len(found), "words": words}
    show_facts(facts, as_json=as_json, quiet=quiet)


def _rows(parser: ChartTextParser, texts: Sequence[Any]) -> Iterator[list[WordSurprisal]]:
    """Yield the rows of each sentence, with its words as they were given."""
    from grammar.prefix.curve import surprisal_of_words

    for known in parser.known_each(texts):
        rows = surprisal_of_words(known.grammar.prefix(), known.words)
        yield [row._replace(word=given) for row, given in zip(rows, known.given, strict=True)]


def _write(numbers: list[int], found: list[list[WordSurprisal]], output: str) -> int:
    """Write the table as the packages of statistics read it; return how many words it has."""
    import csv
    import io

    from grammar.files import write_text

    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(_COLUMNS)
    for number, rows in zip(numbers, found, strict=True):
        for position, (word, *values) in enumerate(rows, 1):
            writer.writerow([number, position, word, *(f"{value:.6f}" for value in values)])
    write_text(output, text.getvalue())
    return sum(map(len, found))

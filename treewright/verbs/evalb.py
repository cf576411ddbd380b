"""The verb that scores parses: evalb."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.console import Json, Quiet, show_facts
from treewright.terminal import say, show

if TYPE_CHECKING:
    from grammar.trees.treebank import Treebank

__all__ = ["evalb", "read_predicted"]

_QUOTES = {"'", "''", "``", '"'}
_MISSING = re.compile(r"\s*\(\s*(\(\s*\)\s*)?\)\s*")


def evalb(
    gold: Annotated[
        str, typer.Argument(help="Gold trees: a file or folder of brackets, nltk:NAME, or -.")
    ],
    predicted: Annotated[
        str,
        typer.Argument(
            help="Predicted trees of the same sentences; a line such as () is no parse."
        ),
    ],
    max_length: Annotated[
        int | None,
        typer.Option(min=0, help="Also score sentences of at most this many words; 40 by default."),
    ] = None,
    prm: Annotated[
        str | None, typer.Option(help="A .prm file of evalb; by default COLLINS.prm.")
    ] = None,
    encoding: Annotated[str, typer.Option(help="Encoding of bracket files.")] = "utf-8",
    discontinuous: Annotated[
        str, typer.Option(help="Discontinuous constituents: refuse, raise or split.")
    ] = "refuse",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Score predicted trees as evalb does with COLLINS.prm, or with other parameters.

    Labelled recall, precision and F1, complete matches, crossing brackets, tags, and each label.
    A sentence whose words are others than those of the gold tree is an error, and in no score.

    Example: treewright evalb gold.mrg parsed.mrg --max-length 40
    """
    from grammar.errors import OptionError
    from grammar.trees.evalb_parameters import COLLINS, EvalbParameters
    from grammar.trees.evaluation import evalb as score
    from induction.corpus.readers import read_treebank

    parameters = COLLINS if prm is None else EvalbParameters.load(prm)
    if gold == predicted == "-":
        raise OptionError("both files are standard input", hint="give at least one file by name")
    right = read_treebank(gold, encoding=encoding, discontinuous=discontinuous)
    guess = read_predicted(predicted, len(right), encoding=encoding, discontinuous=discontinuous)
    result = score(right, guess, max_length=max_length, parameters=parameters)
    if as_json:
        show_facts(result.to_dict(), as_json=True)
        return
    missing = result.all.errors + result.all.skipped
    if missing:
        say(f"warning: {missing:,} sentences are in no score; they are listed below", quiet=quiet)
    if result.all.errors and not parameters.quotes and _QUOTES & set(right.symbols):
        say(
            "evalb pairs apostrophes that one tree tags as quotes, which do not count, and the "
            "other as POS, if a .prm file (--prm) has QUOTE_LABEL '' and QUOTE_LABEL POS",
            quiet=quiet,
        )
    show(result)


def read_predicted(
    source: str, expected: int, *, encoding: str = "utf-8", discontinuous: str = "refuse"
) -> Treebank:
    """Read trees of which some may be missing, with :data:`NO_PARSE` for those.

    A line ``()`` or ``(())`` is a missing tree. So is an empty line, if every other line is one
    tree and there would not be as many trees as expected otherwise.

    Raises
    ------
    BracketError, UnreadableInputError, MissingDataError, EmptyTreebankError
        As :func:`induction.corpus.readers.read_treebank` does.
    """
    from grammar.files import decode, read_bytes
    from grammar.trees.evaluation import NO_PARSE
    from induction.corpus.readers import EMBEDDED, read_treebank
    from induction.corpus.treebanks.reading import is_foreign, parse_trees

    is_file = source == "-" or Path(source).is_file()
    if source == EMBEDDED or source.endswith(".arrow") or not is_file:
        return read_treebank(source, encoding=encoding, discontinuous=discontinuous)
    # what stands for a missing tree takes its line, so that errors name the right lines
    data = read_bytes(source)
    if is_foreign(data):
        return parse_trees(data, source, encoding=encoding, discontinuous=discontinuous)
    lines = decode(data, source, encoding).rstrip().split("\n")
    lines = [str(NO_PARSE) if _MISSING.fullmatch(line) else line for line in lines]
    treebank = parse_trees("\n".join(lines).encode(), source, discontinuous=discontinuous)
    line_by_line = all(line.count("(") == line.count(")") for line in lines)
    if len(treebank) != expected == len(lines) and line_by_line:
        filled = (line if line.strip() else str(NO_PARSE) for line in lines)
        treebank = parse_trees("\n".join(filled).encode(), source, discontinuous=discontinuous)
    return treebank

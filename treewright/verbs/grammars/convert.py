"""The verb convert: grammars from and to other tools."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.console import GrammarEncoding, Json, Normalise, Quiet, show_facts
from treewright.outputs import FILE, Force

if TYPE_CHECKING:
    from grammar.pcfg.grammar import Grammar

__all__ = ["convert"]

_BY_SUFFIX = {".lark": "lark", ".gbnf": "gbnf", ".g4": "antlr", ".ebnf": "ebnf", ".bnf": "bnf"}


def convert(
    grammar: Annotated[
        str,
        typer.Argument(
            metavar="GRAMMAR",
            help="A grammar of any family with a PCFG; or .lark .gbnf .g4 .ebnf .bnf.",
        ),
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar=FILE, help=".json, .txt; or .lark .gbnf .g4 .ebnf."),
    ],
    source: Annotated[
        str | None,
        typer.Option("--from", help="gbnf antlr ebnf bnf lark jsonschema; else the suffix says."),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="lark llguidance gbnf xgrammar ebnf antlr grammarinator nltk genlm.",
        ),
    ] = None,
    spacing: Annotated[
        str,
        typer.Option(
            help="Between words: a space (words), white space or none (tokens), none (characters)."
        ),
    ] = "words",
    start: Annotated[str | None, typer.Option(help="The rule to begin with.")] = None,
    encoding: GrammarEncoding = "utf-8",
    normalise: Normalise = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a grammar for another tool, or read one that another tool reads.

    What cannot be kept is said. Notations without weights get equal ones when they are read.

    Example: treewright convert json.gbnf -o json.json
    """
    from grammar.files import write_text
    from grammar.formats.writing import write_notation

    given = _opened(grammar, source, start, encoding, normalise=normalise)
    form = target or _BY_SUFFIX.get(PurePath(output).suffix)
    if form is None:
        given.save(output)
    else:
        write_text(output, write_notation(given, form, spacing=spacing))
    facts = {"output": output, "form": form or "treewright", "rules": len(given)}
    show_facts(facts, as_json=as_json, quiet=quiet)


def _opened(
    path: str, form: str | None, start: str | None, encoding: str, *, normalise: bool
) -> Grammar:
    from grammar.errors import OptionError
    from grammar.files import read_text
    from grammar.formats.reading import read_notation
    from grammar.opening import open_grammar

    form = form or _BY_SUFFIX.get(PurePath(path).suffix)
    if form is not None:
        text = read_text(path, encoding=encoding)
        return read_notation(text, form, start=start, source=path)
    if start is not None:
        raise OptionError("--start is for notations of other tools", hint="leave it out")
    pcfg: Grammar | None = open_grammar(path, normalise=normalise, encoding=encoding).pcfg
    if pcfg is None:
        raise OptionError(
            "this grammar has no rules that other tools know",
            where=path,
            hint="it must be a PCFG, or one of fragments (tsg) or heads (lpcfg)",
        )
    return pcfg

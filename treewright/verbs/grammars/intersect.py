"""The verb intersect: a grammar restricted, exactly, to sentences of some kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from treewright.console import Json, Normalise, Quiet, read_length, show_facts
from treewright.outputs import FILE, Encoding, Force

if TYPE_CHECKING:
    from grammar.pcfg.grammar import Grammar

__all__ = ["intersect"]


def intersect(
    grammar: Annotated[str, typer.Argument(metavar="GRAMMAR", help="A .json or text file, or -.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar=FILE, help="Grammar file: .json or text.")
    ],
    contains: Annotated[
        list[str] | None, typer.Option(help="A word that must occur; may be repeated.")
    ] = None,
    avoid: Annotated[
        list[str] | None, typer.Option(help="A word that must not occur; may be repeated.")
    ] = None,
    prefix: Annotated[str | None, typer.Option(help="First words of the sentence.")] = None,
    pattern: Annotated[
        str | None, typer.Option(help="A regular pattern over words: 'the . (cat | dog) .*'.")
    ] = None,
    length: Annotated[str | None, typer.Option(help="Number of words: 5:20, or 12.")] = None,
    normalise: Normalise = False,
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Restrict a grammar to sentences of one kind, with exact conditional probabilities.

    Sampling from the result is sampling from the grammar given the constraint; nothing is rejected.
    A grammar of fragments or of heads gives the PCFG that its derivations are those of.

    Example: treewright intersect wsj.json -o market.json --contains market --avoid stock
    """
    from functools import reduce
    from operator import and_

    from grammar.errors import OptionError
    from grammar.pcfg import automata
    from grammar.pcfg.intersection import intersect as restrict

    kinds = [automata.contains(word) for word in contains or ()]
    kinds += [automata.avoids(word) for word in avoid or ()]
    kinds += [automata.prefix(prefix.split())] if prefix is not None else []
    kinds += [automata.pattern(pattern)] if pattern is not None else []
    band = read_length(length)
    kinds += [automata.length_band(*band)] if band is not None else []
    if not kinds:
        raise OptionError(
            "there is no constraint",
            hint="give --contains, --avoid, --prefix, --pattern or --length",
        )
    restricted, mass = restrict(_pcfg(grammar, normalise=normalise), reduce(and_, kinds))
    restricted.save(output)
    facts = {"grammar": output, "rules": len(restricted), "probability of the constraint": mass}
    show_facts(facts, as_json=as_json, quiet=quiet)


def _pcfg(path: str, *, normalise: bool) -> Grammar:
    from grammar.errors import OptionError
    from grammar.opening import open_grammar

    pcfg: Grammar | None = open_grammar(path, normalise=normalise).pcfg
    if pcfg is None:
        raise OptionError(
            "this grammar cannot be intersected with an automaton",
            where=path,
            hint="it must be a PCFG, or one of fragments (tsg) or heads (lpcfg)",
        )
    return pcfg

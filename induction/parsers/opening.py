"""Opening a parser: the one that ships, or that which a file holds, whatever its family."""

from __future__ import annotations

import dataclasses
import importlib
import os
from collections.abc import Callable, Iterable
from typing import Any, cast

from grammar.chart.parses import NoParse
from grammar.engines.threads import computed_once
from grammar.errors import MissingDataError, OptionError, SchemaError, located, to_install
from grammar.files import PathLike
from grammar.opening import open_grammar
from grammar.options import names_keywords
from grammar.trees.given import is_name_of_file
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from grammar.weighted import Weighted
from induction.corpus.entities.spacy_docs import text_of
from induction.corpus.sources import embedded_file
from induction.parsers.chart import ChartTextParser, check_options
from induction.parsers.coarser import MEMORY_LIMIT, STEP_LIMIT
from induction.parsers.forest import ForestParser
from induction.parsers.fragments import FragmentParser
from induction.parsers.lexicalised import LexicalisedParser
from induction.parsers.protocol import MAX_WORDS, Sentence, TextParser

__all__ = ["ENGLISH", "open_parser", "parse", "parser_file", "parser_of"]

_OF_OTHERS = ("en_core", "benepar", "stanza", "stanford", "edu/stanford", "en_ewt", "xx_")
"""How models of spaCy, Benepar, Stanza and CoreNLP are called."""
ENGLISH = "english"
"""Names the parser that ships with the package (its card is beside it)."""

_SHIPPED = "english.arrow"

_PARSERS: dict[str, Callable[..., ChartTextParser | ForestParser]] = {
    "pcfg": ChartTextParser,
    "tsg": FragmentParser,
    "lpcfg": LexicalisedParser,
    "latent": dataclasses.replace,
}
"""What makes a parser of a grammar, by its family; a latent grammar is one."""

_FOLDER = "classifiers.structured.parser:open_span_parser"
"""What opens a folder: named and not imported, as parsers that learn on encoders live above."""


@names_keywords(
    model="give it first: open_parser('english'), a file or a grammar",
    lang="give it first: open_parser('english')",
    name="give it first: open_parser('english')",
    grammar="give it first: open_parser(grammar)",
)
def open_parser(
    path: PathLike | Weighted = ENGLISH,
    *,
    decoder: str | None = None,
    max_words: int = MAX_WORDS,
    workers: int = 1,
    memory_limit: int = MEMORY_LIMIT,
    step_limit: int = STEP_LIMIT,
    encoding: str = "utf-8",
    backbone: bool = False,
    normalise: bool = False,
) -> ChartTextParser | ForestParser | TextParser:
    """Open the parser that ships, or the one that a file holds.

    Parameters
    ----------
    path : str, Path or grammar
        A grammar; or ``"english"``, the parser that ships; else a file with a grammar of the family
        PCFG, TSG or L-PCFG (``.json``, ``.json.gz``; a PCFG also in text notation, or ``-`` for
        standard input), or a latent parser (``.arrow``); or a folder of ``treewright structured
        train constituency``.
    decoder : {"viterbi", "max-rule"}, optional
        Of a PCFG: its most probable derivation (the default), or the tree whose rules are most
        probable where they stand. All others decode by max-rule.
    max_words : int
        Longer sentences are parsed in parts.
    workers : int
        Threads; they change nothing but the time.
    memory_limit, step_limit : int
        Bytes that the chart of a sentence may take, and steps of its parse (some hundred million a
        second); what takes more gets a coarser parse (:mod:`induction.parsers.coarser`).
    encoding, backbone, normalise
        Of a grammar in text notation, as for :func:`grammar.open_grammar`.

    Raises
    ------
    UnreadableInputError, SchemaError, NotationError, WeightError, StartSymbolError
        If the file is not a parser of this version.
    MissingDataError
        If the parser that ships is not there.
    ChartGrammarError
        If the grammar has rules that the parser cannot hold.
    OptionError
        If an option is out of range, or the parser has no such decoder.

    Examples
    --------
    >>> print(open_parser().parse(["The soup was cold."])[0])
    (TOP (S (NP (DT The) (NN soup)) (VP (VBD was) (ADJP (JJ cold))) (. .)))
    """
    options: dict[str, Any] = {
        "max_words": max_words,
        "workers": workers,
        "memory_limit": memory_limit,
        "step_limit": step_limit,
    }
    check_options(decoder=decoder or "viterbi", **options)
    if isinstance(path, Weighted):
        return parser_of(path, decoder=decoder, **options)
    if os.path.isdir(path):
        _refuse_decoder(path, decoder)
        return _open_folder(path, max_words)
    if str(path).startswith(_OF_OTHERS) and not os.path.exists(path):
        raise OptionError(
            f"{str(path)!r} is a model of another library, and no file that is here",
            hint="open_parser('english') is the parser that ships; BeneparParser and StanzaParser "
            "take models of theirs",
        )
    if path == ENGLISH:
        grammar = _shipped(str(parser_file(path)))
    else:
        grammar = open_grammar(path, encoding=encoding, backbone=backbone, normalise=normalise)
    with located(str(path)):
        return parser_of(grammar, decoder=decoder, **options)


def parser_of(
    grammar: Any, *, decoder: str | None = None, **options: Any
) -> ChartTextParser | ForestParser:
    """Return the parser of text that a grammar is (see :func:`open_parser`)."""
    if grammar.family not in _PARSERS:
        raise SchemaError(
            f"a grammar of the family {grammar.family!r} parses no sentences",
            hint=f"give one of {', '.join(_PARSERS)}; synchronous ones are for 'translate'",
        )
    if grammar.family == "pcfg":
        options["decoder"] = decoder or "viterbi"
    elif decoder not in (None, "max-rule"):
        _refuse_decoder(None, decoder)
    return _PARSERS[grammar.family](grammar, **options)


@names_keywords(
    grammar="give it second: parse('We slept.', grammar)",
    model="give it second: parse('We slept.', 'english')",
)
def parse(
    text: Sentence | Iterable[Sentence], parser: PathLike | Weighted | TextParser = ENGLISH
) -> Tree | NoParse | Treebank:
    """Parse a sentence, or several.

    Parameters
    ----------
    text : str, or iterable of str or of sequences of str
        One sentence, or many, as raw text or as tokens. Of documents and spans of spaCy their
        texts are taken.
    parser : str, path, grammar or TextParser
        What :func:`open_parser` opens, or a parser; by default that of English that ships.

    Returns
    -------
    Tree, NoParse or Treebank
        Of one text its tree, or why it has none; of many a treebank, in order.

    Raises
    ------
    TreewrightError
        As :func:`open_parser`.

    Examples
    --------
    >>> from grammar import Grammar
    >>> print(parse("so good", Grammar.parse("S -> 'so' S [1/2] | 'good' [1/2]")))
    (S so (S good))
    """
    if isinstance(text, Weighted) or hasattr(text, "parse_each"):
        raise OptionError(
            "the first argument is a parser, and no text",
            hint="give the text first, as parse('We slept.', grammar)",
        )
    if isinstance(text, os.PathLike) or (is_name_of_file(text) and os.path.isfile(str(text))):
        raise OptionError(
            f"{str(text)!r} is the name of a file, and no text",
            hint=f"parse its lines: parse(open({str(text)!r}).read().splitlines())",
        )
    text = text_of(text)
    opened: Any = parser if hasattr(parser, "parse_each") else open_parser(parser)
    if isinstance(text, str):
        return cast("Tree | NoParse", next(opened.parse_each([text])))
    return cast("Treebank", opened.parse(text))


@computed_once
def _shipped(file: str) -> Any:
    """Open the grammar of the parser that ships, once: nothing changes it."""
    return open_grammar(file)


def _open_folder(path: PathLike, max_words: int) -> TextParser:
    module, _, name = _FOLDER.partition(":")
    try:
        opened: TextParser = getattr(importlib.import_module(module), name)(
            path, max_words=max_words
        )
    except ImportError as error:
        raise MissingDataError(
            f"opening it needs {error.name}",
            where=str(path),
            hint=to_install("neural"),
        ) from None
    return opened


def _refuse_decoder(path: PathLike | None, decoder: str | None) -> None:
    if decoder is not None:
        raise OptionError(
            f"this parser has no decoder {decoder}",
            where=None if path is None else str(path),
            hint="it has one way to decode; leave the decoder out",
        )


def parser_file(path: PathLike) -> PathLike:
    """Return the file of a parser by its name (raises MissingDataError if it does not ship)."""
    if path != ENGLISH:
        return path
    file = embedded_file(_SHIPPED)
    if not file.exists():
        raise MissingDataError(
            "the parser that ships is not in this installation",
            where=str(file),
            hint="install treewright again, or train it: make parser",
        )
    return file

"""Opening the parser that a file holds, whatever its family."""

from __future__ import annotations

from grammar.array_file import is_arrow_file
from grammar.errors import OptionError, SchemaError, located
from grammar.files import PathLike, read_text
from grammar.grammar import Grammar
from grammar.graph import grammar_from_graph
from grammar.lexicalised import LexicalisedGrammar
from grammar.lexicalised_graph import lexicalised_from_graph
from grammar.storage import looks_like_json, table_from_json, without_collection
from grammar.tsg import TreeSubstitutionGrammar
from grammar.tsg_graph import tsg_from_graph
from induction.chart_text_parser import ChartTextParser, check_options
from induction.forest_parser import ForestParser
from induction.fragment_parser import FragmentParser
from induction.latent_parser import LatentParser
from induction.lpcfg import LexicalisedParser
from induction.text_parsers import MAX_WORDS

__all__ = ["is_latent", "open_parser"]


def open_parser(
    path: PathLike, *, decoder: str | None = None, max_words: int = MAX_WORDS, workers: int = 1
) -> ChartTextParser | ForestParser:
    """Open the parser that a file holds.

    Parameters
    ----------
    path : str or Path
        A grammar of the family PCFG, TSG or L-PCFG (``.json``, ``.json.gz``; a PCFG also in text
        notation, or ``-`` for standard input), or a latent parser (``.arrow``).
    decoder : {"viterbi", "max-rule"}, optional
        Of a PCFG: its most probable derivation (the default), or the tree whose rules are most
        probable where they stand. All others decode by max-rule.
    max_words : int
        Longer sentences are refused.
    workers : int
        Threads; they change nothing but the time.

    Raises
    ------
    UnreadableInputError, SchemaError, NotationError, WeightError, StartSymbolError
        If the file is not a parser of this version.
    ChartGrammarError
        If the grammar has rules that the parser cannot hold.
    OptionError
        If an option is out of range, or the parser has no such decoder.
    """
    check_options(decoder=decoder or "viterbi", max_words=max_words, workers=workers)
    if is_latent(path):
        _only_max_rule(decoder, path)
        return LatentParser.load(path, max_words=max_words, workers=workers)
    grammar = _open_grammar(path)
    options: dict[str, int] = {"max_words": max_words, "workers": workers}
    with located(str(path)):
        if isinstance(grammar, Grammar):
            return ChartTextParser(grammar, decoder=decoder or "viterbi", **options)
        _only_max_rule(decoder, path)
        if isinstance(grammar, TreeSubstitutionGrammar):
            return FragmentParser(grammar, **options)
        return LexicalisedParser(grammar, **options)


def _open_grammar(path: PathLike) -> Grammar | TreeSubstitutionGrammar | LexicalisedGrammar:
    text, source = read_text(path), str(path)
    if not looks_like_json(text, path):
        return Grammar.parse(text, source=source)
    with without_collection():
        table = table_from_json(text, source=source)
        del text  # as large as all the rest
        family = table.graph["family"]
        if family == TreeSubstitutionGrammar.family:
            return tsg_from_graph(table, source=source)
        if family == LexicalisedGrammar.family:
            return lexicalised_from_graph(table, source=source)
        if family == "synchronous":
            raise SchemaError(
                "this is a synchronous grammar: it has targets, not trees of sentences",
                where=source,
                hint="use the verb translate, or SynchronousParser",
            )
        return grammar_from_graph(table, source=source)


def is_latent(path: PathLike) -> bool:
    """Say whether a file is named as latent parsers are.

    >>> is_latent("wsj.arrow"), is_latent("wsj.json")
    (True, False)

    Raises
    ------
    SchemaError
        If it is an Arrow file with another name.
    """
    named = str(path).endswith(".arrow")
    if not named and is_arrow_file(path):
        raise SchemaError("this is an Arrow file", where=str(path), hint="name it .arrow")
    return named


def _only_max_rule(decoder: str | None, path: PathLike) -> None:
    if decoder not in (None, "max-rule"):
        raise OptionError(
            f"this parser has no decoder {decoder}",
            where=str(path),
            hint="it decodes by max-rule; leave the decoder out",
        )

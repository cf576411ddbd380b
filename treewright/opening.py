"""Opening grammar files of any family."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grammar.grammar import Grammar
    from grammar.graph_table import GraphTable
    from grammar.lexicalised import LexicalisedGrammar
    from grammar.synchronous import SynchronousGrammar
    from grammar.tsg import TreeSubstitutionGrammar
    from induction.latent_parser import LatentParser
    from sampling.alp_grammar import ALPGrammar
    from sampling.span_grammar import SpanGrammar
    from sampling.substitution import SubstitutionGrammar

    AnyGrammar = (
        Grammar
        | TreeSubstitutionGrammar
        | LexicalisedGrammar
        | SubstitutionGrammar
        | SynchronousGrammar
        | SpanGrammar
        | ALPGrammar
        | LatentParser
    )

__all__ = ["open_grammar"]


def open_grammar(path: str, *, normalise: bool = False) -> AnyGrammar:
    """Load a grammar of whatever family the file holds.

    Raises
    ------
    OptionError
        If weights are to be normalised, and the grammar is no PCFG, or the file holds phrases
        without a grammar.
    """
    from grammar.array_file import array_schema
    from grammar.errors import OptionError
    from grammar.files import read_text
    from grammar.grammar import Grammar
    from grammar.storage import looks_like_json, table_from_json, without_collection
    from grammar.synchronous import SynchronousGrammar
    from grammar.synchronous_notation import looks_synchronous
    from induction.parser_files import is_latent

    schema = None if path == "-" else array_schema(path)
    if schema == "treewright.spans/1":
        from sampling.span_grammar import SpanGrammar

        _check_normalise(normalise, "substitution", path)
        return SpanGrammar.load(path)
    if schema == "treewright.alp/1":
        from sampling.alp_grammar import ALPGrammar

        _check_normalise(normalise, "alp", path)
        return ALPGrammar.load(path)
    if schema == "treewright.alp-phrases/1":
        raise OptionError(
            "these are the phrases of ALP as its program makes them, which are no grammar to show",
            where=path,
            hint="draw from them in Python: sampling.saved.open_sampler(path).sample(10)",
        )
    if is_latent(path):
        from induction.latent_parser import LatentParser

        _check_normalise(normalise, "latent", path)
        return LatentParser.load(path)
    text = read_text(path)
    if not looks_like_json(text, path):
        if looks_synchronous(text):
            return SynchronousGrammar.parse(text, normalise=normalise, source=path)
        return Grammar.parse(text, normalise=normalise, source=path)
    with without_collection():
        table = table_from_json(text, source=path)
        del text  # as large as all the rest
        return _of_table(table, path, normalise=normalise)


def _of_table(table: GraphTable, path: str, *, normalise: bool) -> AnyGrammar:
    from grammar.errors import SchemaError

    family = table.graph["family"]
    if family == "pcfg":
        from grammar.graph import grammar_from_graph

        return grammar_from_graph(table, source=path, normalise=normalise)
    _check_normalise(normalise, family, path)
    if family == "tsg":
        from grammar.tsg_graph import tsg_from_graph

        return tsg_from_graph(table, source=path)
    if family == "lpcfg":
        from grammar.lexicalised_graph import lexicalised_from_graph

        return lexicalised_from_graph(table, source=path)
    if family == "substitution":
        from sampling.substitution import SubstitutionGrammar

        return SubstitutionGrammar.from_graph(table.to_graph(), source=path)
    if family == "synchronous":
        from grammar.synchronous_graph import synchronous_from_graph

        return synchronous_from_graph(table.to_graph(), source=path)
    raise SchemaError(f"unknown family {family!r}", where=path, hint="use the verb that made it")


def _check_normalise(wanted: bool, family: str, path: str) -> None:
    from grammar.errors import OptionError

    if wanted:
        raise OptionError(
            f"weights of the family {family!r} cannot be normalised",
            where=path,
            hint="leave out --normalise, which is for PCFGs",
        )

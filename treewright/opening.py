"""Opening grammar files of any family."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grammar.grammar import Grammar
    from grammar.lexicalised import LexicalisedGrammar
    from grammar.tsg import TreeSubstitutionGrammar
    from induction.latent_parser import LatentParser
    from sampling.substitution import SubstitutionGrammar

    AnyGrammar = (
        Grammar | TreeSubstitutionGrammar | LexicalisedGrammar | SubstitutionGrammar | LatentParser
    )

__all__ = ["open_grammar"]


def open_grammar(path: str, *, normalise: bool = False) -> AnyGrammar:
    """Load a grammar of whatever family the file holds."""
    from grammar.errors import SchemaError
    from grammar.files import read_text
    from grammar.grammar import Grammar
    from grammar.graph import grammar_from_graph
    from grammar.storage import graph_from_json, looks_like_json
    from induction.parser_files import is_latent

    if is_latent(path):
        from induction.latent_parser import LatentParser

        return LatentParser.load(path)
    text = read_text(path)
    if not looks_like_json(text, path):
        return Grammar.parse(text, normalise=normalise, source=path)
    graph = graph_from_json(text, source=path)
    family = graph.graph["family"]
    if family == "pcfg":
        return grammar_from_graph(graph, source=path, normalise=normalise)
    if family == "tsg":
        from grammar.tsg_graph import tsg_from_graph

        return tsg_from_graph(graph, source=path)
    if family == "substitution":
        from sampling.substitution import SubstitutionGrammar

        return SubstitutionGrammar.from_graph(graph, source=path)
    raise SchemaError(f"unknown family {family!r}", where=path, hint="use the verb that made it")

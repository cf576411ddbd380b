"""Opening the grammar that a file holds, whatever its family."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from grammar.codecs import read_content
from grammar.errors import OptionError, SchemaError, located
from grammar.files import PathLike, check_encoding
from grammar.graph.storage import without_collection
from grammar.rules.features import backbone_of
from grammar.saving.array_file import array_fault, array_schema, is_arrow_file
from grammar.synchronous.notation import looks_synchronous
from grammar.weighted import Weighted

__all__ = ["FAMILIES", "family_of", "open_grammar"]

FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "pcfg": "grammar.pcfg.grammar:Grammar",
        "tsg": "grammar.families.tsg:TreeSubstitutionGrammar",
        "lpcfg": "grammar.families.lexicalised:LexicalisedGrammar",
        "synchronous": "grammar.synchronous.grammar:SynchronousGrammar",
        "substitution": "sampling.geca.grammar:SubstitutionGrammar",
        "treewright.latent-parser/1": "induction.parsers.latent:LatentParser",
        "treewright.spans/1": "sampling.spans.grammar:SpanGrammar",
        "treewright.alp/1": "sampling.alp.grammar:ALPGrammar",
        "treewright.alp-phrases/1": "sampling.alp.code:PhraseGrammar",
        "treewright.words/1": "sampling.words.grammar:WordGrammar",
        "treewright.tilted/3": "sampling.operators.grammar:TiltedGrammar",
        "treewright.models/1": "sampling.neural.grammar:ModelGrammar",
        "treewright.walks/1": "sampling.geca.walk_grammar:WalkGrammar",
    }
)
"""The class of each family: by its name in JSON files, by its schema in Arrow files.

Classes are named and not imported, as those of methods live in rooms above this one.
"""

_CHECK = "sampling.method:check_saved"
"""What knows the options of methods; it is named for the same reason."""

_CORPORA = (
    ".csv", ".tsv", ".jsonl", ".parquet", ".conllu", ".conll", ".mrg", ".ptb", ".export", ".dbr",
)  # fmt: skip


def family_of(name: str, *, source: str | None = None) -> type[Weighted]:
    """Return the class of a family (a name or schema of :data:`FAMILIES`).

    Raises
    ------
    SchemaError
        If there is none.
    """
    if name not in FAMILIES:
        hint = f"known are {', '.join(FAMILIES)}"
        raise SchemaError(f"unknown family {name!r}", where=source, hint=hint)
    module, _, kind = FAMILIES[name].partition(":")
    found: type[Weighted] = getattr(importlib.import_module(module), kind)
    return found


def open_grammar(
    path: PathLike,
    *,
    normalise: bool = False,
    encoding: str = "utf-8",
    backbone: bool = False,
) -> Weighted:
    """Load a grammar of whatever family the file holds.

    Parameters
    ----------
    path : str or path
        Node-link JSON, a text notation, or an Arrow file; ``-`` is standard input.
    normalise : bool
        Divide weights by the sum of their left-hand side, for families where that can be done.
    encoding : str
        Of the text notation.
    backbone : bool
        Read a feature grammar of NLTK without its features.

    Returns
    -------
    Weighted
        Of the family's own class.

    Raises
    ------
    UnreadableInputError
        If the file cannot be read.
    SchemaError, NotationError, WeightError, StartSymbolError
        If its content is no grammar of this version.
    OptionError
        If weights are to be normalised, and those of the family cannot be.

    Examples
    --------
    >>> import tempfile
    >>> from grammar import Grammar
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Grammar.parse("S -> 'a' [1/2] | 'b' [1/2]").save(f"{folder}/g.json")
    ...     open_grammar(f"{folder}/g.json")
    Grammar(pcfg, start S: 2 rules over 1 symbols, 2 words)
    """
    if type(path).__module__.startswith("nltk.") or (isinstance(path, str) and "->" in path):
        from grammar.pcfg.grammar import as_grammar

        return as_grammar(path)  # what is at hand already, as people have it
    source = str(path)
    check_encoding(encoding)
    if source.removesuffix(".gz").endswith(_CORPORA):
        raise SchemaError(
            "a corpus, by its name, and no grammar",
            where=source,
            hint=f"induce one of it: treewright induce {source} -o grammar.json; if its rows are "
            "rules, write them as  NP -> DT 'word' [0.5]  in a text file",
        )
    schema = None if source == "-" else array_schema(path)
    if schema is not None or source.endswith(".arrow") or is_arrow_file(path):
        return _of_arrays(path, schema, normalise=normalise)
    with without_collection():
        content = read_content(path, encoding)
        if isinstance(content, str) and backbone:
            content = backbone_of(content, source)
        if isinstance(content, str):
            family = "synchronous" if looks_synchronous(content) else "pcfg"
        else:
            family = content.graph["family"]
        found: Any = family_of(family, source=source)
        options = _options(found, source, normalise=normalise)
        make = found.parse if isinstance(content, str) else found.from_graph
        return _checked(make(content, source=source, **options), source)


def _of_arrays(path: PathLike, schema: str | None, *, normalise: bool) -> Weighted:
    source, suffix = str(path), Path(path).suffix
    if schema is None or schema not in FAMILIES:
        kind = (schema or "").partition("/")[0]
        wanted = next((known for known in FAMILIES if known.partition("/")[0] == kind), None)
        raise SchemaError(
            f"not a grammar saved by this version of treewright: {array_fault(path, wanted)}",
            where=source,
            hint="induce it again with this version, and save it with grammar.save",
        )
    if suffix not in ("", ".arrow"):
        raise SchemaError("this is an Arrow file", where=source, hint="name it .arrow")
    found = family_of(schema)
    return _checked(found.load(path, **_options(found, source, normalise=normalise)), source)


def _checked(grammar: Weighted, source: str) -> Weighted:
    """Return a grammar whose method, if it is of one, declares the options that the file has."""
    if hasattr(grammar, "method"):
        module, _, check = _CHECK.partition(":")
        with located(source):
            getattr(importlib.import_module(module), check)(grammar)
    return grammar


def _options(family: type[Weighted], source: str, *, normalise: bool) -> dict[str, Any]:
    if normalise and not family.normalises:
        raise OptionError(
            f"weights of the family {family.family!r} cannot be normalised",
            where=source,
            hint="leave out --normalise, which is for PCFGs",
        )
    return {"normalise": True} if normalise else {}

"""Samplers from saved grammars: the file says of which method it is.

Sub2, TreeMix, RandMix, GECA and ALP save all that they draw from. So what one person induced
another can sample, without the corpus and without knowing how it was made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from grammar.array_file import array_schema
from grammar.errors import SchemaError
from grammar.files import PathLike
from sampling.protocol import METHODS, Sampler

__all__ = ["SAVED_AS", "open_sampler"]

SAVED_AS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "sub2": (".arrow",),
        "treemix": (".arrow",),
        "randmix": (".arrow",),
        "geca": (".json", ".json.gz"),
        "alp": (".arrow",),
    }
)
"""The methods whose grammars can be sampled without the corpus, and how their files end."""


def open_sampler(path: PathLike) -> Sampler:
    """Return the sampler of a grammar that ``sampler.grammar.save`` wrote.

    It gives the same bytes as the sampler that was induced.

    Parameters
    ----------
    path : str or path
        A grammar of Sub2, TreeMix, RandMix, GECA or ALP.

    Raises
    ------
    UnreadableInputError
        If the file cannot be read.
    SchemaError
        If it holds something else, or is damaged.
    CorpusError
        If its examples have targets, which need an executor: use the ``load`` of the method.

    Examples
    --------
    >>> import tempfile
    >>> from induction.corpus import Corpus
    >>> from sampling.sub2 import Sub2
    >>> induced = Sub2.induce(Corpus.from_columns(text=["a b", "c d"]), length=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     induced.grammar.save(f"{folder}/pairs.arrow")
    ...     opened = open_sampler(f"{folder}/pairs.arrow")
    >>> opened
    Sub2(SpanGrammar(sub2: 4 contexts, 1 classes, 4 fillers))
    >>> opened.sample(3).table == induced.sample(3).table
    True
    """
    schema = array_schema(path)
    if schema is None:
        return _of_geca(path)
    if schema not in _OPENERS:
        raise SchemaError(
            f"this is no grammar of a method of augmentation; its schema is {schema!r}",
            where=str(path),
            hint=f"save one of {', '.join(SAVED_AS)} with grammar.save",
        )
    return _OPENERS[schema](path)


def _of_spans(path: PathLike) -> Sampler:
    from sampling.span_grammar import SpanGrammar

    grammar = SpanGrammar.load(path)
    sampler: Sampler = METHODS[grammar.method].sampler(grammar)
    return sampler


def _of_alp(path: PathLike) -> Sampler:
    from sampling.alp import ALP

    return ALP.load(path)


def _of_phrases(path: PathLike) -> Sampler:
    from sampling.alp_code import ALPCode, PhraseGrammar

    return ALPCode(PhraseGrammar.load(path))


def _of_geca(path: PathLike) -> Sampler:
    from sampling.geca import GECA
    from sampling.substitution import SubstitutionGrammar

    return GECA(SubstitutionGrammar.load(path))


_OPENERS: dict[str, Callable[[Any], Sampler]] = {
    "treewright.spans/1": _of_spans,
    "treewright.alp/1": _of_alp,
    "treewright.alp-phrases/1": _of_phrases,
}

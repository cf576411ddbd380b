"""A trained constituency parser as a parser of text, like those of grammars."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from itertools import islice

from classifiers.encoders.cache import fingerprint
from classifiers.folders import arrays_of
from classifiers.structured.model import StructuredModel
from classifiers.structured.saving import open_structured
from classifiers.structured.trees import Spans, tree_of_spans
from grammar.chart.parses import NoParse
from grammar.errors import OptionError
from grammar.files import PathLike
from grammar.trees.tree import Tree
from induction.parsers.protocol import MAX_WORDS, Given, Sentence, Tags, TextParser, read_sentences

__all__ = ["SpanParser", "open_span_parser"]

_BATCH = 32


class SpanParser(TextParser):
    """A constituency parser on an encoder.

    Given tags stand in the trees; the network does not look at them.

    Parameters
    ----------
    model : StructuredModel
        Of the task ``constituency``.
    max_words : int
        Longer sentences are refused.

    Raises
    ------
    OptionError
        If the model is of another task.

    Examples
    --------
    >>> from classifiers import open_structured
    >>> parser = SpanParser(open_structured("parser"))  # doctest: +SKIP
    >>> print(parser.parse(["We slept ."])[0])  # doctest: +SKIP
    (TOP (S (NP (PRP We)) (VP (VBD slept)) (. .)))
    """

    name = "span"

    def __init__(self, model: StructuredModel, *, max_words: int = MAX_WORDS) -> None:
        if model.task.name != "constituency":
            raise OptionError(
                f"the model is one of {model.task.name}, and makes no trees",
                hint="train one: treewright structured train constituency",
            )
        self.model, self.max_words = model, max_words
        self.version = _version(model)

    def parse_each(
        self, sentences: Iterable[Sentence], *, tags: Tags | None = None
    ) -> Iterator[Tree | NoParse]:
        """Yield a tree, or the reason for having none, for each sentence in order."""
        given = read_sentences(sentences, tags, max_words=self.max_words)
        while batch := list(islice(given, _BATCH)):
            known = [one for one in batch if isinstance(one, Given)]
            states = self.model.read([one.surfaces for one in known])
            answers = iter(self.model.answers_of(states))
            yield from (_tree(one, answers) for one in batch)


def _version(model: StructuredModel) -> str:
    """Return a hash of all that decides the trees."""
    digest = hashlib.sha256(fingerprint(model.encoder).encode())
    digest.update(json.dumps(model.network.names, sort_keys=True).encode())
    for name, array in arrays_of(model.network).items():
        digest.update(name.encode() + array.tobytes())
    return digest.hexdigest()[:16]


def _tree(given: Given | NoParse, answers: Iterator[Spans]) -> Tree | NoParse:
    if isinstance(given, NoParse):
        return given
    answer = next(answers)
    return tree_of_spans(given.words, given.tags or answer.tags, answer.constituents)


def open_span_parser(folder: PathLike, *, max_words: int = MAX_WORDS) -> SpanParser:
    """Open a folder of ``treewright structured train constituency`` as a parser of text.

    Raises
    ------
    UnreadableInputError, SchemaError, MissingDataError
        As :func:`classifiers.structured.saving.open_structured`.
    OptionError
        If the model is of another task.
    """
    return SpanParser(open_structured(folder), max_words=max_words)

"""Hits of a request: the words that are its nodes, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import BoolArray, LongArray
from grammar.dependencies.drawing import Marks, sentence_picture, sentences_picture
from grammar.dependencies.treebank import DependencyTreebank
from grammar.errors import OptionError
from grammar.pictures.svg import Picture
from grammar.search.frequencies import Frequencies, counted
from grammar.search.samples import sampled

__all__ = ["DependencyHits", "hits_summary"]

_FIELDS = ("form", "lemma", "upos", "deprel")
_SHOWN, _DRAWN = 12, 6


@dataclass(frozen=True, eq=False, repr=False)
class DependencyHits:
    """Words of a dependency treebank that a request finds: one hit for each choice of its nodes.

    Attributes
    ----------
    treebank : DependencyTreebank
        What was searched.
    request : str
        What was searched for.
    named : mapping of str to int64 array, shape (hits,)
        For each node of the pattern, numbers of words among all words of the treebank.
    edge_names : mapping of str to str
        Of each edge that has a name, the node that it leads to.
    edges : tuple of (str, str)
        Nodes of the pattern of which one is the head of the other; ``*`` is any.

    Examples
    --------
    >>> from grammar import DependencyTreebank
    >>> treebank = DependencyTreebank.from_columns(
    ...     form=[["we", "saw", "cats"], ["cats", "ran"]],
    ...     upos=[["PRON", "VERB", "NOUN"], ["NOUN", "VERB"]],
    ...     head=[[2, 0, 2], [2, 0]],
    ...     deprel=[["nsubj", "root", "obj"], ["nsubj", "root"]],
    ... )
    >>> hits = treebank.search("pattern { V [upos=VERB]; V -> N; N [upos=NOUN] }")
    >>> hits
    2 hits in 2 of 2 sentences: pattern { V [upos=VERB]; V -> N; N [upos=NOUN] }
      we saw cats  [V: saw; N: cats]
      cats ran  [V: ran; N: cats]
    >>> hits.count(by="N.deprel")["obj"]
    1
    """

    treebank: DependencyTreebank
    request: str
    named: Mapping[str, LongArray]
    edge_names: Mapping[str, str]
    edges: tuple[tuple[str, str], ...]

    def __len__(self) -> int:
        return len(self._first)

    def __getitem__(self, index: slice) -> DependencyHits:
        """Return a part of the hits."""
        return self.take(np.arange(len(self))[index])

    def __repr__(self) -> str:
        return "\n  ".join([self.summary(), *self.lines()])

    def _repr_svg_(self) -> str | None:
        return self.show().svg() if len(self) else None

    def lines(self, most: int = _SHOWN) -> list[str]:
        """Return the sentences of the first hits, with the words that are nodes."""
        rows = [self._line(place) for place in range(min(len(self), most))]
        rest = len(self) - most
        return [*rows, f"... and {rest:,} more"] if rest > 0 else rows

    def facts(self) -> dict[str, Any]:
        """Return how many hits there are, as values that JSON can hold."""
        return {
            "request": self.request,
            "hits": len(self),
            "sentences_with_hits": len(self.found_in),
            "sentences": len(self.treebank),
        }

    def summary(self) -> str:
        """Return how many hits there are, in one line."""
        return hits_summary(len(self), len(self.found_in), len(self.treebank), self.request)

    @cached_property
    def sentence(self) -> LongArray:
        """int64 array, shape (hits,): the sentence of each hit, ascending."""
        return np.searchsorted(self.treebank.offsets, self._first, side="right") - 1

    @cached_property
    def found_in(self) -> LongArray:
        """int64 array: the sentences that have hits, each once, ascending."""
        return np.unique(self.sentence)

    @property
    def variables(self) -> list[str]:
        """What hits can be counted by, but for features of words and variables of sentences."""
        nodes = [f"{name}.{field}" for name in self.named for field in _FIELDS]
        return [*nodes, *(f"{name}.label" for name in self.edge_names)]

    def word(self, name: str) -> LongArray:
        """int64 array, shape (hits,): the number of a word in its sentence, from 1."""
        return self._words_of(name) - self.treebank.offsets[self.sentence] + 1

    def values(self, name: str, feature: str = "form") -> list[str | None]:
        """Return a field or feature of the words that are a node; None where there is none.

        Parameters
        ----------
        name : str
            The node, or an edge that has a name, of which ``label`` is the feature.
        feature : str
            ``form``, ``lemma``, ``upos``, ``xpos``, ``deprel``, or a feature such as ``Number``.

        Raises
        ------
        OptionError
            If there is no such node or edge.
        """
        if name in self.edge_names and feature == "label":
            name, feature = self.edge_names[name], "deprel"
        numbers = self.treebank.feature(feature)[self._words_of(name)]
        symbols = self.treebank.symbols
        return [None if number < 0 else symbols[number] for number in numbers.tolist()]

    def take(self, chosen: Sequence[int] | LongArray | BoolArray) -> DependencyHits:
        """Return the chosen hits, in the order of the treebank."""
        index = np.sort(np.arange(len(self))[np.asarray(chosen, None if len(chosen) else np.int64)])
        return replace(self, named={name: words[index] for name, words in self.named.items()})

    def sample(self, n: int, seed: int = 0) -> DependencyHits:
        """Return n hits, drawn without replacement; all, if there are fewer.

        Raises
        ------
        OptionError
            If n is negative, or the seed is no whole number.
        """
        return self.take(sampled(len(self), n, seed))

    def sentences(self) -> DependencyTreebank:
        """Return the sentences that have hits, each once."""
        return self.treebank.take(self.found_in)

    def to_arrow(self) -> pa.Table:
        """Return a table with a row for each hit.

        Its columns are ``sentence`` (from 0), ``sent_id`` if sentences have one, ``text``; for
        each node its number in the sentence as CoNLL-U has it, from 1, and ``form``, ``lemma``,
        ``upos`` and ``deprel``, as ``N``, ``N.form`` and so on; for each edge with a name,
        ``e.label``.
        """
        columns: dict[str, Any] = {"sentence": self.sentence}
        if "sent_id" in self.treebank.variables:
            columns["sent_id"] = pa.array(self._of_sentences("sent_id"), pa.string())
        texts = {number: self.treebank.text(number) for number in self.found_in.tolist()}
        columns["text"] = pa.array([texts[n] for n in self.sentence.tolist()], pa.string())
        for name in self.named:
            columns[name] = self.word(name)
            for feature in _FIELDS:
                columns[f"{name}.{feature}"] = pa.array(self.values(name, feature), pa.string())
        for name in self.edge_names:
            columns[f"{name}.label"] = pa.array(self.values(name, "label"), pa.string())
        return pa.table(columns)

    def to_pandas(self) -> Any:
        """Return the columns of :meth:`to_arrow` as a data frame of pandas."""
        return self.to_arrow().to_pandas()

    def count(self, by: str | Sequence[str] = "form") -> Frequencies:
        """Count hits by variables.

        Parameters
        ----------
        by : str or sequence of str
            ``N.lemma`` and the like, a field or feature of the node N; ``e.label`` of the edge e;
            ``lemma`` alone is that of the first node; or a variable of sentences.

        Raises
        ------
        OptionError
            If there is no such variable.
        """
        names = dict.fromkeys((by,) if isinstance(by, str) else by)
        values = {name: list(self._values(name)) for name in names}
        known = self.treebank.variables
        dividing = {name: known[name] for name in names if name in known}
        return counted(values, self.sentence, "sentences", dividing, self.treebank.lengths)

    def show(self, most: int = _DRAWN) -> Picture:
        """Return a picture of the first sentences that have hits, with all their hits marked.

        Parameters
        ----------
        most : int
            How many sentences to draw. For others, take or sample the hits first.

        Raises
        ------
        OptionError
            If there are no hits.
        """
        if not len(self) or most < 1:
            raise OptionError(
                "there is no hit to draw",
                hint="search for something that is found, and draw 1 or more",
            )
        shown = self.found_in[:most].tolist()
        return sentences_picture(self.treebank, shown, [self._marks(n) for n in shown])

    def show_sentence(self, sentence: int) -> Picture:
        """Return a picture of one sentence with its hits marked, of which it may have none.

        Raises
        ------
        OptionError
            If there is no such sentence.
        """
        if not 0 <= sentence < len(self.treebank):
            raise OptionError(
                f"there is no sentence {sentence}",
                hint=f"sentences are 0 to {len(self.treebank) - 1:,}",
            )
        return sentence_picture(self.treebank, sentence, self._marks(sentence))

    @property
    def _first(self) -> LongArray:
        return next(iter(self.named.values()))

    def _marks(self, sentence: int) -> Marks:
        first, last = np.searchsorted(self.sentence, [sentence, sentence + 1])
        start = int(self.treebank.offsets[sentence])
        nodes = [(words[first:last] - start).tolist() for words in self.named.values()]
        marked = {word: place for place, words in enumerate(nodes) for word in words}
        of_name = dict(zip(self.named, nodes, strict=True))
        leading = {
            word for _, target in self.edges if target in of_name for word in of_name[target]
        }
        return Marks(marked, frozenset(leading))

    def _words_of(self, name: str) -> LongArray:
        if name not in self.named:
            known = ", ".join(self.named)
            raise OptionError(
                f"no node of the pattern is named {name}", hint=f"nodes there are: {known}"
            )
        return self.named[name]

    def _of_sentences(self, variable: str) -> list[Any]:
        values = self.treebank.variables[variable]
        return [values[number] for number in self.sentence.tolist()]

    def _values(self, variable: str) -> Iterable[Any]:
        if variable in self.treebank.variables:
            return self._of_sentences(variable)
        name, _, feature = variable.rpartition(".")
        name = name or next(iter(self.named))
        if (name in self.named and self.treebank.has(feature)) or (
            name in self.edge_names and feature == "label"
        ):
            return self.values(name, feature)
        known = [*self.variables, *self.treebank.variables]
        raise OptionError(
            f"there is no variable {variable!r}",
            hint=f"there are: {', '.join(known)}; and features, as {next(iter(self.named))}.Number",
        )

    def _line(self, place: int) -> str:
        one = self.take([place])
        nodes = "; ".join(f"{name}: {one.values(name)[0]}" for name in self.named)
        return f"{self.treebank.text(int(one.sentence[0]))}  [{nodes}]"


def hits_summary(hits: int, sentences_with_hits: int, sentences: int, request: str) -> str:
    """Return in one line how many hits there are.

    >>> hits_summary(2, 1, 3, "pattern { X [] }")
    '2 hits in 1 of 3 sentences: pattern { X [] }'
    """
    return f"{hits:,} hits in {sentences_with_hits:,} of {sentences:,} sentences: {request}"

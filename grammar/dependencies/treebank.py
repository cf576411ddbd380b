"""A dependency treebank: sentences of CoNLL-U as columns, an integer for each word and field."""

from __future__ import annotations

import importlib
import itertools
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from grammar.arrays import BoolArray, IntArray, LongArray
from grammar.errors import CorpusError
from grammar.trees.symbols import SymbolTable

__all__ = [
    "ABSENT",
    "FIELDS",
    "LISTS",
    "DependencyTreebank",
    "absolute_heads",
    "encoded",
    "feature_name",
]

FIELDS = ("form", "lemma", "upos", "xpos", "features", "deprel", "misc")
"""Columns of words: FORM, LEMMA, UPOS, XPOS, FEATS, DEPREL and MISC of CoNLL-U."""

_NUMBERING = threading.Lock()
"""Held while a search numbers values of features: symbols are shared by all threads."""
ABSENT = -1
"""Stands for a value that a word does not have, and for the head of a root."""

_EMPTY = "_"
_NO_SPACE = "SpaceAfter=No"
LISTS = ("features", "misc")
"""Columns whose values are lists of features."""


@dataclass(frozen=True, eq=False, repr=False)
class DependencyTreebank:
    """Sentences with their dependencies, as columns.

    Attributes
    ----------
    columns : mapping of str to int32 array, shape (words,)
        For each of ``form``, ``lemma``, ``upos``, ``xpos``, ``features``, ``deprel`` and ``misc``
        the number of the value in ``symbols``; -1 where there is none.
    heads : int32 array, shape (words,)
        The number of the head among all words of the treebank; -1 of roots.
    offsets : int64 array, shape (sentences + 1,)
        The first word of each sentence, and how many words there are.
    symbols : SymbolTable
        All values.
    variables : mapping of str to sequence
        What is known of sentences, a value for each: ``sent_id``, ``text``, other comments.

    Examples
    --------
    >>> treebank = DependencyTreebank.from_columns(
    ...     form=[["we", "saw", "cats"]],
    ...     upos=[["PRON", "VERB", "NOUN"]],
    ...     head=[[2, 0, 2]],
    ...     deprel=[["nsubj", "root", "obj"]],
    ... )
    >>> treebank
    DependencyTreebank(1 sentences, 3 words)
    >>> treebank.search("pattern { V -[obj]-> N }").values("N")
    ['cats']
    """

    columns: Mapping[str, IntArray]
    heads: IntArray
    offsets: LongArray
    symbols: SymbolTable
    variables: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @classmethod
    def from_columns(
        cls,
        *,
        form: Sequence[Sequence[str]],
        head: Sequence[Sequence[int]] | None = None,
        variables: Mapping[str, Sequence[Any]] | None = None,
        **fields: Sequence[Sequence[str]],
    ) -> DependencyTreebank:
        """Return the treebank of columns that have a list of values for each sentence.

        Parameters
        ----------
        form : sequence of sequence of str
            The words.
        head : sequence of sequence of int, optional
            The number of the head of each word in its sentence, from 1; 0 of roots.
        variables : mapping of str to sequence, optional
            What is known of sentences, a value for each.
        **fields : sequence of sequence of str
            ``lemma``, ``upos``, ``xpos``, ``features`` (``Number=Sing|Case=Nom``), ``deprel`` and
            ``misc``; ``_`` where there is none.

        Raises
        ------
        CorpusError
            If a column has another shape or name, or a head is no word of its sentence.
        """
        lengths = [len(words) for words in form]
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        given: Mapping[str, Any] = {"form": form, "head": head, **fields}
        for name, rows in given.items():
            if name not in (*FIELDS, "head"):
                raise CorpusError(f"words have no column {name!r}", hint=f"use {', '.join(FIELDS)}")
            if rows is not None and [len(row) for row in rows] != lengths:
                raise CorpusError(
                    f"the column {name} has another number of values than there are words",
                    hint="give one value for each word",
                )
        for name, values in (variables or {}).items():
            if len(values) != len(form):
                raise CorpusError(
                    f"the variable {name} has {len(values):,} values for {len(form):,} sentences",
                    hint="give one value for each sentence",
                )
        symbols = SymbolTable()
        columns = {
            name: encoded([v for row in given[name] for v in row], symbols, is_form=name == "form")
            if name in given
            else np.full(offsets[-1], ABSENT, np.int32)
            for name in FIELDS
        }
        heads = np.array([h for row in head or [[0] * n for n in lengths] for h in row], np.int64)
        return cls(columns, absolute_heads(heads, offsets), offsets, symbols, variables or {})

    def __iter__(self) -> Iterator[list[dict[str, Any]]]:
        """Yield each sentence as its words: a mapping each of columns and ``id`` and ``head``.

        >>> treebank = DependencyTreebank.from_columns(
        ...     form=[["we", "ran"]], head=[[2, 0]], deprel=[["nsubj", "root"]]
        ... )
        >>> [(word["id"], word["form"], word["head"]) for word in next(iter(treebank))]
        [(1, 'we', 2), (2, 'ran', 0)]
        """
        for first, stop in itertools.pairwise(self.offsets.tolist()):
            words = []
            for place in range(first, stop):
                head = int(self.heads[place])
                held = {name: int(numbers[place]) for name, numbers in self.columns.items()}
                words.append(
                    {"id": place - first + 1}
                    | {n: None if v == ABSENT else self.symbols[v] for n, v in held.items()}
                    | {"head": 0 if head < 0 else head - first + 1}
                )
            yield words

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __getitem__(self, index: Any) -> Any:
            """Refuse an index (raises TypeError)."""
            raise TypeError(
                "sentences are read one after the other\n  hint: list(treebank) has them by number"
            )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"DependencyTreebank({len(self):,} sentences, {self.word_count:,} words)"

    @property
    def word_count(self) -> int:
        """How many words there are."""
        return int(self.offsets[-1])

    @property
    def lengths(self) -> LongArray:
        """int64 array, shape (sentences,): how many words each sentence has."""
        return np.diff(self.offsets)

    def words(self, sentence: int) -> list[str]:
        """Return the forms of a sentence."""
        begin, end = self.offsets[sentence : sentence + 2]
        return [self.symbols[word] for word in self.columns["form"][begin:end].tolist()]

    def text(self, sentence: int) -> str:
        """Return a sentence as text: its variable ``text``, or its forms and ``SpaceAfter=No``."""
        if (known := self.variables.get("text")) and known[sentence] is not None:
            return str(known[sentence])
        begin, end = self.offsets[sentence : sentence + 2]
        glued = self._glued[self.columns["misc"][begin:end]].tolist()
        pairs = zip(self.words(sentence), glued, strict=True)
        return "".join(form if no_space else f"{form} " for form, no_space in pairs).rstrip()

    def take(self, indices: Sequence[int] | LongArray | BoolArray) -> DependencyTreebank:
        """Return the treebank of the chosen sentences, in the order asked for."""
        chosen = np.arange(len(self))[np.asarray(indices, None if len(indices) else np.int64)]
        lengths = self.lengths[chosen]
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        moved = np.repeat(self.offsets[chosen] - offsets[:-1], lengths)
        index = np.arange(offsets[-1]) + moved
        heads = self.heads[index]
        return DependencyTreebank(
            {name: column[index] for name, column in self.columns.items()},
            np.where(heads < 0, ABSENT, heads - moved).astype(np.int32),
            offsets,
            self.symbols,
            {n: [values[i] for i in chosen.tolist()] for n, values in self.variables.items()},
        )

    def feature(self, name: str) -> IntArray:
        """Return the values of a field or feature of all words, as numbers of symbols.

        Parameters
        ----------
        name : str
            A field such as ``lemma``, or a feature of FEATS or else of MISC. ``Number__psor`` is
            the feature that CoNLL-U writes ``Number[psor]``.

        Returns
        -------
        int32 array, shape (words,)
            -1 where a word has no such feature.
        """
        if name in self.columns and name not in LISTS:
            return self.columns[name]
        wanted, found = feature_name(name), np.full(self.word_count, ABSENT, np.int32)
        for column in LISTS:
            # the last place is that of words without a list
            of_lists = np.full(len(self.symbols) + 1, ABSENT, np.int32)
            with _NUMBERING:
                for number, values in self._parsed[column].items():
                    if wanted in values:
                        of_lists[number] = self.symbols.add(values[wanted])
            found = np.where(found < 0, of_lists[self.columns[column]], found)
        return found

    def has(self, name: str) -> bool:
        """Say whether there is a field of this name, or a word has such a feature."""
        if name in self.columns and name not in LISTS:
            return True
        wanted = feature_name(name)
        return any(wanted in values for lists in self._parsed.values() for values in lists.values())

    @cached_property
    def features(self) -> tuple[str, ...]:
        """The names of all features of FEATS, sorted."""
        return tuple(
            sorted({name for values in self._parsed["features"].values() for name in values})
        )

    def search(self, request: str, *, steps: int | None = None) -> Any:
        """Find where a request of Grew holds.

        Parameters
        ----------
        request : str
            Such as ``pattern { V -[obj]-> N } without { V -[nsubj]-> S }``;
            docs/how-to/search-dependencies.md has the language.
        steps : int, optional
            Words that may be tried; rows that are kept weigh ten times as much. Else only what
            memory cannot hold is refused.

        Returns
        -------
        DependencyHits
            See :class:`grammar.DependencyHits`.

        Raises
        ------
        PatternError
            If the request does not follow the notation, or asks for too much.
        """
        # named and not imported: hits know treebanks
        found: Any = importlib.import_module("grammar.dependencies.searching")
        return found.search(self, request, steps=steps)

    @cached_property
    def _parsed(self) -> Mapping[str, Mapping[int, Mapping[str, str]]]:
        """Of FEATS and MISC, each distinct value with the features in it."""
        return {name: self._features_in(name) for name in LISTS}

    def _features_in(self, column: str) -> dict[int, dict[str, str]]:
        numbers = np.unique(self.columns[column]).tolist()
        return {
            number: dict(
                part.split("=", 1) for part in self.symbols[number].split("|") if "=" in part
            )
            for number in numbers
            if number >= 0
        }

    @cached_property
    def _glued(self) -> BoolArray:
        glued = np.zeros(len(self.symbols) + 1, np.bool_)
        for number in np.unique(self.columns["misc"]).tolist():
            glued[number] = number >= 0 and _NO_SPACE in self.symbols[number].split("|")
        return glued


def feature_name(written: str) -> str:
    """Return the name of a feature as CoNLL-U writes it.

    >>> feature_name("Number__psor"), feature_name("Number")
    ('Number[psor]', 'Number')
    """
    name, layered, layer = written.partition("__")
    return f"{name}[{layer}]" if layered and layer else written


def encoded(values: Sequence[str], symbols: SymbolTable, *, is_form: bool = False) -> IntArray:
    """Return values as numbers of symbols; ``_`` is none, but for a form.

    >>> encoded(["a", "_", "a"], SymbolTable(["b"])).tolist()
    [1, -1, 1]
    """
    distinct = pa.array(values, pa.string()).dictionary_encode()
    names = distinct.dictionary.to_pylist()
    numbers = [ABSENT if n == _EMPTY and not is_form else symbols.add(n) for n in names]
    return np.array(numbers, np.int32)[distinct.indices.to_numpy()]


def absolute_heads(heads: LongArray, offsets: LongArray) -> IntArray:
    """Return heads among all words of heads in sentences, which are counted from 1; 0 is a root.

    Raises
    ------
    CorpusError
        If a head is no word of its sentence.
    """
    lengths = np.diff(offsets)
    beyond = np.flatnonzero((heads < 0) | (heads > np.repeat(lengths, lengths)))
    if len(beyond):
        sentence = int(np.searchsorted(offsets, beyond[0], side="right")) - 1
        raise CorpusError(
            f"the head {heads[beyond[0]]} is no word of the sentence, which has "
            f"{lengths[sentence]}",
            where=f"sentence {sentence}",
            hint="give the number of a word, from 1, or 0 for the root",
        )
    starts = np.repeat(offsets[:-1], lengths)
    return np.where(heads == 0, ABSENT, starts + heads - 1).astype(np.int32)

"""The score of agreement: whether a classifier that has not seen an example's parents confirms it.

The source is dealt into folds. An example is judged by a classifier trained on the folds that none
of its parents is in: TF-IDF of words and pairs of words, and a logistic regression.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from grammar.arrays import FloatArray, IntArray, LongArray
from grammar.errors import CorpusError, MissingDataError, SchemaError, to_install
from grammar.rng import stream_key, uniforms
from grammar.saving.facts import Fields
from induction.corpus.corpus import Corpus
from sampling.examples.labels import read_labels

__all__ = ["Agreement"]

_PAIR = " ␞ "


@dataclass(frozen=True, eq=False)
class Agreement:
    """Keeps examples whose label is the one that a classifier gives them.

    Of a label that is a distribution, its largest class counts.

    Attributes
    ----------
    ids, texts : tuple of str
        The source.
    labels : int32[n]
        Its classes.
    fold : int32[n]
        Which fold each example is in.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    labels: IntArray
    fold: IntArray
    _trained: dict[frozenset[int], Any] = field(default_factory=dict)

    facts: ClassVar = Fields({})
    columns: ClassVar = {
        "source id": "text", "source text": "text", "source label": "int32", "source fold": "int32",
    }  # fmt: skip

    @classmethod
    def learn(cls, corpus: Corpus, folds: int) -> Agreement:
        """Deal a corpus into folds, every class evenly.

        Raises
        ------
        CorpusError
            If it has no labels, or all are of one class.
        """
        labels = _classes(corpus)
        if len(np.unique(labels)) < 2:
            raise CorpusError(
                "all examples are of one class, so there is nothing to confirm",
                hint="give examples of two classes or more",
            )
        drawn = uniforms(stream_key(0, "folds"), 0, len(labels))
        order = np.lexsort((drawn, labels))
        fold = np.empty(len(labels), np.int32)
        fold[order] = np.arange(len(labels)) % folds
        return cls(tuple(corpus.column("id")), tuple(_texts(corpus)), labels, fold)

    def of(self, made: Corpus) -> FloatArray:
        """Return 0 for examples whose label is confirmed, and minus infinity for all others.

        One whose parents are in all folds, or leave but one class, is not confirmed.
        """
        found = np.full(len(made), -np.inf)
        rows = {name: row for row, name in enumerate(self.ids)}
        parents: Any = made.table.column("provenance").combine_chunks().field("parents")
        groups: dict[frozenset[int], list[int]] = {}
        for row, names in enumerate(parents.to_pylist()):
            folds = frozenset(int(self.fold[rows[name]]) for name in names if name in rows)
            groups.setdefault(folds, []).append(row)
        labels, texts = _classes(made), _texts(made)
        for folds, members in groups.items():
            told = self._told(folds, [texts[row] for row in members])
            found[np.array(members)[told == labels[members]]] = 0.0
        return found

    def _told(self, folds: frozenset[int], texts: Sequence[str]) -> LongArray:
        """Return the class of each text, by a classifier that has not seen these folds."""
        if folds not in self._trained:
            self._trained[folds] = self._train(folds)
        if self._trained[folds] is None:
            return np.full(len(texts), -1)
        words, model = self._trained[folds]
        return np.asarray(model.predict(words.transform(texts)), np.int64)

    def _train(self, folds: Iterable[int]) -> Any:
        try:
            from sklearn.feature_extraction.text import TfidfVectorizer
            from sklearn.linear_model import LogisticRegression
        except ImportError:
            raise MissingDataError(
                "scikit-learn is not installed", hint=to_install("quality")
            ) from None
        from threadpoolctl import threadpool_limits

        rows = np.flatnonzero(~np.isin(self.fold, list(folds)))
        if len(np.unique(self.labels[rows])) < 2:
            return None
        if not any(self.texts[row].strip() for row in rows.tolist()):
            return None  # there are no words to tell classes by
        words = TfidfVectorizer(token_pattern=r"\S+", ngram_range=(1, 2), sublinear_tf=True)
        features = words.fit_transform([self.texts[row] for row in rows.tolist()])
        with threadpool_limits(1):  # sums over more threads differ in their last digits
            model = LogisticRegression(C=10.0, max_iter=2000).fit(features, self.labels[rows])
        return words, model

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return facts and columns of a file."""
        columns = {"source id": self.ids, "source text": self.texts}
        return {}, {**columns, "source label": self.labels, "source fold": self.fold}

    @classmethod
    def from_arrays(cls, facts: dict[str, Any], columns: dict[str, Any]) -> Agreement:
        """Read a score off what :meth:`to_arrays` returned (SchemaError if it is damaged)."""
        parts = [columns[f"source {name}"] for name in ("id", "text", "label", "fold")]
        if len({len(part) for part in parts}) != 1:
            raise SchemaError("the columns of the source are not equally long")
        return cls(tuple(parts[0]), tuple(parts[1]), parts[2], parts[3])


def _classes(corpus: Corpus) -> IntArray:
    column = corpus.arrow("label").combine_chunks()
    if pa.types.is_integer(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False), np.int32)
    labels = read_labels(corpus)
    values = np.asarray(column.flatten().to_numpy(zero_copy_only=False), np.float64)
    return values.reshape(len(corpus), labels.classes).argmax(axis=1).astype(np.int32)


def _texts(corpus: Corpus) -> list[str]:
    texts: list[str] = corpus.column("text")
    if "text_pair" not in corpus.names:
        return texts
    return [_PAIR.join(row) for row in zip(texts, corpus.column("text_pair"), strict=True)]

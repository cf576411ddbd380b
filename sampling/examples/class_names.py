"""Classes by name: methods number the classes, and people name them.

The pipeline and the quality report number the classes of a corpus whose labels are names, in the
order of the names, and give hard labels their names back. Distributions are over the classes in
that order.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from induction.corpus.corpus import Corpus

__all__ = ["class_names", "named", "number_classes"]


def class_names(*corpora: Corpus) -> tuple[str, ...]:
    """Return the names of the classes of all corpora, sorted; none where labels are no names.

    >>> class_names(Corpus.from_columns(text=["a", "b", "c"], label=["pos", "neg", "pos"]))
    ('neg', 'pos')
    """
    found: set[str] = set()
    for corpus in corpora:
        if "label" in corpus.names and _holds_names(corpus.arrow("label").type):
            found.update(name for name in pc.unique(corpus.arrow("label")).to_pylist() if name)
    return tuple(sorted(found))


def number_classes(corpus: Corpus, names: tuple[str, ...] | None = None) -> Corpus:
    """Return a corpus whose classes are numbers instead of names; others are returned as they are.

    Parameters
    ----------
    corpus : Corpus
        The examples. A label that is missing, or an empty name, stays missing.
    names : tuple of str, optional
        The name of each class; by default those of the corpus, sorted.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["a", "b", "c"], label=["pos", "neg", "pos"])
    >>> number_classes(corpus).column("label")
    [1, 0, 1]
    """
    if "label" not in corpus.names or not _holds_names(corpus.arrow("label").type):
        return corpus
    known = pa.array(class_names(corpus) if names is None else names, pa.string())
    labels = corpus.arrow("label").combine_chunks().cast(pa.string())
    return corpus.with_column("label", pc.index_in(labels, value_set=known).cast(pa.int64()))


def named(classes: Any, names: tuple[str, ...]) -> Any:
    """Return the names of classes that are given by number.

    >>> named(pa.array([1, 0]), ("neg", "pos")).to_pylist()
    ['pos', 'neg']
    """
    return pa.array(names, pa.string()).take(classes)


def _holds_names(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))

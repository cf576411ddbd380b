"""Label algebra: what the label of a new example is, and whether the labels of a corpus are valid.

A label is *hard* (the number of a class), *soft* (a distribution over classes), or a *set* of
classes by name (multi-label), which is no distribution and is never mixed. Where two examples are
mixed, the new label is the mean of theirs, weighted by the words each gave. Tags are one a word;
heads are numbered as in CoNLL-U (from 1, 0 for the root) and form a tree; the words of a bracketing
are the tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from grammar.arrays import BoolArray, LongArray
from grammar.errors import CorpusError
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import OF_WORDS, Corpus, first_with_null, null_in_list
from induction.corpus.text.tokens import penn_word
from induction.corpus.validity import (
    HEADS_FAULTS,
    blank_texts,
    first_broken_heads,
    is_list,
    nan_fault,
    sets_fault,
    soft_fault,
    spans_fault,
)

__all__ = [
    "MOST_MIXED",
    "Labels",
    "check_corpus",
    "check_spans",
    "class_numbers",
    "deal_sets",
    "first_broken_heads",
    "has_classes",
    "has_sets",
    "is_soft",
    "mix_labels",
    "read_labels",
    "refuse_lone_classes",
    "refuse_sets",
    "share_of_source",
    "soften",
]

MOST_MIXED = 10_000
"""Mixed labels are over so many classes at most; one number in a file must not take all memory."""

_DROP = "drop it; --on-error skip (in Python on_error='skip') leaves such rows out"


@dataclass(frozen=True)
class Labels:
    """The labels of a corpus.

    Attributes
    ----------
    hard : int64[examples]
        The class of every example; empty if labels are soft or sets.
    soft : float64[examples, classes] or None
        The distribution of every example.
    classes : int
        How many classes there are.
    sets : tuple of tuple of str, or None
        The names of the classes of every example, in their order, where it may be of several.
    """

    hard: LongArray
    soft: NDArray[np.float64] | None
    classes: int
    sets: tuple[tuple[str, ...], ...] | None = None

    def __len__(self) -> int:
        if self.sets is not None:
            return len(self.sets)
        return len(self.hard) if self.soft is None else len(self.soft)

    def distributions(self, rows: Any) -> NDArray[np.float64]:
        """Return the labels of the chosen examples as distributions, one a row.

        Raises
        ------
        CorpusError
            If they are over more classes than :data:`MOST_MIXED`, or are sets of classes.
        """
        if self.sets is not None:
            raise _not_mixed()
        if self.soft is not None:
            return np.asarray(self.soft[rows])
        if self.classes > MOST_MIXED:
            raise CorpusError(
                f"the classes go up to {self.classes - 1}, and distributions are over at most "
                f"{MOST_MIXED:,}",
                hint="number the classes from 0 without gaps, or use a method that keeps labels",
            )
        hard = self.hard[rows]
        made = np.zeros((len(hard), self.classes))
        made[np.arange(len(hard)), hard] = 1
        return made

    def members(self, names: Sequence[str]) -> BoolArray:
        """Return which of some classes each set holds, of shape (examples, names)."""
        number = {name: place for place, name in enumerate(names)}
        made = np.zeros((len(self), len(names)), np.bool_)
        for row, own in zip(made, self.sets or (), strict=True):
            row[[number[name] for name in own]] = True
        return made

    def keys(self) -> LongArray:
        """Return one number an example: its class, or that of its distribution or set."""
        if self.sets is not None:
            numbers = {names: k for k, names in enumerate(sorted(set(self.sets)))}
            return np.array([numbers[names] for names in self.sets], np.int64)
        if self.soft is None:
            return self.hard
        return np.asarray(np.unique(self.soft, axis=0, return_inverse=True)[1].ravel(), np.int64)


def read_labels(corpus: Corpus, *, classes: int | None = None) -> Labels:
    """Read and check the column ``label``.

    Parameters
    ----------
    corpus : Corpus
        With a ``label`` an example: whole numbers from 0, lists of floats of one length, or lists
        of names of classes.
    classes : int, optional
        How many classes there are; by default one more than the largest label.

    Raises
    ------
    CorpusError
        If a label is missing, negative, not a number or of the wrong type, if distributions differ
        in length, or one has a negative part or does not sum to 1.

    Examples
    --------
    >>> read_labels(Corpus.from_columns(text=["a", "b"], label=[1, 0])).distributions([0, 1])
    array([[0., 1.],
           [1., 0.]])
    """
    column = corpus.arrow("label").combine_chunks()
    if column.null_count:
        raise _fault(corpus, column.is_null(), "the label is missing", f"fill it in, or {_DROP}")
    if pa.types.is_integer(column.type):
        hard = column.to_numpy(zero_copy_only=False).astype(np.int64)
        _refuse(corpus, hard < 0, "the label is negative", "number the classes from 0")
        seen = int(hard.max(initial=-1)) + 1
        _refuse(corpus, hard >= (classes or seen), f"the label is not below {classes}", "raise it")
        return Labels(hard, None, classes or seen)
    if has_sets(corpus):
        if fault := sets_fault(column):
            raise CorpusError(fault.what, where=corpus.where(fault.row), hint=fault.hint)
        sets = tuple(tuple(sorted(names)) for names in column.to_pylist())
        return Labels(np.zeros(0, np.int64), None, len({*chain(*sets)}), sets)
    fault = nan_fault(column) if pa.types.is_floating(column.type) else None
    if fault is None and not is_soft(column.type):
        raise CorpusError(
            f"the column 'label' holds {column.type}, not classes",
            hint="number the classes from 0 (integers; number_classes of sampling.class_names does "
            "it), or give a list of floats each",
        )
    fault = fault or soft_fault(column)
    if fault is not None:
        raise CorpusError(fault.what, where=corpus.where(fault.row), hint=fault.hint)
    flat = column.flatten().to_numpy(zero_copy_only=False).astype(np.float64)
    width = len(flat) // max(len(column), 1)
    return Labels(np.zeros(0, np.int64), flat.reshape(len(column), width), width)


def has_classes(corpus: Corpus) -> bool:
    """Say whether examples are of classes, or of sets of them, and not of distributions.

    >>> has_classes(Corpus.from_columns(text=["a"], label=[["x", "y"]]))
    True
    """
    return "label" in corpus.names and not is_soft(corpus.arrow("label").type)


def has_sets(corpus: Corpus) -> bool:
    """Say whether the labels of examples are sets of classes (multi-label)."""
    if "label" not in corpus.names:
        return False
    kind = corpus.arrow("label").type
    return is_list(kind) and bool(pa.types.is_string(kind.value_type))


def refuse_sets(corpus: Corpus) -> None:
    """Refuse labels that are sets of classes, for a method that mixes labels (CorpusError)."""
    if has_sets(corpus):
        raise _not_mixed()


def _not_mixed() -> CorpusError:
    return CorpusError(
        "the labels are sets of classes (multi-label), which are no distributions and cannot be "
        "mixed",
        hint="use a method that keeps the label of its text, such as eda, shuffle or "
        "sub2(text_label=true), or give each text one class",
    )


def refuse_lone_classes(keys: LongArray, names: Sequence[str] = ()) -> None:
    """Refuse a class with one example, for which no other of the class can give anything.

    ``names`` are those of classes, where they have been numbered.

    Raises
    ------
    CorpusError
        Naming the first such class.
    """
    classes, counts = np.unique(keys, return_counts=True)
    if (counts == 1).any():
        number = int(classes[counts == 1][0])
        name = repr(names[number]) if 0 <= number < len(names) else number
        raise CorpusError(
            f"the class {name} has one example, so none to exchange spans with",
            hint="add examples of it, drop it, or do not ask for the same class",
        )


def class_numbers(features: Sequence[NDArray[Any]], size: int) -> LongArray:
    """Number the classes of things that agree in every feature (arrays of whole numbers).

    >>> class_numbers([np.array([3, 3, 5]), np.array([1, 0, 1])], 3).tolist()
    [1, 0, 2]
    """
    number = np.zeros(size, np.int64)
    for values in features:
        distinct, code = np.unique(values, return_inverse=True)
        number = number * len(distinct) + code.ravel()
        number = np.unique(number, return_inverse=True)[1].ravel().astype(np.int64)
    return number


def deal_sets(members: BoolArray, shares: Sequence[float], key: int) -> LongArray:
    """Return a part for each example: each set of classes, then each class, is spread by shares.

    Examples go one by one, those of rare classes first, to the part that lacks most of their set;
    of several alike to the one that lacks most of their rarest class, or of all examples.

    Parameters
    ----------
    members : bool array, shape (examples, classes)
        Which classes each is of.
    shares : sequence of float
        The share of each part; together 1.
    key : int
        Of the random order.

    References
    ----------
    Sechidis et al. 2011, On the stratification of multi-label data (iterative stratification).

    Examples
    --------
    >>> members = np.array([[1, 0], [1, 1], [0, 0]] * 2, np.bool_)
    >>> parts = deal_sets(members, [0.5, 0.5], 1)
    >>> [members[parts == part].sum(0).tolist() for part in (0, 1)]
    [[2, 1], [2, 1]]
    """
    sets, own = np.unique(members, axis=0, return_inverse=True)
    own, sizes = own.ravel(), members.sum(0)
    rarest = np.where(members, sizes, len(members) + 1).argmin(1)
    rarity = np.where(members.any(1), sizes[rarest], len(members) + 1)
    order = np.random.Generator(np.random.Philox(key=key)).permutation(len(members))
    of_set = np.bincount(own, minlength=len(sets))[:, None] * np.array(shares)
    of_class, of_all = sizes[:, None] * np.array(shares), len(members) * np.array(shares)
    made = np.zeros(len(members), np.int64)
    for row in order[np.lexsort((own[order], rarity[order]))].tolist():
        lacks = (of_all, of_class[rarest[row]], of_set[own[row]])
        # rounded, so that the last bits decide nothing; of several alike the first
        made[row] = part = np.lexsort([-lack.round(6) for lack in lacks])[0]
        for lack in (of_all, of_set[own[row]]):
            lack[part] -= 1
        of_class[members[row], part] -= 1
    return made


def share_of_source(kept: LongArray, filled: LongArray) -> NDArray[np.float64]:
    """Return the weight of the host's label: the words it keeps among all words of the result.

    Both arrays are words of one example, or their sums over the sentences of a pair.

    References
    ----------
    Zhang et al. 2022 (TreeMix), equations 2 and 3.

    Examples
    --------
    >>> share_of_source(np.array([10 - 3]), np.array([5])).tolist() == [7 / 12]
    True
    """
    return np.asarray(kept / (kept + filled))


def mix_labels(labels: Labels, host: Any, donor: Any, share: NDArray[np.float64]) -> pa.ListArray:
    """Return ``share`` of the hosts' labels plus the rest of the donors', as list<float32>.

    >>> import numpy as np
    >>> from induction import Corpus
    >>> from sampling import read_labels
    >>> labels = read_labels(Corpus.from_columns(text=["a", "b"], label=[0, 1]))
    >>> mix_labels(labels, [0], [1], np.array([0.75])).to_pylist()
    [[0.75, 0.25]]
    """
    weight = share[:, None]
    mixed = weight * labels.distributions(host) + (1 - weight) * labels.distributions(donor)
    return _as_lists(mixed)


def soften(labels: Labels) -> pa.ListArray:
    """Return the labels as distributions, as list<float32>."""
    return _as_lists(labels.distributions(np.arange(len(labels))))


def check_corpus(corpus: Corpus, *, empty_texts: bool = False) -> None:
    """Check that texts are there and that all labels of a corpus are valid.

    Every sampler checks what it is given and what it makes with this one function.

    Raises
    ------
    CorpusError
        At the first text that is missing or (unless allowed) empty, invalid ``label``, tags,
        heads or deprels that are not one a token, heads that form no tree, spans that are not in
        their text or overlap, or a tree of other words than the tokens.

    Examples
    --------
    >>> from induction import Corpus
    >>> check_corpus(Corpus.from_columns(text=["we ran"], label=[[0.5, 0.2]]))
    Traceback (most recent call last):
    ...
    grammar.errors.CorpusError: ...
    """
    for name in ("text", "text_pair"):
        if name in corpus.names:
            _check_texts(corpus, name, empty_texts)
    if "label" in corpus.names:
        read_labels(corpus)
    for name in ("tree", "target", *OF_WORDS):
        if name in corpus.names and corpus.arrow(name).null_count:
            missing = corpus.arrow(name).combine_chunks().is_null()
            raise _fault(corpus, missing, f"the value of {name!r} is missing", "fill it in")
    _check_aligned(corpus)
    check_spans(corpus)
    if "heads" in corpus.names:
        _check_heads(corpus)
    if "tree" in corpus.names and "tokens" in corpus.names:
        _check_leaves(corpus)


def check_spans(corpus: Corpus) -> None:
    """Refuse labelled spans that are not spans of their texts.

    Raises
    ------
    CorpusError
        As :func:`induction.corpus.validity.spans_fault` says.
    """
    if "spans" not in corpus.names:
        return
    texts, spans = (corpus.arrow(name).combine_chunks() for name in ("text", "spans"))
    if fault := spans_fault(texts, spans):
        raise CorpusError(fault.what, where=corpus.where(fault.row), hint=fault.hint)


def _check_texts(corpus: Corpus, name: str, empty: bool) -> None:
    column = corpus.arrow(name).combine_chunks()
    if not pa.types.is_string(column.type):
        raise CorpusError(
            f"the column {name!r} holds {column.type}, not text", hint="convert its values first"
        )
    if column.null_count:
        raise _fault(corpus, column.is_null(), f"the {name} is missing", f"fill it in, or {_DROP}")
    if not empty and len(blank := blank_texts(column)):
        where = corpus.where(int(blank[0]))
        raise CorpusError(f"the {name} is empty", where=where, hint=_DROP)


def _check_aligned(corpus: Corpus) -> None:
    present = [name for name in OF_WORDS if name in corpus.names]
    for name in present:
        column = corpus.arrow(name)
        if (row := first_with_null(column)) is not None:
            fault = null_in_list(name, column[row].as_py())
            raise CorpusError(fault.what, where=corpus.where(row), hint=fault.hint)
    if len(present) < 2:
        return
    first = _lengths(corpus, present[0])
    for name in present[1:]:
        wrong = _lengths(corpus, name) != first
        _refuse(corpus, wrong, f"{name!r} and {present[0]!r} differ in length", "give one a token")


def _check_heads(corpus: Corpus) -> None:
    column = corpus.arrow("heads").combine_chunks()
    heads = column.flatten().to_numpy(zero_copy_only=False).astype(np.int32)
    offsets = np.concatenate(([0], np.cumsum(_lengths(corpus, "heads"))))
    example, fault = first_broken_heads(offsets, heads)
    if fault:
        raise CorpusError(
            f"the heads form no tree: {HEADS_FAULTS[int(fault)]}",
            where=corpus.where(int(example)),
            hint="number words from 1, and give the root the head 0",
        )


def _check_leaves(corpus: Corpus) -> None:
    treebank = Treebank.parse("\n".join(corpus.column("tree")))
    if len(treebank) != len(corpus):
        raise CorpusError("the column 'tree' does not hold one bracketing each")
    words = pa.array(list(treebank.symbols), pa.string()).take(
        pa.array(treebank.label[treebank.is_word])
    )
    lengths = _lengths(corpus, "tokens")
    tokens = corpus.arrow("tokens").combine_chunks().flatten()
    wrong = treebank.lengths != lengths
    if not wrong.any() and not words.equals(tokens):
        forms = tokens.dictionary_encode()
        spelt = pa.array(map(penn_word, forms.dictionary.to_pylist()), pa.string())
        same = pc.or_(pc.equal(words, tokens), pc.equal(words, spelt.take(forms.indices)))
        owner = np.repeat(np.arange(len(lengths)), lengths)
        wrong[owner[~same.to_numpy(zero_copy_only=False)]] = True
    hint = "leave 'tokens' out to use the words of the tree"
    _refuse(corpus, wrong, "the words of the tree are not the tokens", hint)


def _as_lists(rows: NDArray[np.float64]) -> pa.ListArray:
    offsets = np.arange(0, rows.size + 1, max(rows.shape[1], 1), dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(rows.ravel().astype(np.float32)))


def _lengths(corpus: Corpus, name: str) -> LongArray:
    lengths = pc.list_value_length(corpus.arrow(name).combine_chunks())
    return np.asarray(lengths.to_numpy(zero_copy_only=False), np.int64)


def is_soft(kind: pa.DataType) -> bool:
    """Say whether labels of this type are distributions over classes; sets of classes are not."""
    return is_list(kind) and bool(pa.types.is_floating(kind.value_type))


def _refuse(corpus: Corpus, wrong: Any, what: str, hint: str) -> None:
    if np.count_nonzero(wrong):
        raise _fault(corpus, wrong, what, hint)


def _fault(corpus: Corpus, wrong: Any, what: str, hint: str) -> CorpusError:
    first = int(np.flatnonzero(np.asarray(wrong))[0])
    return CorpusError(what, where=corpus.where(first), hint=hint)

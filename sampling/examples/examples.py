"""The examples of a corpus as methods read them: checked, with the places of their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.errors import CorpusError, NothingNewError, OptionError
from induction.corpus.corpus import COLUMNS, Corpus
from induction.corpus.text.unspaced import refuse_unspaced
from sampling.examples.labels import check_corpus
from sampling.examples.text_columns import Side, read_side

__all__ = [
    "Examples",
    "checked",
    "no_material",
    "read_examples",
    "refuse_pairs",
    "saved_examples",
]

_AGAIN = "save the grammar again"


@dataclass(frozen=True, eq=False)
class Examples:
    """The checked examples of a corpus and their sides.

    Attributes
    ----------
    corpus : Corpus
        The columns that a method may use: those that are agreed on, labels, and what is protected.
    sides : tuple of Side
        The words of its texts.
    """

    corpus: Corpus
    sides: tuple[Side, ...]


def read_examples(
    corpus: Corpus,
    names: Sequence[str] = ("text", "text_pair"),
    *,
    tokenised: bool = False,
    empty_texts: bool = False,
    ascii_spaces: bool = False,
    cores: bool = False,
    unspaced: bool = False,
) -> Examples:
    """Check a corpus and find the words of its texts.

    Parameters
    ----------
    corpus : Corpus
        Any.
    names : sequence of str
        The columns that become sides, as far as the corpus has them.
    tokenised : bool
        Make the texts again: the words with single spaces between them.
    empty_texts : bool
        Texts may have no words.
    ascii_spaces, cores : bool
        See :func:`~sampling.examples.text_columns.read_side`.
    unspaced : bool
        Texts may be written without spaces between words, as whoever reads them goes by no words.

    Raises
    ------
    CorpusError
        If it is empty or lacks the first column, most texts have no spaces between words and
        nothing says what the words are, or a text or label is not valid
        (:func:`sampling.examples.labels.check_corpus`).
    OptionError
        If texts are made again although a column says where they are protected.

    Examples
    --------
    >>> examples = read_examples(Corpus.from_columns(text=["We slept ."], stars=[5]))
    >>> examples.sides[0].lengths.tolist(), examples.corpus.names
    ([3], ('id', 'text'))
    """
    corpus = checked(corpus, names[0], empty_texts=empty_texts)
    if not unspaced:
        refuse_unspaced(corpus)
    for name in ("protected", "spans"):
        if tokenised and name in corpus.names:
            raise OptionError(
                f"tokenised=True makes texts in which the places of {name!r} are others",
                hint="leave one of them out, or protect by a regular expression",
            )
    sides = tuple(
        read_side(corpus, name, tokenised=tokenised, ascii_spaces=ascii_spaces, cores=cores)
        for name in names
        if name in corpus.names
    )
    if tokenised:
        for side in sides:
            buffers = [None, pa.py_buffer(side.text_offsets), pa.py_buffer(side.text)]
            made = pa.Array.from_buffers(pa.large_string(), len(side), buffers)
            corpus = corpus.with_column(side.name, made)
    _check_lengths(corpus, sides[0])
    kept = {*COLUMNS, "label", "protected"} - {"provenance"}
    table = corpus.table.select([name for name in corpus.names if name in kept])
    return Examples(replace(corpus, table=table.combine_chunks()), sides)


def saved_examples(rows: pa.StructArray) -> Corpus:
    """Return the examples that a saved grammar holds, with columns of the agreed types.

    What is said of them by each other :func:`read_examples` sees, as where they are induced from.

    Raises
    ------
    CorpusError
        If a column is there twice, is of another type, or lacks a value.

    Examples
    --------
    >>> rows = pa.array([{"id": "1", "text": "a", "tags": [None]}])
    >>> saved_examples(rows)
    Traceback (most recent call last):
    ...
    grammar.errors.CorpusError: a value of the column 'tags' is missing
      hint: save the grammar again
    """
    table = pa.Table.from_struct_array(rows)
    names = table.column_names
    if len(set(names)) < len(names):
        raise CorpusError("a column of the examples is there twice", hint=_AGAIN)
    for name in {*names} & {*COLUMNS}:
        column = table.column(name).combine_chunks()
        lists = pa.types.is_list(column.type) or pa.types.is_large_list(column.type)
        inner = column.flatten() if lists else column
        if column.null_count or inner.null_count:
            raise CorpusError(f"a value of the column {name!r} is missing", hint=_AGAIN)
    corpus = Corpus.from_columns(**{name: table.column(name) for name in names})
    corpus.arrow("id")
    return corpus


def checked(corpus: Corpus, first: str = "text", *, empty_texts: bool = False) -> Corpus:
    """Return a corpus with ids, having seen what can be seen before its words are found.

    Raises as :func:`read_examples` says.

    >>> checked(Corpus.from_columns(text=["We slept ."])).column("id")
    ['0']
    """
    if not len(corpus):
        raise CorpusError("the corpus is empty", hint="give at least two examples")
    corpus.arrow(first)
    if "id" not in corpus.names:
        corpus = corpus.with_column("id", [str(i) for i in range(len(corpus))])
    check_corpus(corpus, empty_texts=empty_texts)
    return corpus


def _check_lengths(corpus: Corpus, side: Side) -> None:
    for name in ("tags", "heads", "deprels"):
        if name not in corpus.names:
            continue
        lengths = pc.list_value_length(corpus.arrow(name).combine_chunks())
        wrong = np.flatnonzero(lengths.to_numpy(zero_copy_only=False) != side.lengths)
        if len(wrong):
            i = int(wrong[0])
            raise CorpusError(
                f"there are {lengths[i].as_py()} {name} for {side.lengths[i]} words",
                where=corpus.where(i),
                hint=f"give one of {name!r} a word, or the words in a column 'tokens'",
            )


def refuse_pairs(corpus: Corpus, method: str) -> None:
    """Refuse pairs of texts, for which a method is not defined (CorpusError)."""
    if "text_pair" in corpus.names:
        raise CorpusError(
            f"{method} is defined for single texts, not for pairs",
            hint="use treemix, or drop the column 'text_pair'",
        )


def no_material(story: Sequence[tuple[str, int]]) -> NothingNewError:
    """Return the error of a corpus with nothing to exchange; it says what emptied the pool."""
    steps = "; ".join(f"{count:,} {what}" for what, count in story)
    return NothingNewError.because(steps, "loosen the requirement that leaves 0")

"""The examples of a corpus as columns: bytes, the places of words, and sequences of tokens.

Read without a Python object a word, so that a million sentences fit into little memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from grammar.arrays import BoolArray, Bytes, IntArray, LongArray
from grammar.errors import CorpusError, OptionError
from induction.corpus.corpus import Corpus
from induction.corpus.text.unspaced import refuse_unspaced
from sampling.examples.examples import read_examples
from sampling.examples.labels import read_labels
from sampling.examples.patterns import HOLE
from sampling.examples.protection import protected_words
from sampling.examples.text_columns import Side
from sampling.geca.options import FragmentOptions
from sampling.geca.rows import Rows, equal_rows, sized
from sampling.geca.template_kernels import SEPARATOR

__all__ = ["Sequences", "SideWords", "TokenExamples", "read_tokens", "side_words"]

_COLUMNS = ("id", "text", "target", "label", "protected")


class SideWords(NamedTuple):
    """One side of all examples: bytes, where each begins, and where its words stand.

    Example i has the words ``offsets[i]`` to ``offsets[i + 1] - 1``; ``token[i]`` is the place of
    the first among the tokens of both sides.
    """

    text: Bytes
    text_offsets: LongArray
    offsets: LongArray
    start: LongArray
    end: LongArray
    token: LongArray

    def tokens(self) -> LongArray:
        """Return the place of every word among the tokens of both sides."""
        within = np.repeat(self.token - self.offsets[:-1], np.diff(self.offsets))
        return np.asarray(within + np.arange(len(self.start)))


@dataclass(frozen=True)
class Sequences:
    """Token sequences: sequence i is ``tokens[offsets[i]:offsets[i + 1]]``.

    ``source_end[i]`` is where its source side ends: the separator of a pair, or its end.
    ``fixed`` says which tokens no n-gram may contain, if there are any.
    """

    tokens: IntArray
    offsets: LongArray
    source_end: LongArray
    fixed: BoolArray | None = None

    def sides(self) -> tuple[tuple[LongArray, LongArray], tuple[LongArray, LongArray]]:
        """Return where texts start and end, and where targets do."""
        end = self.offsets[1:]
        return (self.offsets[:-1], self.source_end), (np.minimum(self.source_end + 1, end), end)


@dataclass(frozen=True, eq=False)
class TokenExamples:
    """The distinct examples of a corpus.

    Attributes
    ----------
    corpus : Corpus
        Their ids and, if they have any, their labels.
    sides : tuple of SideWords
        Text and, for pairs, target.
    sequences : Sequences
        Their words as tokens, the two sides of a pair parted by one.
    names : list of str
        The word of each token; that of the separator is empty.
    """

    corpus: Corpus
    sides: tuple[SideWords, ...]
    sequences: Sequences
    names: list[str]

    @property
    def pairs(self) -> bool:
        """Whether there are targets."""
        return len(self.sides) > 1


def read_tokens(
    corpus: Corpus, options: FragmentOptions, *, separator: str | None = None
) -> TokenExamples:
    """Read the examples of a corpus; of those that are equal word by word the first.

    Parameters
    ----------
    corpus : Corpus
        With ``text``, ``target`` if the examples are pairs, and ``label`` if they have any.
    options : FragmentOptions
        Words that ``protect``, or a column ``protected``, names are fixed.
    separator : str, optional
        For patterns that are written as text, in which it and holes are marks. Words are then
        parted by any white space, otherwise by that of ASCII.

    Raises
    ------
    CorpusError
        If there are no examples, a text, target or label is missing or not valid, or a word is a
        reserved mark.
    OptionError
        If the separator is not one word, or ``protect`` no regular expression.
    """
    if separator is not None and (separator.split() != [separator] or HOLE.fullmatch(separator)):
        raise OptionError(
            f"separator={separator!r} is not one word", hint="use a word that the corpus lacks"
        )
    if options.labels == "same":
        read_labels(corpus)
    refuse_unspaced(corpus, reads_tokens=False)
    known = [name for name in _COLUMNS if name in corpus.names]
    read = read_examples(
        Corpus(corpus.table.select(known), corpus.places),
        ("text", "target"),
        empty_texts=True,
        ascii_spaces=separator is None,
        unspaced=True,
    )
    tokens, names = _numbered(read.sides)
    sides, offsets = side_words(read.sides)
    sequence = np.full(offsets[-1], SEPARATOR, np.int32)
    for words, numbers in zip(sides, tokens, strict=True):
        sequence[words.tokens()] = numbers
    first, _ = equal_rows(Rows(offsets, sequence))
    if len(first) < len(corpus):
        distinct = Corpus(read.corpus.table.take(pa.array(first)))
        del read, tokens, names, sides, sequence  # the second reading takes as much again
        return read_tokens(distinct, options, separator=separator)
    text_end = sides[0].token + read.sides[0].lengths
    fixed = _fixed(read.corpus, read.sides, sides, len(sequence), options.protect)
    examples = TokenExamples(
        read.corpus, sides, Sequences(sequence, offsets, text_end, fixed), names
    )
    return examples if separator is None else _marked(examples, separator)


def side_words(read: Sequence[Any]) -> tuple[tuple[SideWords, ...], LongArray]:
    """Return sides with the places of their tokens, and the offsets of the examples' tokens."""
    lengths = [np.diff(side.offsets) for side in read]
    offsets = sized(sum(lengths) + len(read) - 1)
    begins = (offsets[:-1], offsets[:-1] + lengths[0] + 1)
    sides = (
        SideWords(side.text, side.text_offsets, side.offsets, side.start, side.end, begin)
        for side, begin in zip(read, begins, strict=False)
    )
    return tuple(sides), offsets


def _numbered(sides: Sequence[Side]) -> tuple[list[IntArray], list[str]]:
    """Number the words of all sides, those of the first side first; the separator is number 0."""
    forms = pa.concat_arrays([side.forms for side in sides]).dictionary_encode()
    number = forms.indices.to_numpy(zero_copy_only=False).astype(np.int32) + SEPARATOR + 1
    tokens, before = [], 0
    for side in sides:
        tokens.append(number[before:][side.codes])
        before += len(side.forms)
    return tokens, ["", *forms.dictionary.to_pylist()]


def _fixed(
    corpus: Corpus,
    read: Sequence[Side],
    sides: Sequence[SideWords],
    size: int,
    protect: str | None,
) -> BoolArray | None:
    """Return which tokens are protected, or of units of several; None if none can be."""
    units = any(side.joined.any() for side in read)
    if protect is None and "protected" not in corpus.names and not units:
        return None
    fixed = np.zeros(size, np.bool_)
    for side, words in zip(read, sides, strict=True):
        fixed[words.tokens()] = protected_words(corpus, side, protect) | side.held
    return fixed


def _marked(examples: TokenExamples, separator: str) -> TokenExamples:
    """Refuse words that are marks; number the others in the order in which they are met.

    That is text and target of each pair in turn.
    """
    tokens, names = examples.sequences.tokens, examples.names
    mark = separator if examples.pairs else None
    marks = [k for k, word in enumerate(names) if word == mark or HOLE.fullmatch(word)]
    for place in np.flatnonzero(np.isin(tokens, marks))[:1] if marks else ():
        word = names[int(tokens[place])]
        what, hint = "of a hole", "replace it in the corpus, for example by other brackets"
        if word == mark:
            what, hint = "between text and target", "name another mark with separator="
        row = int(np.searchsorted(examples.sequences.offsets, place, "right")) - 1
        where = examples.corpus.where(row)
        raise CorpusError(f"the word {word!r} is the mark {what}", where=where, hint=hint)
    used, first = np.unique(tokens, return_index=True)
    met = used[np.argsort(first)]
    met = met[met != SEPARATOR]
    number = np.full(len(names), SEPARATOR, np.int32)
    number[met] = SEPARATOR + 1 + np.arange(len(met))
    return replace(
        examples,
        sequences=replace(examples.sequences, tokens=number[tokens]),
        names=["", *(names[k] for k in met.tolist())],
    )

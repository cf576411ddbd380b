"""What a tagger without a neural model sees of a word: its letters, and those of its neighbours."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from grammar.arrays import IntArray, LongArray
from induction.corpus.corpus import Corpus
from sampling.examples.examples import checked
from sampling.examples.text_columns import Side, read_side

__all__ = ["Features", "shape_of", "words_of"]

_OWN = ("word", "shape", "long prefix", "long suffix", "suffix")
_NEAR = ("word", "shape", "suffix")
_EDGE = ""
"""The form of what is before the first word, and behind the last."""


def shape_of(form: str) -> str:
    """Return the kinds of a form's letters, each run as one.

    >>> shape_of("McDonald's"), shape_of("@home24")
    ("XxXx'x", '@xd')
    """
    kinds = "".join(map(_kind, form))
    return re.sub(r"(.)\1+", r"\1", kinds)


def words_of(corpus: Corpus, *, tokenised: bool = False, cores: bool = False) -> Side:
    """Return the words of texts, as :func:`~sampling.examples.text_columns.read_side` finds them.

    Classes of the texts may be of any kind, and missing: a tagger does not look at them.

    Raises
    ------
    CorpusError
        If there is no text, one is empty, or what is said of its words is not valid.

    Examples
    --------
    >>> words_of(Corpus.from_columns(text=["we left"], label=["good"])).lengths.tolist()
    [2]
    """
    plain = corpus
    if "label" in corpus.names:
        plain = Corpus(corpus.table.drop_columns(["label"]), corpus.places)
    return read_side(checked(plain), tokenised=tokenised, cores=cores)


def _kind(sign: str) -> str:
    if sign.isdigit():
        return "d"
    if sign.isalpha():
        return "X" if sign.isupper() else "x"
    return sign


def _values(form: str) -> dict[str, str]:
    low = form.lower()
    return {
        "word": low,
        "shape": shape_of(form),
        "long prefix": low[:4],
        "long suffix": low[-4:],
        "suffix": low[-2:],
    }


@dataclass(frozen=True)
class Features:
    """The features that a tagger knows, by number.

    Attributes
    ----------
    numbers : dict of str to int
        Of every feature: what it is of, and its value.
    """

    numbers: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.numbers)

    def of(self, side: Side, *, learn: bool = False) -> IntArray:
        """Return the features of every word.

        Parameters
        ----------
        side : Side
            The words of texts.
        learn : bool
            Number features that are not known; else they are -1.

        Returns
        -------
        int32[words, templates]
        """
        forms = [*side.forms.to_pylist(), _EDGE]
        values = [_values(form) for form in forms]
        before, behind = _neighbours(side, len(forms) - 1)
        columns = [self._column(f"{name} {{}}", name, values, learn)[side.codes] for name in _OWN]
        for place, codes in (("before", before), ("behind", behind)):
            for name in _NEAR:
                columns.append(self._column(f"{name} {place} {{}}", name, values, learn)[codes])
        return np.ascontiguousarray(np.stack(columns, axis=1))

    def _column(
        self, written: str, name: str, values: list[dict[str, str]], learn: bool
    ) -> IntArray:
        keys = [written.format(row[name]) for row in values]
        if learn:
            return np.array([self.numbers.setdefault(k, len(self.numbers)) for k in keys], np.int32)
        return np.array([self.numbers.get(key, -1) for key in keys], np.int32)


def _neighbours(side: Side, edge: int) -> tuple[LongArray, LongArray]:
    """Return the form of the word before each, and of that behind; ``edge`` where there is none."""
    codes = side.codes.astype(np.int64)
    before, behind = np.append(edge, codes[:-1]), np.append(codes[1:], edge)
    first, stop = side.offsets[:-1], side.offsets[1:]
    filled = stop > first
    before[first[filled]] = edge
    behind[stop[filled] - 1] = edge
    return before[: len(codes)], behind[: len(codes)]

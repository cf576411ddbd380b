"""Tokens and their numbers, for models that read and write sequences of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from grammar.errors import CorpusError

__all__ = ["Vocabulary", "pad", "vocabularies"]

PAD, START, UNKNOWN, END = range(4)
MARKS = ("<pad>", "<start>", "<unknown>", "<end>")
# the model writes END and what follows it, so it can give no probability to the other marks
FIRST_OUTPUT = END


class Vocabulary:
    """Tokens and their numbers; the first four numbers are marks, not tokens.

    Parameters
    ----------
    tokens : iterable of str
        The tokens, each once, in the order of their numbers.

    Examples
    --------
    >>> vocabulary = Vocabulary.of(["walk twice", "jump"])
    >>> vocabulary.tokens
    ('jump', 'twice', 'walk')
    >>> vocabulary.encode("walk thrice")
    [6, 2]
    >>> vocabulary.decode([6, 5])
    'walk twice'
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        self.tokens = tuple(tokens)
        self._names = MARKS + self.tokens
        self._numbers = {token: number for number, token in enumerate(self.tokens, len(MARKS))}
        if len(self._numbers) < len(self.tokens):
            raise CorpusError("a vocabulary names a token twice", hint="give each token once")

    @classmethod
    def of(cls, sentences: Iterable[str]) -> Vocabulary:
        """Collect the tokens of space-separated sentences, in alphabetical order."""
        return cls(sorted({token for sentence in sentences for token in sentence.split()}))

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self.tokens)} tokens)"

    def encode(self, sentence: str) -> list[int]:
        """Return the numbers of the tokens; a token that is not known becomes ``UNKNOWN``."""
        return [self._numbers.get(token, UNKNOWN) for token in sentence.split()]

    def decode(self, numbers: Iterable[int]) -> str:
        """Return the sentence that the numbers stand for (marks are written by name)."""
        return " ".join(self._names[number] for number in numbers)


def vocabularies(
    pairs: Sequence[tuple[str, str]], *, copy: bool = False
) -> tuple[Vocabulary, Vocabulary]:
    """Collect the source and the target vocabulary of pairs.

    Parameters
    ----------
    pairs : sequence of (str, str)
        Space-separated source and target.
    copy : bool
        For a model that copies: one vocabulary, which leaves out words of a single pair that are
        on both its sides. Training then has unknown words, and shows how to copy them.

    Examples
    --------
    >>> pairs = [("size of ohio", "size ohio"), ("size of iowa", "size iowa")]
    >>> [vocabulary.tokens for vocabulary in vocabularies(pairs)]
    [('iowa', 'of', 'ohio', 'size'), ('iowa', 'ohio', 'size')]
    >>> [vocabulary.tokens for vocabulary in vocabularies(pairs, copy=True)]
    [('of', 'size'), ('of', 'size')]
    """
    if not copy:
        return Vocabulary.of(s for s, _ in pairs), Vocabulary.of(t for _, t in pairs)
    uses: Counter[str] = Counter()
    copied: set[str] = set()
    for source, target in pairs:
        words, written = set(source.split()), set(target.split())
        uses.update(words | written)
        copied |= words & written
    shared = Vocabulary(sorted(word for word, n in uses.items() if n > 1 or word not in copied))
    return shared, shared


def pad(sequences: Sequence[Sequence[int]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Put sequences into the rows of one array, filled up on the right with ``PAD``.

    Returns
    -------
    (int64 (n, longest), int64 (n,))
        The array and the lengths; the array is at least one column wide.

    Examples
    --------
    >>> pad([[5, 6], [7]])[0].tolist()
    [[5, 6], [7, 0]]
    """
    lengths = np.array([len(sequence) for sequence in sequences], dtype=np.int64)
    rows = np.full((len(sequences), max(1, lengths.max(initial=0))), PAD, dtype=np.int64)
    rows[np.arange(rows.shape[1]) < lengths[:, None]] = [n for row in sequences for n in row]
    return rows, lengths

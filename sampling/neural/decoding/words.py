"""The words of a grammar as a trie of bytes, and what subword tokens do in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.errors import OptionError
from sampling.neural.decoding.vocabulary import Vocabulary

__all__ = ["ROOT", "START", "Steps", "TokenTrie", "WordTrie"]

START, ROOT = 0, 1
"""The node of a text of which nothing is read, and that of a word of which nothing is read."""


class WordTrie:
    """The beginnings of words, each a node; nodes are numbered in preorder.

    Parameters
    ----------
    words : sequence of str
        Different words.

    Raises
    ------
    OptionError
        If a word has white space.

    Attributes
    ----------
    children : list of dict of int to int
        Of each node, by the next byte.
    word : list of int
        The number of the word that ends at each node; -1 if none does.

    Examples
    --------
    >>> trie = WordTrie(["bad", "a", "bat"])
    >>> trie.children
    [{}, {97: 2, 98: 3}, {}, {97: 4}, {100: 5, 116: 6}, {}, {}]
    >>> trie.masses(np.array([0.5, 0.25, 0.125])).tolist()
    [1.0, 0.875, 0.25, 0.625, 0.625, 0.5, 0.125]
    """

    def __init__(self, words: Sequence[str]) -> None:
        for word in words:
            if not word or any(map(str.isspace, word)):
                raise OptionError(
                    f"the word {word!r} of the grammar has white space in it",
                    hint="make a word of each part: texts have one space between words",
                )
        strings = sorted((word.encode(), number) for number, word in enumerate(words))
        self.children: list[dict[int, int]] = [{}, {}]
        self.word = [-1, -1]
        first, last = [0, 0], [len(words)] * 2
        path, before = [ROOT], b""
        for place, (string, number) in enumerate(strings):
            shared = next(
                (k for k, (a, b) in enumerate(zip(before, string, strict=False)) if a != b),
                min(len(before), len(string)),
            )
            for node in path[shared + 1 :]:
                last[node] = place
            del path[shared + 1 :]
            for byte in string[shared:]:
                self.children[path[-1]][byte] = node = len(self.word)
                path.append(node)
                self.children.append({})
                self.word.append(-1)
                first.append(place)
                last.append(len(words))
            self.word[path[-1]] = number
            before = string
        self._order = np.array([number for _, number in strings], np.int64)
        self._bounds = np.stack((first, last), 1).ravel()

    def masses(self, probability: FloatArray) -> FloatArray:
        """Return the probability of the words that begin as each node says; 1 of the start."""
        ordered = np.append(probability[self._order], 0.0)
        masses: FloatArray = np.add.reduceat(ordered, self._bounds)[::2]
        masses[START] = 1.0
        return masses


class Steps(NamedTuple):
    """What tokens do from a node.

    Attributes
    ----------
    tokens, nodes : int64[...]
        Tokens that go on in the word, and the node that each leads to.
    over : tuple of (bytes, int)
        What tokens begin with that end the word at a node and go on behind a space.
    ends : tuple of (int, int64[...])
        The node of a word at which tokens end the text.
    """

    tokens: LongArray
    nodes: LongArray
    over: tuple[tuple[bytes, int], ...]
    ends: tuple[tuple[int, LongArray], ...]


class TokenTrie:
    """The walks of subword tokens through the trie of words; each is found once.

    Parameters
    ----------
    words : WordTrie
        The words.
    vocabulary : Vocabulary
        The tokens.
    lead : bytes
        What stands before the first word: a space, or nothing.
    stop : bytes
        What ends a text, besides the tokens that do; nothing by default. No word has its first
        byte.

    Examples
    --------
    >>> vocabulary = Vocabulary.of({0: b"a", 1: b"at", 2: b"s", 3: b" ", 4: b"t a"}, {5})
    >>> tries = TokenTrie(WordTrie(["at", "a"]), vocabulary)
    >>> steps = tries.steps(b"", ROOT)
    >>> steps.tokens.tolist(), steps.nodes.tolist()
    ([0, 1], [2, 3])
    >>> tries.steps(b"", 2).over, tries.steps(b"t ", ROOT).tokens.tolist()
    (((b' ', 2), (b't ', 3)), [4])
    """

    def __init__(
        self, words: WordTrie, vocabulary: Vocabulary, lead: bytes = b"", stop: bytes = b""
    ) -> None:
        self.words, self._vocabulary, self._stop = words, vocabulary, stop
        none = np.zeros(0, np.int64)
        start = Steps(none, none, ((lead, START),), ((START, self._ends(b"")),))
        self._known = {(b"", START): start}

    def steps(self, begun: bytes, node: int) -> Steps:
        """Return what the tokens that begin so do from a node, after these bytes of them."""
        if (begun, node) not in self._known:
            self._known[begun, node] = self._found(begun, node)
        return self._known[begun, node]

    def _found(self, begun: bytes, node: int) -> Steps:
        vocabulary, words = self._vocabulary, self.words
        places: list[int] = []
        nodes: list[int] = []
        over: list[tuple[bytes, int]] = []
        ends: list[tuple[int, LongArray]] = []
        unread = [(begun, vocabulary.beginning_with(begun), node)]
        while unread:
            read, within, node = unread.pop()
            here = vocabulary.equal_to(read, within)
            places += here
            nodes += [node] * len(here)
            within = range(here.stop, within.stop)
            if words.word[node] >= 0:
                if vocabulary.beginning_with(read + b" ", within.start, within.stop):
                    over.append((read + b" ", node))
                if len(ending := self._ends(read)):
                    ends.append((node, ending))
            for byte, child in words.children[node].items() if within else ():
                longer = read + bytes([byte])
                left = vocabulary.beginning_with(longer, within.start, within.stop)
                if left:
                    unread.append((longer, left, child))
        return Steps(vocabulary.ids[places], np.array(nodes, np.int64), tuple(over), tuple(ends))

    def _ends(self, read: bytes) -> LongArray:
        """Return the tokens that end a text after these bytes of them."""
        vocabulary = self._vocabulary
        stops = vocabulary.beginning_with(read + self._stop) if self._stop else range(0)
        ends = np.zeros(0, np.int64) if read else vocabulary.ends
        return np.append(ends, vocabulary.ids[stops.start : stops.stop])

"""New pairs by exchange: a constituent of one training pair in the place of one of another.

What a constituent is, the rules of an induced synchronous grammar say: a part of a question and the
part of its target that some derivation of the pair puts into one slot. Yang et al. (2022, *SUBS:
Subtree substitution for compositional semantic parsing*, NAACL) exchange subtrees of hand-made
trees; here nothing but pairs is given. A whole derivation drawn at random strings together choices
that never met. One exchange keeps all of a pair but one part, so most of it stays what people said.

An exchange is kept if every three neighbouring words of the new question stand so in a training
question, and those of the new target in a training target (numbers at the end of words are left
out, and the ends count as words). That is all that types would have to say about which part fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import count
from typing import NamedTuple

from grammar.synchronous.forest import Coder, pair_forest
from grammar.synchronous.grammar import SynchronousGrammar
from induction.synchronous.search import coded_rules
from scan.models.batches import random_stream

__all__ = ["exchanges", "three_words"]

Pair = tuple[str, str]
Words = tuple[str, ...]

# far from the purposes that training and names draw for
_ORDER = 1_001
_MARK = re.compile(r"([A-Za-z_]+)(\d+)")
_EDGES = ("<", "<"), (">", ">")


def exchanges(pairs: Sequence[Pair], grammar: SynchronousGrammar, *, seed: int) -> Iterator[Pair]:
    """Yield all pairs with a new question that one exchange makes, in a random order.

    Parameters
    ----------
    pairs : sequence of (str, str)
        Training pairs with hidden names, every question once.
    grammar : SynchronousGrammar
        The rules; weights and types are not looked at.
    seed : int
        Of the order.

    Yields
    ------
    (str, str)
        A question and its target. A question that can be made in several ways comes once, with the
        target that comes first.

    Examples
    --------
    >>> pairs = [
    ...     ("size of STATE0", "size ( STATE0 )"),
    ...     ("size of the capital", "size ( capital )"),
    ...     ("name the size of the capital", "name size ( capital )"),
    ... ]
    >>> grammar = SynchronousGrammar.parse('''
    ...     name the NT_1 ### name NT_1
    ...     size of NT_1 ### size ( NT_1 )
    ...     the capital ### capital
    ...     STATE0 ### STATE0
    ... ''')
    >>> list(exchanges(pairs, grammar, seed=0))
    [('name the size of STATE0', 'name size ( STATE0 )')]
    """
    parts = list(dict.fromkeys(_constituents(pairs, grammar)))
    fillers = list(dict.fromkeys((part.source, part.target) for part in parts))
    fitting = _fitting(pairs, [source for source, _ in fillers])
    choices = [(part, filler) for part in parts for filler in fitting(part.before, part.after)]
    known = {text for text, _ in pairs}
    seen = {three for _, target in pairs for three in three_words(target)}
    for number in random_stream(seed, _ORDER, 0).permutation(len(choices)).tolist():
        part, filler = choices[number]
        text, target = _exchanged(pairs[part.pair][1], part, *fillers[filler])
        if text not in known and seen.issuperset(three_words(target)):
            known.add(text)
            yield text, target


def three_words(text: str) -> Iterator[Words]:
    """Yield every three neighbouring words, without numbers at their ends.

    >>> list(three_words("size of STATE0"))[1:3]
    [('<', 'size', 'of'), ('size', 'of', 'STATE')]
    """
    words = [*_EDGES[0], *map(_bare, text.split()), *_EDGES[1]]
    return zip(words, words[1:], words[2:], strict=False)


def _bare(word: str) -> str:
    return word.rstrip("0123456789") or word


class _Part(NamedTuple):
    """A constituent: the words of the question around it, its own, and its part of the target."""

    pair: int
    before: Words
    source: Words
    after: Words
    target: str


def _constituents(pairs: Sequence[Pair], grammar: SynchronousGrammar) -> Iterator[_Part]:
    """Yield all that some derivation of a pair puts into a slot, and the pair as a whole."""
    coder = Coder()
    rules = coded_rules([(coder.side(r.source), coder.side(r.target)) for r in grammar.rules])
    for number, (text, target) in enumerate(pairs):
        words = tuple(text.split())
        forest = pair_forest(rules, coder.words(words), coder.words(target.split()))
        if forest.root >= 0:
            for start, end, _, part in forest.nodes:
                written = " ".join(map(str, coder.symbols(part)))
                yield _Part(number, words[:start], words[start:end], words[end:], written)


def _fitting(
    pairs: Sequence[Pair], fillers: Sequence[Words]
) -> Callable[[Words, Words], tuple[int, ...]]:
    """Return a function that tells which fillers fit between two parts of a question."""
    seen = {three for text, _ in pairs for three in three_words(text)}
    bare = [tuple(map(_bare, filler)) for filler in fillers]

    @cache
    def between(left: Words, right: Words) -> tuple[int, ...]:
        sides = ((*left, *filler, *right) for filler in bare)
        return tuple(
            number
            for number, words in enumerate(sides)
            if seen.issuperset(zip(words, words[1:], words[2:], strict=False))
        )

    def fitting(before: Words, after: Words) -> tuple[int, ...]:
        left, right = (*_EDGES[0], *before)[-2:], (*after, *_EDGES[1])[:2]
        return between(tuple(map(_bare, left)), tuple(map(_bare, right)))

    return fitting


def _exchanged(target: str, part: _Part, source: Words, filler: str) -> Pair:
    """Put a filler in a place; its marks get numbers that the rest of the pair does not use."""
    used = {*part.before, *part.after}
    renamed: dict[str, str] = {}
    for word in dict.fromkeys(source):
        mark = _MARK.fullmatch(word)
        if mark and word in used:
            taken = used.union(source, renamed.values())
            free = (f"{mark[1]}{k}" for k in count() if f"{mark[1]}{k}" not in taken)
            renamed[word] = next(free)
    text = " ".join([*part.before, *(renamed.get(w, w) for w in source), *part.after])
    filled = " ".join(renamed.get(word, word) for word in filler.split())
    # a part may stand twice in a row, with one blank between
    pattern = f"(?<= ){re.escape(part.target)}(?= )"
    return text, re.sub(pattern, lambda _: filled, f" {target} ").strip()

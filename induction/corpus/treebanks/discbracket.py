"""Brackets whose words carry their places, so that constituents need not be stretches.

``(S (VP (VB 1=have) (VBN 3=seen)) (PRP 0=We) (PRP 2=it))`` is how disco-dop writes trees; an older
form has numbers for words, and the sentence behind the tree, after a tab.

References
----------
van Cranenburgh, Scha & Bod (2016); https://discodop.readthedocs.io/en/latest/fileformats.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grammar.errors import BracketError
from grammar.trees.folding import fold
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.corpus.treebanks.constituents import Constituent, Sentence, Word

__all__ = ["discbracket_sentences", "has_numbered_words", "words_behind_trees"]

_PLACED = re.compile(r"(\d{1,9})=(.+)", re.DOTALL)
_BEHIND = re.compile(r"(\(.*\))\t([^()\t]+)")
_INDEX = re.compile(r"(?<=[\s)])\d+(?=[\s)])")
_BRACKETS = {"#LRB#": "-LRB-", "#RRB#": "-RRB-"}


def has_numbered_words(treebank: Treebank) -> bool:
    """Say whether all words of the first tree are numbers, signs of equality, and words.

    >>> has_numbered_words(Treebank.parse("(S (A 1=b) (C 0=d))"))
    True
    >>> has_numbered_words(Treebank.parse("(S (A 1=b) (C d))"))
    False
    """
    places = [_PLACED.fullmatch(word) for word in treebank[0].leaves()] if len(treebank) else []
    numbers = sorted(int(place[1]) for place in places if place)
    return bool(places) and numbers == list(range(len(places)))


def words_behind_trees(text: str) -> str | None:
    r"""Return trees with words, if all lines are trees of numbers, and words behind a tab.

    >>> words_behind_trees("(S (NP 1) (VP 0 2))\tis Mary happy\n")
    '(S (NP 1=Mary) (VP 0=is 2=happy))'
    """
    made = []
    for line in text.splitlines():
        if not line.strip():
            continue
        match = _BEHIND.fullmatch(line.strip())
        if match is None:
            return None
        words = match[2].split()
        numbers = [int(found) for found in _INDEX.findall(match[1])]
        if sorted(numbers) != list(range(len(words))):
            return None
        made.append(_INDEX.sub(lambda n, w=words: f"{n[0]}={w[int(n[0])]}", match[1]))
    return "\n".join(made) if made else None


def discbracket_sentences(treebank: Treebank, source: str) -> Iterator[Sentence]:
    """Yield the sentences of trees whose words carry their places.

    Raises
    ------
    BracketError
        If the words of a tree are not at the places 0, 1, 2, ...
    """
    for number, tree in enumerate(treebank):
        where = f"{source}, tree {number + 1}"
        words = [_PLACED.fullmatch(word) for word in tree.leaves()]
        places = [int(match[1]) for match in words if match]
        if sorted(places) != list(range(len(words))):
            raise BracketError(
                f"the words of a tree are not at the places 0 to {len(words) - 1}",
                where=where,
                hint="in this format all words are written PLACE=WORD, as 0=We",
            )
        top = fold(tree, lambda node: getattr(node, "children", ()), _part)
        yield Sentence([top], where)


def _part(node: Tree | str, parts: list[Constituent | Word]) -> Constituent | Word:
    if isinstance(node, str):
        place, _, form = node.partition("=")
        return Word(int(place), _BRACKETS.get(form, form))
    if len(parts) == 1 and isinstance(parts[0], Word) and parts[0].tag is None:
        return Word(parts[0].position, parts[0].form, node.label)
    return Constituent(node.label, parts)

"""Constituents that a dependency tree tells of.

Phrases and clauses of constituency trees are subtrees of dependency trees of the kind of Universal
Dependencies, where a noun is the head of its preposition and a verb of its conjunction. Of
coordination and compounds the two say different things, so their brackets are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["dependency_brackets"]

PHRASES = frozenset({
    "nsubj", "obj", "iobj", "obl", "nmod", "csubj", "ccomp", "xcomp", "advcl", "acl",
})  # fmt: skip
"""Relations whose dependents, with all below them, are phrases or clauses."""


def dependency_brackets(heads: Sequence[int], relations: Sequence[str]) -> list[tuple[int, int]]:
    """Return begin and end of the constituents of two words or more that a tree tells of.

    Parameters
    ----------
    heads : sequence of int
        The number of each word's head, from 1; 0 for the root.
    relations : sequence of str
        Of Universal Dependencies; subtypes (``acl:relcl``) are as their relation.

    Returns
    -------
    list of (int, int)
        In order, each once; punctuation at their ends is outside. What is not one piece is left
        out.

    Examples
    --------
    The cat on the mat saw us .

    >>> relations = ["det", "nsubj", "case", "det", "nmod", "root", "obj", "punct"]
    >>> dependency_brackets([2, 6, 5, 5, 2, 0, 6, 6], relations)
    [(0, 5), (2, 5)]
    """
    words = len(heads)
    first, last, size = list(range(words)), list(range(words)), [0] * words
    before = [0]
    for word, relation in enumerate(relations):
        counts = relation != "punct"
        before.append(before[-1] + counts)
        above = word if counts else -1
        while above >= 0:
            first[above], last[above] = min(first[above], word), max(last[above], word)
            size[above] += 1
            above = heads[above] - 1
    return sorted(
        {
            (first[word], last[word] + 1)
            for word, relation in enumerate(relations)
            if relation.partition(":")[0] in PHRASES
            and size[word] == before[last[word] + 1] - before[first[word]] > 1
        }
    )

"""What parsers print around their trees: scores, lists of the best trees, dependencies, reports.

Stanford's parser and CoreNLP print dependencies behind a tree, that of Charniak and Johnson a line
with the number of trees before each list and a line with its score before each tree, that of
Berkeley the score in front of the tree.

References
----------
The READMEs of these parsers: Klein & Manning (2003), Charniak & Johnson (2005), Petrov & Klein
(2007); Manning et al. (2014), The Stanford CoreNLP natural language processing toolkit.
"""

from __future__ import annotations

import re
from itertools import groupby

from grammar.trees.treebank import Treebank

__all__ = ["best_of_lists", "has_scores", "without_reports", "without_scores"]

_SENTENCE = re.compile(r"^Sentence #\d+ \(", re.MULTILINE)
_TREE = re.compile(r"^\((?:ROOT|TOP|S1)?\s*\(.*?(?=\n[ \t]*\r?\n|\Z)", re.MULTILINE | re.DOTALL)
_DEPENDENCY = re.compile(
    r"^[ \t]*[a-z][\w:/|.-]*\(\S+-\d+'*,[ \t]*\S+-\d+'*\)[ \t]*\r?$", re.MULTILINE
)
_NUMBER = r"-?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|inf)"
_SCORE = re.compile(rf"^[ \t]*{_NUMBER}(?:[ \t]+[^\s()]+)?[ \t]*\r?$", re.MULTILINE)
_BEFORE = re.compile(r"^[ \t]*(?:-\d+|-?\d*\.\d+(?:[eE][+-]?\d+)?|-inf)[ \t]*\(", re.MULTILINE)


def without_reports(text: str) -> str | None:
    r"""Return the trees of what Stanford's parser or CoreNLP prints; None if it is none.

    >>> without_reports("(ROOT (NP (DT A) (NN cat)))\n\ndet(cat-2, A-1)\n").split("\n")[0]
    '(ROOT (NP (DT A) (NN cat)))'
    """
    if _SENTENCE.search(text):
        found = _TREE.findall(text)
        return "\n".join(found) if found else None
    return _DEPENDENCY.sub("", text) if _DEPENDENCY.search(text) else None


def without_scores(text: str) -> str | None:
    r"""Return trees without lines of their scores and numbers; None if there are none.

    >>> without_scores("2\ts1\n-1.5\n(S a)\n-2.5\n(NP a)\n").split()
    ['(S', 'a)', '(NP', 'a)']
    """
    return _SCORE.sub("", text) if _SCORE.search(text) else None


def has_scores(text: str) -> bool:
    r"""Say whether scores stand before trees, or on lines of their own.

    >>> has_scores("-1.5\t(S a)\n"), has_scores("-1.5\n(S a)\n"), has_scores("1\t(S a)\n")
    (True, True, False)
    """
    return bool(_BEFORE.search(text)) or any(
        "." in line[0] or "-" in line[0] for line in _SCORE.finditer(text)
    )


def best_of_lists(treebank: Treebank) -> Treebank | None:
    """Return the first tree of each list of trees of one sentence; None if there is no list.

    A list is trees that follow each other, have the same words, and differ: a sentence that is
    said twice has the same tree twice.

    >>> two = Treebank.parse("(S (A a) (B b)) (S (A (C a)) (B b)) (S (A c))")
    >>> [str(tree) for tree in best_of_lists(two)]
    ['(S (A a) (B b))', '(S (A c))']
    >>> best_of_lists(Treebank.parse("(S a) (S a)"))
    """
    first: list[str] = []
    for _, group in groupby(treebank, key=lambda tree: tuple(tree.leaves())):
        trees = [str(tree) for tree in group]
        first.extend(trees[:1] if len(set(trees)) == len(trees) else trees)
    return Treebank.parse("\n".join(first)) if len(first) < len(treebank) else None

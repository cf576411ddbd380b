"""The dependency view of trees: which word depends on which, read off the heads."""

from __future__ import annotations

import itertools

import numpy as np

from grammar.trees.given import as_treebank
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.trees.heads import COLLINS, HeadRules, head_words
from induction.trees.normalise import drop_traces

__all__ = ["ROOT_RELATION", "dependencies"]

ROOT_RELATION = "root"


def dependencies(
    trees: Tree | Treebank, heads: HeadRules = COLLINS, *, strict: bool = False
) -> Corpus:
    """Return the dependencies between the words of trees, one row a tree that has words.

    A word is the head of the nodes from its own up to some highest one; it depends on the head
    word of the node above that (Collins 1996, section 2.2).

    Parameters
    ----------
    trees : Tree or Treebank
        Trees; traces are dropped first.
    heads : mapping or HeadTable
        Head rules, see :func:`induction.trees.heads.head_children`.
    strict : bool
        Refuse labels without a rule.

    Returns
    -------
    Corpus
        With the columns ``text``, ``tokens``, ``heads`` and ``deprels``. Heads are numbers of
        words from 1, and 0 for the root, as in CoNLL files. A relation is written
        ``parent:dependent``, the label where the two words meet and the highest label of the
        dependent; that of the root is ``root``, that of a word without a label of its own
        ``parent:_``.

    Raises
    ------
    OptionError
        If ``strict``, and a label has no head rule.

    Examples
    --------
    >>> found = dependencies(Tree.parse("(S (NP (DT the) (NN film)) (VP (VBD ended)))"))
    >>> found.column("heads"), found.column("deprels")
    ([[2, 3, 0]], [['NP:DT', 'S:NP', 'root']])
    """
    treebank = drop_traces(as_treebank(trees))
    word = treebank.is_word
    leaf = head_words(treebank, heads, strict=strict)
    above = treebank.parent
    root = above < 0
    top = root | (leaf[above] != leaf)
    node = np.flatnonzero(top)
    # the words of a tree are numbered from 1
    before = np.concatenate(([0], np.cumsum(word)))
    number = before[:-1] - np.repeat(before[treebank.offsets[:-1]], np.diff(treebank.offsets)) + 1
    names = np.array([*treebank.symbols, "_"], object)
    own = names[np.where(word[node], -1, treebank.label[node])]
    governor = np.zeros(len(word), np.int64)
    relation = np.full(len(word), ROOT_RELATION, object)
    governor[leaf[node]] = np.where(root[node], 0, number[leaf[above[node]]])
    joined = names[treebank.label[above[node]]] + ":" + own
    relation[leaf[node]] = np.where(root[node], ROOT_RELATION, joined)
    bounds = list(itertools.pairwise(before[treebank.offsets].tolist()))
    heads_of, relations = governor[word].tolist(), relation[word].tolist()
    sentences = treebank.sentences()
    return Corpus.from_columns(
        text=[" ".join(sentence) for sentence in sentences],
        tokens=[list(sentence) for sentence in sentences],
        heads=[heads_of[a:b] for a, b in bounds],
        deprels=[relations[a:b] for a, b in bounds],
    )

"""Hits are those of ``nltk.tgrep``, but where it has no way to see what is around a word."""

from __future__ import annotations

import os

import pytest

pytest.importorskip("pyparsing")
if "NLTK_DATA" not in os.environ:
    pytest.skip("NLTK_DATA says where the treebank sample is", allow_module_level=True)

from nltk.tree import ParentedTree

from benchmarks import search as bench
from induction import read_treebank

EXPLAINED = {*bench.AT_LAST, "NN >>' S", "NP >>' VP"}
"""NLTK looks for a node among others by its value, so it takes equal nodes for the same."""


def test_two_hundred_patterns() -> None:
    treebank = read_treebank("nltk:treebank").take(range(0, 3914, 100))
    trees = [ParentedTree.convert(tree.to_nltk()) for tree in treebank]
    texts = bench.patterns()
    assert len(set(texts)) == 200
    different = {
        text
        for text in texts
        if bench.hits_of_ours(text, treebank) != bench.hits_of_nltk(text, trees)
    }
    assert different <= EXPLAINED

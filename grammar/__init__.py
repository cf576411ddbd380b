"""What a tree, a treebank, a rule and a grammar are, and exact computation on them."""

from grammar.lazy_imports import open_package

__getattr__, __dir__ = open_package(__file__)

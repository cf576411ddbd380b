"""What a tree, a treebank, a rule and a grammar are, and exact computation on them."""

from grammar.lazy_imports import open_face

__getattr__, __dir__ = open_face(__file__)

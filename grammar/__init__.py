"""What a tree, a treebank, a rule and a grammar are, and exact computation on them."""

from grammar.errors import TreewrightError
from grammar.grammar import Grammar
from grammar.rules import Nonterminal, Production
from grammar.symbols import SymbolTable
from grammar.tree import Tree
from grammar.treebank import Treebank

__all__ = [
    "Grammar",
    "Nonterminal",
    "Production",
    "SymbolTable",
    "Tree",
    "Treebank",
    "TreewrightError",
]

"""Verbs that ask treebanks and grammars: search, compare, workbench."""

"""Search in treebanks: patterns of the TGrep2 language, matched over columns."""

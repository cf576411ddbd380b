"""How two treebanks or grammars differ: rules, words, lengths and depths."""

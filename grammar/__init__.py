"""What a tree, a treebank, a rule and a grammar are, and exact computation on them."""

"""Trees, treebanks in columns, and their readers."""

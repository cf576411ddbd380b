"""From grammars to new examples."""

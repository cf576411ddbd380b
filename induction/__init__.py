"""From corpora to grammars: readers, normalisation, rule counts and induction."""

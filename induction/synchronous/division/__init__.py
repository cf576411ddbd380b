"""Division of rules and classes of words, before layers are made."""

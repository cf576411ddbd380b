"""Small languages that are synchronous grammars: one feature each, or invented from a seed."""

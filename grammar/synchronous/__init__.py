"""Synchronous grammars: rules with two linked sides, their parsing, sampling and pictures."""

"""Constrained decoding: texts of a causal language model that are sentences of a grammar."""

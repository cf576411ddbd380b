"""Taggers and parsers on encoders: states of words, heads, and exact decoding."""

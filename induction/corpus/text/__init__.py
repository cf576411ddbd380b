"""Texts as people write them: their sentences, their words, and words with tags."""

"""Lexicalised."""

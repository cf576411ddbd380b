"""Seams."""

"""Taggers of labelled spans, and their scores."""

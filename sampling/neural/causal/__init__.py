"""Causal."""

"""Cogs."""

"""Geca."""

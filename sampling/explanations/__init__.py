"""Looks."""

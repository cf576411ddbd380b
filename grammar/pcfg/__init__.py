"""Pcfg."""

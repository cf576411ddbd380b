"""Synchronous."""

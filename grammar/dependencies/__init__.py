"""Dependency trees as columns, and searching them."""

"""Classifiers trained on augmented text (this room is still empty; see the issues)."""

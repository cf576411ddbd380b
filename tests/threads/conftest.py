"""A tiny model, that of the neural samplers."""

from tests.sampling.neural.conftest import causal_folder, corpus

__all__ = ["causal_folder", "corpus"]

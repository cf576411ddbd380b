"""Tiny models, those of the neural samplers."""

from tests.sampling.neural.conftest import (
    causal_folder,
    corpus,
    linda_folder,
    masked_folder,
    models,
)

__all__ = ["causal_folder", "corpus", "linda_folder", "masked_folder", "models"]

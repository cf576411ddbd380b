"""Mixing of two examples inside an encoder: at a layer, in the pooled vector, or piece by piece."""

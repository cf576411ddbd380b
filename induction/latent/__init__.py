"""Latent."""

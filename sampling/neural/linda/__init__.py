"""LINDA: texts between two texts, by a trained encoder-decoder (Kim et al. 2022)."""

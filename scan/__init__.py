"""SCAN: the language, its interpreter, its splits, and models trained on it."""

"""Encoders of Hugging Face: opened by name, path or package, and run fast on any machine."""

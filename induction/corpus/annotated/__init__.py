"""Annotations as tools export them: doccano, Label Studio, Prodigy, spaCy, columns of tags."""

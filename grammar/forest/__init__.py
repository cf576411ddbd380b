"""Forest."""

"""ATIS."""

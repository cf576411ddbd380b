"""SLOG."""

"""Corpora as tables on disk: Parquet, Arrow, JSON lines, CSV, TSV and plain text."""

"""Measurements against peers; run one with ``python -m benchmarks.NAME`` from the root."""

"""Training: regimes, strategies, teachers, heads on fixed vectors, and one door to all of it."""

"""Models that learn in batches: encoders, heads on frozen ones, small networks from scratch."""

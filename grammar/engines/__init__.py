"""Engines: where the parts of long work are done, in threads, in processes, or on a cluster."""

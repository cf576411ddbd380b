"""Training classifiers: examples with weights and soft labels, losses, heads, and regimes."""

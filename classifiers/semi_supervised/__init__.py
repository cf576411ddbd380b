"""Learning from unlabelled texts too: self-training, UST, and MixText."""

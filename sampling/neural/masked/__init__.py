"""Methods that ask a masked language model for words."""

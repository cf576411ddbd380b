"""The method names: what classes are called, and what a language model says of that."""

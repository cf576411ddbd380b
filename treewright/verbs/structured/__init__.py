"""The verbs of structured: taggers and parsers on frozen encoders, and what examples do to them."""

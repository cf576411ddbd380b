"""Names that other libraries have: what an error says of them, in one place for all of them."""

"""New texts of a language model that is shown examples, here or behind an endpoint."""

"""Few annotated sentences, many methods: what is learnt, from what, and the cells of a table."""

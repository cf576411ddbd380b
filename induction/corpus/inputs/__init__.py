"""Whatever a person has: usual names of columns, data in memory, rows that cannot be used."""

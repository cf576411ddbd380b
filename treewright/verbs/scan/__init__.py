"""The verbs about SCAN, COGS and GeoQuery."""

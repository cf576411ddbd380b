"""Regular expressions as automata: their shortest matches, and how long a search may take."""

"""How grammars lie in files: arrays, what these must be before a kernel reads them, seals."""

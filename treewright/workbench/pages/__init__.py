"""Pages: each is a function of what is open and of the parameters of an address."""

"""The front door: the command line and a short list of public names."""

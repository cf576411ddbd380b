"""Places: where files and folders lie, on this machine or in an object store."""

"""Methods that need a neural model: imported when they are used, and torch with them."""

"""Alpha-beta, compiled, with all that makes it fast."""

"""Sequential tests: matches that stop by themselves."""

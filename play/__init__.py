"""Playing against people and their programs."""

"""Outside engines as players."""

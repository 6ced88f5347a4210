"""Outside engines as players, and this project's evaluators as engines for others' boards."""

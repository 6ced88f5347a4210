"""Evaluators over patterns: how they are fitted, and how they run."""

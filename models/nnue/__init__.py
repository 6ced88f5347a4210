"""Efficiently updatable networks over the pieces of a board: how they are fitted and run."""

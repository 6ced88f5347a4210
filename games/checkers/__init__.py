"""Checkers: English draughts, A. Samuel's game."""

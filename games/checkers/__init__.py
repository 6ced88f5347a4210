"""Checkers: English draughts, A. Samuel's game."""

GAMES = {"checkers": "rules.GAME"}
ALSO = {"draughts": "checkers"}

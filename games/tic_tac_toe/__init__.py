"""Tic-tac-toe: rules and features."""

GAMES = {"tic_tac_toe": "rules.GAME"}

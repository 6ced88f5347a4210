"""Backgammon: rules, how people write it, and exact values of races."""

GAMES = {"backgammon": "rules.GAME"}

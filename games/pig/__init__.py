"""Pig, to any number of points: rules, notation, and the exact chances of winning."""

GAMES = {"pig": "rules.GAME"}
FAMILIES = {"pig": (1, "rules.pig")}

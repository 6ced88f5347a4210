"""Pig, to any number of points: rules and notation."""

GAMES = {"pig": "rules.GAME"}
FAMILIES = {"pig": (1, "rules.pig")}

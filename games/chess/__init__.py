"""Chess: rules, how people write it, and evaluators made by hand."""

GAMES = {"chess": "rules.GAME"}

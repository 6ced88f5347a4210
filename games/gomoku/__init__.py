"""Five in a row, and k in a row on boards of any size: rules, notation, search, formats."""

GAMES = {"gomoku": "rules.GAME", "gomoku_exact": "rules.GAME_EXACT"}
FAMILIES = {"mnk": (3, "rules.mnk")}

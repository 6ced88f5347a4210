"""Connect Four: rules and features."""

GAMES = {"connect_four": "rules.GAME"}
ALSO = {"connect4": "connect_four"}

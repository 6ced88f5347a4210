"""Chinese chess: rules, how people write it, and evaluators made by hand."""

GAMES = {"xiangqi": "rules.GAME"}
ALSO = {"chinesechess": "xiangqi"}

"""EinStein würfelt nicht! (I. Althöfer, 2004), and its form on 3 by 3 squares with three stones."""

GAMES = {"einstein": "rules.GAME", "einstein_3x3": "rules.GAME_3X3"}
ALSO = {"ewn": "einstein"}

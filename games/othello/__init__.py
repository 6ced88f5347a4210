"""Othello on 8 by 8, 6 by 6 and 4 by 4 squares: rules, exact endgames, vector code."""

GAMES = {"othello": "rules.GAME", "othello_6x6": "rules.GAME_6X6", "othello_4x4": "rules.GAME_4X4"}
ALSO = {"reversi": "othello", "othello8x8": "othello", "6x6": "othello_6x6", "4x4": "othello_4x4"}

"""Othello on 8 by 8, 6 by 6 and 4 by 4 squares: rules, exact endgames, vector code."""

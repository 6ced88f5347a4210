"""Your own game: three in a row, 4 by 4. samuel search --game examples/custom_game.py ..."""

import numpy as np

from samuel import Board, Game, Position, jit, load_evaluator, register_game
from samuel.games import GridNotation
from samuel.kernels.bits import ZERO, bit, popcount
from samuel.search import analyse

SQUARES = tuple(f"{column}{row}" for row in range(1, 5) for column in "abcd")  # a1 is bit 0
STARTS = {1: (0, 1, 4, 5, 8, 9, 12, 13), 4: range(8), 5: (0, 1, 4, 5), 3: (2, 3, 6, 7)}  # by step
LINES = np.array([sum(1 << s + k * d for k in (0, 1, 2)) for d in STARTS for s in STARTS[d]], "u8")


@jit
def has_line(stones):
    for line in LINES:
        if stones & line == line:
            return True
    return False


@jit
def plies_left(position):  # position[0] holds the stones of the side to move
    return 16 - popcount(position[0] | position[1])


@jit
def is_terminal(position):
    return has_line(position[1]) or plies_left(position) == 0


@jit
def utility(position):
    return -1.0 if has_line(position[1]) else 0.0


@jit
def legal_moves(position, moves):
    n = 0
    for square in range(0 if has_line(position[1]) else 16):
        if (position[0] | position[1]) & bit(square) == ZERO:
            moves[n] = square
            n += 1
    return n


@jit
def play(position, move, child):  # the child is seen from the other side
    child[0], child[1] = position[1], position[0] | bit(move)


RULES = (legal_moves, play, is_terminal, utility, plies_left)
NOTATION = GridNotation(Board(4, 4, symmetric="all"), SQUARES)
GAME = register_game(Game("three_in_a_row", (0, 0), *RULES, NOTATION, max_moves=16, max_plies=16))

if __name__ == "__main__":
    print(analyse(Position.start(GAME), load_evaluator("zero", GAME), depth=7))

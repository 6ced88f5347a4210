"""A game in which a side moves twice: after the first stone, each turn puts two.

Stones above each other score. A third word, written ` +`, marks the last stone of a turn.
"""

import numpy as np

from samuel import Board, Game, jit, register_game
from samuel.games import OTHER, SAME, GridNotation, Scores, Turns
from samuel.kernels.bits import ONE, ZERO, bit, popcount

NAMES = [f"{column}{row}" for row in (1, 2, 3, 4) for column in "abcd"]


@jit
def plies_left(position):
    return 16 - popcount(position[0] | position[1])


@jit
def is_terminal(position):
    return plies_left(position) == 0


@jit
def pairs(stones):
    return popcount(stones & stones >> np.uint64(4))


@jit
def utility(position):
    return float(pairs(position[0]) - pairs(position[1]))


@jit
def legal_moves(position, moves):
    n = 0
    for square in range(16):
        if (position[0] | position[1]) & bit(square) == ZERO:
            moves[n] = square
            n += 1
    return n


@jit
def play(position, move, child):  # mine, theirs, 1 where this stone is the last of the turn
    mine = position[0] | bit(move)
    if position[2] == ZERO:
        child[0], child[1], child[2] = mine, position[1], ONE
        return SAME  # the child is seen by the side that has just moved
    child[0], child[1], child[2] = position[1], mine, ZERO
    return OTHER


class Notation(GridNotation):
    def write(self, words, side):
        return super().write(words, side) + (" +" if words[2] else "")

    def read(self, text):
        words, side = super().read(text.strip().removesuffix("+"))
        return (*words, int(text.strip().endswith("+"))), side

    def board(self, words, side):
        return super().board(words, side) + (", the last stone" if words[2] else "")


GAME = register_game(
    Game(
        "two_at_a_time",
        (0, 0, 1),
        legal_moves,
        play,
        is_terminal,
        utility,
        plies_left,
        Notation(Board(4, 4, symmetric="sideways"), NAMES),
        max_moves=16,
        max_plies=16,
        scores=Scores("pairs", max_utility=12, sooner_is_better=False),
        turns=Turns(alternates=False),
    )
)

"""A game in which pieces move: Breakthrough, 5 by 5. samuel models check examples/moving_game.py

A pawn goes forward, straight or aslant, aslant onto an enemy too; who gets to the far row or takes
all has won. Each side sees its own pawns go up: `play` turns the board, the notation is told."""

import numpy as np

from samuel import Board, Game, SelfplayPlan, generate, jit, match, register_game, train
from samuel.games import GridNotation
from samuel.kernels.bits import ZERO, bit, popcount

N, LAST = 5, 25
ROWS = np.array([0b11111 << N * row for row in range(N)], "u8")  # a1 is bit 0, a2 bit 5


@jit
def plies_left(position):  # rows that pawns have still to go: less with every move
    mine = [popcount(position[0] & ROWS[N - 1 - steps]) * steps for steps in range(N)]
    return sum(mine) + sum([popcount(position[1] & ROWS[steps]) * steps for steps in range(N)])


@jit
def is_terminal(position):  # only the side that has just moved can have won
    return position[1] & ROWS[0] != ZERO or position[0] == ZERO


@jit
def legal_moves(position, moves):
    n = 0
    for start in range(0 if is_terminal(position) else LAST - N):
        for column in range(max(0, start % N - 1), min(N, start % N + 2)):
            end = (start // N + 1) * N + column
            blocked = position[0] | (position[1] if end == start + N else ZERO)
            if position[0] & bit(start) and not blocked & bit(end):
                moves[n] = LAST * start + end
                n += 1
    return n


@jit
def play(position, move, child):
    mine = (position[0] | bit(move % LAST)) & ~bit(move // LAST)
    child[0], child[1] = ZERO, ZERO
    for row in range(N):  # turned: the other side sees it from its own end
        here, there = np.uint64(N * row), np.uint64(N * (N - 1 - row))
        child[0] |= (position[1] & ~bit(move % LAST)) >> here << there & ROWS[N - 1 - row]
        child[1] |= mine >> here << there & ROWS[N - 1 - row]


RULES = (legal_moves, play, is_terminal, jit(lambda position: -1.0), plies_left)
TOP_DOWN = [N * row + column for row in range(N)[::-1] for column in range(N)]
MOVES = [a + r + b + s for r in "12345" for a in "abcde" for s in "12345" for b in "abcde"]
NOTATION = GridNotation(Board(N, N, TOP_DOWN, row_names="54321"), MOVES, second_sees="mirrored")
GAME = register_game(Game("breakthrough", (0x3FF, 0x3FF << 15), *RULES, NOTATION, 30, 70))

if __name__ == "__main__":
    plan = SelfplayPlan(game=GAME.name, evaluator="zero", depth=3, epsilon=0.1, seed=1)
    learned = train(generate(plan, 1000, "runs/breakthrough"), "ridge").evaluator
    print(match(learned, "zero", game=GAME, pairs=50, depth=3))

"""
A game of your own
==================

A game is five small functions over words of 64 bits and a notation. Search, self-play, learning,
matches, the board in the browser and the pictures below take it from there.
"""

# %%
# The rules
# ---------
# *Hold the row*: two players put stones on a board of three by four; who fills a row of three
# first, wins. The position is seen by the side to move: ``position[0]`` are its stones,
# ``position[1]`` those of the other.

import numpy as np

import samuel
from samuel.games.notation import GridNotation
from samuel.kernels.bits import ZERO, bit, popcount

ROWS, COLUMNS = 4, 3
SQUARES = tuple(f"{column}{row}" for row in range(1, ROWS + 1) for column in "abc")
FULL = np.array([0b111 << 3 * row for row in range(ROWS)], np.uint64)


@samuel.jit
def has_row(stones):
    for row in FULL:
        if stones & row == row:
            return True
    return False


@samuel.jit
def plies_left(position):
    return 12 - popcount(position[0] | position[1])


@samuel.jit
def is_terminal(position):
    return has_row(position[1]) or plies_left(position) == 0


@samuel.jit
def utility(position):
    return -1.0 if has_row(position[1]) else 0.0


@samuel.jit
def legal_moves(position, moves):
    n = 0
    for square in range(0 if has_row(position[1]) else 12):
        if (position[0] | position[1]) & bit(square) == ZERO:
            moves[n] = square
            n += 1
    return n


@samuel.jit
def play(position, move, child):
    child[0], child[1] = position[1], position[0] | bit(move)


GAME = samuel.register_game(
    samuel.Game(
        "hold_the_row",
        (0, 0),
        legal_moves,
        play,
        is_terminal,
        utility,
        plies_left,
        GridNotation(samuel.Board(ROWS, COLUMNS), SQUARES),
        max_moves=12,
        max_plies=12,
    )
)

# %%
# Is it sound?
# ------------
# ``check_game`` plays thousands of random games and looks for what the rules promise: positions
# that keep to the board, moves that can be read again, ends that are ends. A game that passes
# works everywhere.

from samuel.testing import check_game

check_game(GAME)

# %%
# Play it
# -------

position = samuel.Position.start(GAME).play("a2").play("b3").play("b2")
position

# %%
# It is small enough to be solved.

samuel.solve(position, "zero")

# %%
# Learn it
# --------
# Without any knowledge the evaluator ``zero`` sees finished games alone. The model that
# learns from its own games at depth 2 beats it at the same depth.

plan = samuel.SelfplayPlan(GAME.name, evaluator="zero", depth=2, epsilon=0.2, seed=1, exact_from=0)
dataset = samuel.generate(plan, games=600, out="runs/tutorial/hold_the_row")
learned = samuel.train(dataset, "tuples3", out="runs/tutorial/hold_the_row_model")
samuel.match(learned.evaluator, "zero", game=GAME, pairs=50, depth=2, exact_from=0)

# %%
# In a file of its own the same game is played by ``samuel board FILE.py``, and learned by
# ``samuel learn --game FILE.py``. :doc:`/games` says what else a game can be: moves of several
# steps, dice, draws by repetition.

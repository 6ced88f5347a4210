"""An evaluator of your own, written by hand: how strong is an idea?

Its numbers are data: another guess is another evaluator of the same compiled function. What is
registered has a name on the command line:

    samuel models check examples/custom_evaluator.py
    samuel match guess classic --plugin examples/custom_evaluator.py
"""

import sys

import numpy as np

from samuel import Evaluator, match, register_evaluator
from samuel.games.othello.bits import moves_of
from samuel.kernels.bits import popcount

CORNERS = np.uint64(0x8100000000000081)


def corners_and_moves(position, integers, floats):
    """Score a position for the side to move, in discs; compiled, so no Python object in here."""
    player, opponent = position[0], position[1]
    corners = popcount(player & CORNERS) - popcount(opponent & CORNERS)
    moves = popcount(moves_of(player, opponent)) - popcount(moves_of(opponent, player))
    return floats[0] * corners + floats[1] * moves


def evaluator(name: str, corner: float, move: float) -> Evaluator:
    weights = np.array([corner, move], np.float32)
    return Evaluator(name, "othello", corners_and_moves, floats=weights)


GUESS = register_evaluator(evaluator("guess", corner=10.0, move=1.0))


def main(pairs: int = 200) -> None:
    for other in (evaluator("moves alone", corner=0.0, move=1.0), "classic"):
        result = match(GUESS, other, pairs=pairs, jobs=-1)
        s = result.statistics
        print(f"{result.a} against {result.b}, {result.limits}, {s.games} games:")
        print(f"{100 * s.score:.1f} %, {s.elo:+.0f} Elo ({s.elo_low:+.0f} to {s.elo_high:+.0f})")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))

"""An evaluator of your own, written by hand: how strong is an idea?

Its numbers are data, so that another guess is another evaluator of the same compiled function.
"""

import sys

import numpy as np

from samuel import Evaluator, game_named, match
from samuel.games.othello.bits import moves_of
from samuel.kernels.bits import popcount
from samuel.testing import check_evaluator

CORNERS = np.uint64(0x8100000000000081)


def corners_and_moves(position, integers, floats):
    """Score a position for the side to move, in discs. The arrays are numba's: no len() here."""
    player, opponent = position[0], position[1]
    corners = popcount(player & CORNERS) - popcount(opponent & CORNERS)
    moves = popcount(moves_of(player, opponent)) - popcount(moves_of(opponent, player))
    return floats[0] * corners + floats[1] * moves


def evaluator(name: str, corner: float, move: float) -> Evaluator:
    weights = np.array([corner, move], np.float32)
    return Evaluator(name, "othello", corners_and_moves, floats=weights)


def main(pairs: int = 200) -> None:
    guess, moves_alone = evaluator("guess", 10.0, 1.0), evaluator("moves alone", 0.0, 1.0)
    check_evaluator(guess, game_named("othello"))
    for other in (moves_alone, "classic"):
        s = match(guess, other, pairs=pairs, jobs=-1).statistics
        name = getattr(other, "name", other)
        print(f"guess against {name}, depth 4, {s.games} games:")
        print(f"{s.score:.1%} ({s.score_low:.1%} to {s.score_high:.1%}), {s.elo:+.0f} Elo")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))

"""Search against rust-reversi: time to the same true depth with the same evaluator.

rust-reversi's `AlphaBetaSearch(evaluator, d, ...)` searches d + 1 plies, so it is given one less.
With the square weights both compute the same evaluation and return the same scores, which is
checked; this is the comparison of like with like. The disc count costs the peer next to nothing,
and shows the searches alone. A pass is a ply for us and none for it, so positions whose line holds
a pass may differ.
"""

from __future__ import annotations

import numpy as np
import rust_reversi

from benchmarks.common import midgame_positions, record, seconds
from games import Evaluator, Position
from games.bits import popcount
from jit import jit
from models import load_evaluator
from search import new_memory, search

_WEIGHTS = [[100, -25, 10, 5], [-25, -25, 1, 1], [10, 1, 5, 2], [5, 1, 2, 1]]
MATRIX = [[_WEIGHTS[min(r, 7 - r)][min(c, 7 - c)] for c in range(8)] for r in range(8)]
"""The weights of `wpc`, in hundredths."""


@jit
def _discs(position, integers, floats):  # type: ignore[no-untyped-def]
    return np.float32(popcount(position[0]) - popcount(position[1]))


def board_of(position: Position) -> rust_reversi.Board:
    """Return the peer's board of a position."""
    board = rust_reversi.Board()
    cells, side = position.text.split()
    turn = rust_reversi.Turn.BLACK if side == "X" else rust_reversi.Turn.WHITE
    board.set_board_str(cells, turn)
    return board


def main() -> None:
    """Compare the two over 20 positions at depths 8 and 10."""
    positions = midgame_positions()
    game = positions[0].game
    pairs = {
        "square weights": (
            load_evaluator("wpc", game),
            lambda: rust_reversi.MatrixEvaluator(MATRIX),
            100.0,
        ),
        "discs": (Evaluator("discs", "othello", _discs), rust_reversi.PieceEvaluator, 1.0),
    }
    rows = []
    for name, (ours, theirs, unit) in pairs.items():
        for depth in (8, 10):
            memory = new_memory(game, 18)
            search(positions[0], ours, depth=depth, exact_from=0, memory=memory)
            own = peer = 0.0
            nodes = differing = 0
            for position in positions:
                memory.table[:] = 0
                board, peer_search = (
                    board_of(position),
                    rust_reversi.AlphaBetaSearch(theirs(), depth - 1, 10**6),
                )
                result = search(position, ours, depth=depth, exact_from=0, memory=memory)
                own += result.seconds
                nodes += result.nodes
                peer += seconds(lambda s=peer_search, b=board: s.get_move(b))  # type: ignore[misc]
                score = peer_search.get_search_score(board) / unit
                differing += abs(score - result.score) > 1e-3
            rows.append(
                {
                    "evaluator": name,
                    "depth": depth,
                    "samuel s": own,
                    "rust-reversi s": peer,
                    "times faster": peer / own,
                    "M nodes/s": nodes / own / 1e6,
                    "other scores": differing,
                }
            )
    record("search", rows, "20 midgame positions, one thread, the same true depth")


if __name__ == "__main__":
    main()

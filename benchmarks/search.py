"""Search against rust-reversi: time to the same true depth, and positions a second.

rust-reversi's `AlphaBetaSearch(evaluator, d, ...)` searches d + 1 plies, so it is given one less.
With the square weights both compute the same evaluation and return the same scores, which is
checked; this is the comparison of like with like. The disc count costs the peer next to nothing,
and shows the searches alone. A pass is a ply for us and none for it, so positions whose line holds
a pass may differ. Its evaluations are counted by an evaluator in Python and timed with its own.
"""

from __future__ import annotations

import numpy as np
import rust_reversi

from benchmarks.common import midgame_positions, record, seconds
from samuel.games import Evaluator, Position
from samuel.kernels.bits import popcount
from samuel.kernels.jit import jit
from samuel.models import load_evaluator
from samuel.search import new_memory, search

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


class _Counting(rust_reversi.Evaluator):  # type: ignore[misc]
    """The disc count, counting its calls."""

    calls = 0

    def evaluate(self, board: rust_reversi.Board) -> int:
        self.calls += 1
        return int(board.diff_piece_num())


def peer_evaluations(position: Position, depth: int) -> int:
    """Return how many positions the peer evaluates on the way to a depth."""
    evaluator = _Counting()
    evaluator.set_py_evaluator(evaluator)
    rust_reversi.AlphaBetaSearch(evaluator, depth - 1, 10**6).get_move(board_of(position))
    return evaluator.calls


def peer_seconds(position: Position, evaluator: rust_reversi.Evaluator, depth: int) -> float:
    """Return how long the peer takes to reach a depth."""
    peer = rust_reversi.AlphaBetaSearch(evaluator, depth - 1, 10**6)
    board = board_of(position)
    return seconds(lambda: peer.get_move(board))


def main() -> None:
    """Compare over 20 midgame positions: time at three depths, and speed at depth 10."""
    positions = midgame_positions()
    game = positions[0].game
    discs = Evaluator("discs", "othello", _discs)
    ours = {"discs": discs, **{n: load_evaluator(n, game) for n in ("wpc", "classic")}}
    peers = {
        "disc count": (rust_reversi.PieceEvaluator, 1.0),
        "square weights": (lambda: rust_reversi.MatrixEvaluator(MATRIX), 100.0),
    }
    alike = {("discs", "disc count"), ("wpc", "square weights")}
    rows = []
    for depth in (8, 10, 11):
        own, nodes, scores = {}, {}, {}
        for name, evaluator in ours.items():
            memory = new_memory(game, 20, 2)
            search(positions[0], evaluator, depth=4, exact_from=0, memory=memory)
            results = []
            for position in positions:
                memory.table[:] = 0
                results.append(
                    search(position, evaluator, depth=depth, exact_from=0, memory=memory)
                )
            own[name] = sum(result.seconds for result in results)
            nodes[name] = sum(result.nodes for result in results)
            scores[name] = [result.score for result in results]
        for peer, (made, unit) in peers.items():
            theirs = sum(peer_seconds(position, made(), depth) for position in positions)
            for name in ours:
                differing = None
                if (name, peer) in alike:
                    found = [
                        rust_reversi.AlphaBetaSearch(made(), depth - 1, 10**6).get_search_score(
                            board_of(position)
                        )
                        / unit
                        for position in positions
                    ]
                    pairs = zip(found, scores[name], strict=True)
                    differing = sum(abs(one - other) > 1e-3 for one, other in pairs)
                rows.append(
                    {
                        "depth": depth,
                        "samuel with": name,
                        "rust-reversi with": peer,
                        "samuel s": own[name],
                        "rust-reversi s": theirs,
                        "times faster": theirs / own[name],
                        "samuel M nodes/s": nodes[name] / own[name] / 1e6,
                        "other scores": "" if differing is None else differing,
                    }
                )
    few = positions[:4]
    counted = sum(peer_evaluations(position, 8) for position in few)
    timed = sum(peer_seconds(position, rust_reversi.PieceEvaluator(), 8) for position in few)
    record(
        "search",
        rows,
        "20 midgame positions, one thread, the same true depth; rust-reversi makes "
        f"{counted / timed / 1e6:.1f} M disc evaluations a second",
    )


if __name__ == "__main__":
    main()

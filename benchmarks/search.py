"""Search: speed against rust-reversi, nodes that methods and chance cuts save, cost of a call.

rust-reversi's `AlphaBetaSearch(evaluator, d, ...)` searches d + 1 plies, so it is given one less.
With the square weights both compute the same evaluation and return the same scores, which is
checked; this is the comparison of like with like. The disc count costs the peer next to nothing,
and shows the searches alone. A pass is a ply for us and none for it, so positions whose line holds
a pass may differ. Its evaluations are counted by an evaluator in Python and timed with its own.

`search-methods`: plain alpha-beta searches moves in the order of the rules; then the methods are
added one at a time, each to all before it. With b children a node, minimax visits about b^d
positions; the literature has b^(3d/4) for moves in random order and b^(d/2) for the best first. The
exponent is the slope of the logarithm of the mean nodes over depth, in units of the logarithm of b,
which is the growth of perft on the same positions.

`search-chance`: all forms return the scores of expectiminimax. Ballard (1983) saved 25 to 30 % of
the nodes by Star1, more than half by Star2, and nine tenths with good moves first.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import rust_reversi
from joblib import Parallel, delayed

from benchmarks.common import midgame_positions, record, seconds
from samuel.games import Evaluator, Position, game_named
from samuel.games.perft import perft
from samuel.games.playing import random_positions
from samuel.kernels.bits import popcount
from samuel.kernels.jit import jit
from samuel.models import load_evaluator
from samuel.search import AlphaBeta, SearchOptions, analyse, new_memory

_WEIGHTS = [[100, -25, 10, 5], [-25, -25, 1, 1], [10, 1, 5, 2], [5, 1, 2, 1]]
MATRIX = [[_WEIGHTS[min(r, 7 - r)][min(c, 7 - c)] for c in range(8)] for r in range(8)]
"""The weights of `wpc`, in hundredths."""
DEPTHS = range(4, 11)
MOST_NODES = 2_000_000
"""Mean nodes at which a row ends: the next depth would take ten times as many."""
METHODS = (
    "table",
    "killers",
    "history",
    "deepening",
    "pvs",
    "enhanced_cutoffs",
    "game_order",
    "evaluation_order",
    "aspiration",
    "internal_deepening",
    "correction",
)
FORMS = {
    "expectiminimax": AlphaBeta(chance="expectiminimax"),
    "star1": AlphaBeta(chance="star1"),
    "star2": AlphaBeta(chance="star2"),
    "star2.5, k = 2": AlphaBeta(chance="star2", probes=2),
    "star2.5, k = 3": AlphaBeta(chance="star2", probes=3),
}
CASES = (("pig", "hold_at_20", 8), ("backgammon", "pubeval", 1), ("backgammon", "pubeval", 2))
"""Game, evaluator and depth in decisions: the dice between them are no plies of depth."""
POSITIONS = 50


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


def peers() -> None:
    """Compare over 20 midgame positions: time at three depths, and speed at depth 10."""
    positions = midgame_positions()
    game = positions[0].game
    discs = Evaluator("discs", "othello", _discs)
    ours = {"discs": discs, **{n: load_evaluator(n, game) for n in ("wpc", "classic")}}
    theirs_by_name = {
        "disc count": (rust_reversi.PieceEvaluator, 1.0),
        "square weights": (lambda: rust_reversi.MatrixEvaluator(MATRIX), 100.0),
    }
    alike = {("discs", "disc count"), ("wpc", "square weights")}
    rows = []
    for depth in (8, 10, 11):
        own, nodes, scores = {}, {}, {}
        for name, evaluator in ours.items():
            memory = new_memory(game, 20, 2)
            analyse(positions[0], evaluator, depth=4, exact_from=0, memory=memory)
            results = []
            for position in positions:
                memory.table[:] = 0
                results.append(
                    analyse(position, evaluator, depth=depth, exact_from=0, memory=memory)
                )
            own[name] = sum(result.seconds for result in results)
            nodes[name] = sum(result.nodes for result in results)
            scores[name] = [result.score for result in results]
        for peer, (made, unit) in theirs_by_name.items():
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


def nodes_of(positions: list[Position], depth: int, options: SearchOptions) -> float:
    """Return the mean nodes of searches of the positions, each with new tables."""
    evaluator = load_evaluator("classic", positions[0].game)

    def nodes(position: Position) -> int:
        memory = new_memory(position.game, 20, 2, options)
        return analyse(position, evaluator, depth=depth, exact_from=0, memory=memory).nodes

    work = Parallel(n_jobs=-1, prefer="threads")
    return float(np.mean(work(delayed(nodes)(position) for position in positions)))


def row_of(
    name: str, positions: list[Position], options: SearchOptions, branching: float
) -> dict[str, Any]:
    """Return the mean nodes by depth, and the e with which they grow as branching^(e * depth)."""
    means: list[float] = []
    for depth in DEPTHS:
        means.append(nodes_of(positions, depth, options))
        if means[-1] > MOST_NODES:
            break
    depths = list(DEPTHS)[: len(means)]
    slope = np.polyfit(depths, np.log(means), 1)[0]
    counts = {f"d{depth}": "" for depth in DEPTHS}
    counts |= {f"d{depth}": f"{mean:,.0f}" for depth, mean in zip(depths, means, strict=True)}
    return {"methods": name, **counts, "exponent": float(slope / np.log(branching))}


def methods() -> None:
    """Add the methods one at a time over 50 midgame positions with `classic`."""
    positions = midgame_positions(POSITIONS)
    leaves = [np.mean([perft(position, depth) for position in positions]) for depth in (2, 6)]
    branching = float((leaves[1] / leaves[0]) ** (1 / 4))
    options = SearchOptions.none()
    rows = [row_of("plain alpha-beta", positions, options, branching)]
    for method in METHODS:
        options = replace(options, **{method: True})
        rows.append(row_of(f"+ {method.replace('_', ' ')}", positions, options, branching))
    rows.append(row_of("as usual", positions, SearchOptions(), branching))
    note = f"mean nodes, classic, b = {branching:.2f}; correction changes scores"
    record("search-methods", rows, note)


def chance() -> None:
    """Count the nodes of each form of expectiminimax, with tables of its own."""
    rows: list[dict[str, Any]] = []
    for name, of, depth in CASES:
        game = game_named(name)
        found = (
            Position(game, tuple(map(int, row)))
            for row in random_positions(game, 4 * POSITIONS, 11, 6, 40)
        )
        positions = [position for position in found if not position.is_chance][:POSITIONS]
        evaluator = load_evaluator(of, game)
        plain, scores = 0.0, None
        for form, method in FORMS.items():
            results = [analyse(p, evaluator, depth=depth, method=method) for p in positions]
            nodes = float(np.mean([one.nodes for one in results]))
            plain = plain or nodes
            these = [one.score for one in results]
            assert scores in (None, these), f"{form} scores {name} otherwise"
            scores = these
            share = f"{nodes / plain:.0%}"
            rows.append(
                {"game": name, "depth": depth, "form": form, "nodes": nodes, "share": share}
            )
    record("search-chance", rows, f"means of {POSITIONS} positions, tables of 2^20 entries")


def calls() -> None:
    """Time what a call of `analyse` costs, with a memory of its own and with one that is kept."""
    position = midgame_positions(1)[0]
    evaluator, kept = load_evaluator("learned", position.game), new_memory(position.game, 16, 2)

    def least_seconds(depth: int, memory: Any, repeats: int) -> float:
        found = []
        for _ in range(repeats):
            kept.table[:] = 0
            began = time.process_time()
            analyse(position, evaluator, depth=depth, exact_from=0, memory=memory)
            found.append(time.process_time() - began)
        return min(found)

    rows: list[dict[str, Any]] = []
    for name, memory in (("kept", kept), ("new", None)):
        one, eight = least_seconds(1, memory, 500), least_seconds(8, memory, 20)
        times = {"1 ply, us": 1e6 * one, "8 plies, us": 1e6 * eight}
        rows.append({"memory": name, **times, "ratio": f"{one / eight:.1%}"})
    record("search-calls", rows, "least CPU times of one Othello position, learned")


def main() -> None:
    """Run all parts."""
    peers()
    methods()
    chance()
    calls()


if __name__ == "__main__":
    main()

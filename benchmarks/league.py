"""Othello League games a second, against the same protocol written with rust-reversi.

Both play the square weights against the disc count, with the same rules for ties, finished games
and random moves, so the two scores must agree within their errors.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import rust_reversi

from benchmarks.common import median_seconds, record, seconds
from benchmarks.search import MATRIX
from samuel.arena import MatchResult, match, match_statistics
from samuel.games import Evaluator
from samuel.kernels.bits import popcount
from samuel.kernels.jit import jit
from samuel.models import load_evaluator

GAMES, EPSILON = 2000, 0.1


@jit
def _discs(position, integers, floats):  # type: ignore[no-untyped-def]
    return np.float32(popcount(position[0]) - popcount(position[1]))


def _league(*sides: Any) -> MatchResult:
    its: dict[str, Any] = {"method": "greedy", "epsilon": EPSILON, "openings": "start"}
    return match(*sides, pairs=GAMES // 2, **its)


def _peer_move(board: rust_reversi.Board, evaluator: Any, scale: int, rng: random.Random) -> int:
    """Return the peer's move; `scale` is what its evaluator calls a disc."""
    moves = board.get_legal_moves_vec()
    if rng.random() < EPSILON:
        return rng.choice(moves)
    scores = []
    for move in moves:
        child = board.clone()
        child.do_move(move)
        over = child.is_game_over()
        scores.append(-scale * child.diff_piece_num() if over else -evaluator.evaluate(child))
    best = max(scores)
    return rng.choice([move for move, score in zip(moves, scores, strict=True) if score == best])


def _peer_game(sides: Any, rng: random.Random) -> float:
    """Play a game; return what it is worth to the side that began: 1, 1/2 or 0."""
    board, ply = rust_reversi.Board(), 0
    while not board.is_game_over():
        if board.is_pass():
            board.do_pass()
        else:
            board.do_move(_peer_move(board, *sides[ply % 2], rng))
        ply += 1
    return 0.5 if board.is_draw() else float(board.is_black_win())


def _peer_scores() -> tuple[list[float], list[float]]:
    """Return what the square weights made of each pair of games: begun by them, and not."""
    rng = random.Random(1)
    squares = (rust_reversi.MatrixEvaluator(MATRIX), 100)
    discs = (rust_reversi.PieceEvaluator(), 1)
    pairs = range(GAMES // 2)
    first = [_peer_game((squares, discs), rng) for _ in pairs]
    return first, [1 - _peer_game((discs, squares), rng) for _ in pairs]


def main() -> None:
    """Compare games a second, one thread, and the scores."""
    sides = load_evaluator("wpc"), Evaluator("discs", "othello", _discs)
    own = _league(*sides).statistics
    rate = GAMES / median_seconds(lambda: _league(*sides))
    scores: list[Any] = []
    peer_rate = GAMES / seconds(lambda: scores.extend(_peer_scores()))
    peer = match_statistics(*scores)
    rows = [
        {
            "program": name,
            "games": s.games,
            "games/s": games_a_second,
            "ms a game": 1e3 / games_a_second,
            "score %": 100 * s.score,
            "from": 100 * s.score_low,
            "to": 100 * s.score_high,
        }
        for name, s, games_a_second in (
            ("samuel", own, rate),
            ("rust-reversi, looped in Python", peer, peer_rate),
        )
    ]
    record(
        "league",
        rows,
        f"the square weights against the disc count, 1 ply, epsilon {EPSILON}, one thread; "
        f"samuel plays {rate / peer_rate:.0f} times as many games a second",
    )


if __name__ == "__main__":
    main()

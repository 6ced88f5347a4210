"""Labelled self-play positions a second, against a loop written with rust-reversi."""

from __future__ import annotations

import random
import time

import rust_reversi

from benchmarks.common import record
from benchmarks.search import MATRIX
from samuel.selfplay.plan import SelfplayPlan, play_task

DEPTH, OPENING_PLIES = 4, 8


def _peer_game(search: rust_reversi.AlphaBetaSearch, rng: random.Random) -> int:
    """Play a game with labels (score of every position, outcome); return its positions."""
    board, rows, ply = rust_reversi.Board(), [], 0
    while not board.is_game_over():
        if board.is_pass():
            board.do_pass()
        elif ply < OPENING_PLIES:
            board.do_move(rng.choice(board.get_legal_moves_vec()))
        else:
            score, move = search.get_search_score(board), search.get_move(board)
            rows.append((board.get_board(), score, ply))
            board.do_move(move)
        ply += 1
    outcome = board.diff_piece_num()
    return len([(row, outcome) for row in rows])


def _peer_rate(games: int, scores: bool) -> float:
    evaluator = rust_reversi.MatrixEvaluator(MATRIX)
    search = rust_reversi.AlphaBetaSearch(evaluator, DEPTH - 1, 10**6)
    if not scores:  # the cheaper loop: outcome labels alone, one search a move
        search = _MoveOnly(search)
    rng, began, rows = random.Random(1), time.perf_counter(), 0
    for _ in range(games):
        rows += _peer_game(search, rng)
    return rows / (time.perf_counter() - began)


class _MoveOnly:
    """The peer's search without its score."""

    def __init__(self, search: rust_reversi.AlphaBetaSearch) -> None:
        self.get_move = search.get_move

    def get_search_score(self, _board: rust_reversi.Board) -> int:
        return 0


def main() -> None:
    """Compare the rates, one thread."""
    plan = SelfplayPlan(evaluator="wpc", depth=DEPTH, opening_plies=OPENING_PLIES).checked()
    play_task(plan, 0, 4)
    began = time.perf_counter()
    rows = sum(play_task(plan, first, 64).num_rows for first in range(0, 640, 64))
    own = rows / (time.perf_counter() - began)
    peers = {
        "score and outcome": _peer_rate(40, scores=True),
        "outcome alone (one search a move)": _peer_rate(80, scores=False),
    }
    record(
        "selfplay",
        [
            {
                "the peer's labels": name,
                "samuel positions/s": own,
                "rust-reversi positions/s": rate,
                "times as many": own / rate,
            }
            for name, rate in peers.items()
        ],
        f"depth {DEPTH}, the same square weights, one thread; samuel's labels: score, outcome, "
        "exact from 10 empty squares",
    )


if __name__ == "__main__":
    main()

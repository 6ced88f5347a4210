"""Mates of chess: at full width each is found at its depth, and none that is later."""

from __future__ import annotations

from dataclasses import replace

import pytest

from samuel.games import Position, game_named
from samuel.search import AlphaBeta, SearchOptions, analyse, new_memory

GAME = game_named("chess")
FULL_WIDTH = replace(
    SearchOptions(), null_move=False, check_extensions=False, futility=False, exchange=False
)
# Of the collections mate1 to mate3; quiescence sees later mates in the first two of two moves.
MATES = {
    1: [
        "8/6p1/5pk1/7R/B7/8/8/7K w - - 0 1",
        "5K2/8/2qk4/2nPp3/3r4/6B1/B7/3R4 w - e6 0 1",
        "7n/BBP2P1P/8/P1PpK3/P5RR/5k2/Pn2NPN1/3Q2b1 w - d6 0 1",
        "8/2N3p1/5b2/k1B2P2/pP4R1/8/K1nn4/8 b - b3 0 1",
        "rb6/k1p4R/P1P5/PpK5/8/8/8/5B2 w - b6 0 1",
        "r1b3k1/2p2rpp/p7/1p6/3P3q/1BP3bP/PP4P1/RNB1R1K1 w - - 0 1",
        "2n3rr/Pk3p2/3q4/3N4/3Pp2p/4P1p1/3B1PP1/R4RK1 w - - 0 1",
        "8/pp6/2p2p2/6p1/1P6/2Q1P3/k1K2PPP/5B1R w - - 0 38",
    ],
    2: [
        "4nr1k/1bq3pp/5p2/1p2pNQ1/3pP3/1B1P3R/1PP3PP/6K1 w - - 1 0",
        "4r3/2q1rpk1/p3bN1p/2p3p1/4QP2/2N4P/PP4P1/5RK1 w - - 1 0",
        "8/8/8/5P2/R2p1N2/4n1r1/PP6/5k1K b - - 0 1",
        "8/2r2pk1/3p2p1/3Pb3/2P1P2K/6r1/1R2B3/1R6 b - - 0 1",
        "5r2/1qp2pp1/bnpk3p/4NQ2/2P5/1P5P/5PP1/4R1K1 w - - 1 0",
        "1Q6/r3R2p/k2p2pP/p1q5/Pp4P1/5P2/1PP3K1/8 w - - 1 0",
        "8/2P2pk1/3Q4/4pq2/7p/6pP/2r3P1/6RK b - - 0 1",
        "r1b2k2/1p1p1r1B/n4p2/p1qPp3/2P4N/4P1R1/PPQ3PP/R5K1 w - - 1 0",
        "r3k2r/p3bpp1/2q1p1b1/1ppPP1B1/3n3P/5NR1/PP2NP2/K1QR4 b kq - 0 1",
        "3q2r1/p2b1k2/1pnBp1N1/3p1pQP/6P1/5R2/2r2P2/4RK2 w - - 1 0",
        "r3nr1k/1b2Nppp/pn6/q3p1P1/P1p4Q/R7/1P2PP1P/2B2RK1 w - - 1 0",
        "rnb1k2r/pp3ppp/1qp2B2/2bPp3/4P3/2N5/PPP3PP/R2QKBNR b KQkq - 0 1",
    ],
    3: [
        "1r4k1/8/5PP1/K7/6NR/7B/1r6/7R w - - 0 1",
        "2q5/4B2p/7n/4p1pk/P2n1b2/R3P2P/2r3P1/1Q3R1K b - - 0 1",
        "4R3/1k6/bp6/1p1P4/1K6/8/1B6/3Q4 w - - 0 1",
        "8/3K2p1/p7/2pkpB1p/2pbNp2/2p4r/2n1P3/3Qq1n1 w - - 0 1",
        "8/3P2P1/3N4/3k4/4N3/4K3/8/8 w - - 0 1",
        "8/4p3/7R/n7/rp6/kp5Q/8/1K6 w - - 0 1",
        "8/8/2p5/8/2P1p1Pp/1P2Pk1P/rpB1bP2/b2Q2K1 w - - 0 1",
        "8/8/8/8/8/6P1/6k1/4KR1R w K - 0 1",
        "k1B5/2p5/NbN5/8/P2p4/P2p4/P1prp3/2RbK3 w - - 0 1",
        "k7/1pR2R2/p6r/8/1N6/2K5/3P4/4B3 w - - 0 1",
        "n3b3/Npp4R/p1pp4/k7/N7/Kp6/8/R5B1 w - - 0 1",
    ],
}
ALL = [(moves, fen) for moves, fens in MATES.items() for fen in fens]


def mates_at_the_end(position: Position, line: list[str]) -> bool:
    for move in line:
        position = position.play(move)
    return position.is_terminal and position.utility() == -GAME.scores.max_utility


@pytest.mark.parametrize(
    ("moves", "more", "fen"),
    [(n, more, fen) for n, fen in ALL for more in (0, 1) if n < 3 or not more],
)
def test_full_width_finds_the_soonest_mate(moves: int, more: int, fen: str) -> None:
    plies = 2 * moves - 1
    position = Position.parse(fen, GAME)
    method, memory = AlphaBeta(options=FULL_WIDTH), new_memory(GAME, 16)
    found = analyse(position, "material", depth=plies + more, method=method, memory=memory)
    assert found.score == pytest.approx(100 - plies / 1000)
    assert len(found.pv) == plies
    assert mates_at_the_end(position, found.pv)


ZUGZWANG = "k1B5/2p5/NbN5/8/P2p4/P2p4/P1prp3/2RbK3 w - - 0 1"


@pytest.mark.parametrize(
    ("moves", "fen"), [(n, fen) for n in (2, 3) for fen in MATES[n] if fen != ZUGZWANG]
)
def test_a_search_that_prunes_finds_the_soonest_mate(moves: int, fen: str) -> None:
    position, plies = Position.parse(fen, GAME), 2 * moves - 1
    memory = new_memory(GAME, 16)
    found = analyse(position, "classic", depth=16, nodes=5_000_000, memory=memory)
    assert found.score == pytest.approx(100 - plies / 1000)
    assert mates_at_the_end(position, found.pv)

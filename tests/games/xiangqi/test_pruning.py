"""The search that prunes in xiangqi: mates as at full width, and checks that repeat."""

from __future__ import annotations

from dataclasses import replace

import pytest

from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.search import AlphaBeta, SearchOptions, analyse, new_memory

GAME = game_named("xiangqi")
FULL_WIDTH = replace(
    SearchOptions(), null_move=False, check_extensions=False, futility=False, exchange=False
)
# The first three are patterns that every book has: two cannons, a cannon behind a horse, a chariot
# beside a cannon. The others are from random games; Fairy-Stockfish 11.1 finds the same mates.
MATES = {
    1: [
        "3aka3/9/9/9/9/4C4/9/9/8C/3K5 w",
        "4k4/9/4N4/9/9/9/9/9/7C1/3K5 w",
        "3ak1b2/4a4/4b4/9/9/4C4/9/9/3R5/3K5 w",
    ],
    2: [
        "9/4k3N/6C1b/1N1R5/2P1p1R2/p3n3p/9/rc2K4/4A4/6B2 w",
        "r2a5/4k4/b2r1aC2/p1p1p1p2/2P5p/c5B2/6Pc1/5R2N/1n2K3C/2BA1A3 b",
        "3a1k3/1R2c4/8b/8P/pC7/3n2B2/P1r4p1/B8/5pc2/3AK4 b",
        "rCb3b2/2ck1nr2/1cP2a3/p7p/9/1R4p2/8P/4K4/5R2N/1NBA1AB2 w",
    ],
    3: [
        "3k5/4a4/RP1a5/1N7/2b3p2/6p2/6P2/c4A3/4AN3/2p1K3R w",
        "1n1a2bn1/4a2cr/1r1C1k2b/3Pp4/6pcp/P8/4P1PRP/4R1N2/3CA4/1NBAK1B2 w",
        "6b2/r1cC1k3/5a2b/1rp1R1p2/6n1p/p7P/N1P6/B3RA3/9/4K2N1 w",
        "3R5/4k2C1/8C/rcp1P4/9/p1B5p/2P2n3/2R1B2p1/4K4/3A1A1N1 w",
    ],
    4: [
        "3a1Rb2/1R1nk2P1/9/9/2b3p1C/1p7/3rp4/B4K3/9/1r1A3N1 w",
        "1nb1k2nr/3P5/R2a1a2b/4P2C1/P3RC3/1NB3p2/5pp1P/9/3K5/c2A1ABN1 w",
        "1nb2k3/9/3a3cP/2P6/5np2/R8/6P2/B5r2/3K1N3/3A5 b",
    ],
}


def mates_at_the_end(position: Position, line: list[str]) -> bool:
    for move in line:
        position = position.play(move)
    return position.is_terminal and position.utility() == -GAME.scores.max_utility


@pytest.mark.parametrize(("moves", "fen"), [(n, fen) for n, fens in MATES.items() for fen in fens])
def test_the_search_finds_the_soonest_mate(moves: int, fen: str) -> None:
    position, plies = Position.parse(fen, GAME), 2 * moves - 1
    found = analyse(position, "classic", depth=plies + 3, memory=new_memory(GAME, 16))
    assert found.score == pytest.approx(GAME.scores.max_utility - plies / 1000)
    assert len(found.pv) == plies and mates_at_the_end(position, found.pv)


@pytest.mark.parametrize(
    ("moves", "fen"), [(n, fen) for n in (1, 2, 3) for fen in MATES[n][: 5 - n]]
)
def test_full_width_finds_the_same_mate(moves: int, fen: str) -> None:
    plies, method = 2 * moves - 1, AlphaBeta(options=FULL_WIDTH)
    found = analyse(Position.parse(fen, GAME), "material", depth=plies, method=method)
    assert found.score == pytest.approx(GAME.scores.max_utility - plies / 1000)


def test_a_win_of_the_search_is_one_of_full_width() -> None:
    wins = 0
    method, memory, other = AlphaBeta(options=FULL_WIDTH), new_memory(GAME, 16), new_memory(GAME)
    for row in random_positions(GAME, 400, seed=9, min_plies=20, max_plies=120):
        position = Position(GAME, tuple(map(int, row)), int(row[-1]))
        found = analyse(position, "classic", depth=4, memory=memory)
        if abs(found.score) > GAME.scores.max_utility - 0.0035:  # within four plies
            again = analyse(position, "material", depth=4, method=method, memory=other)
            assert again.score == found.score, position.text
            wins += 1
    assert wins > 10


# Black threatens mate; Red can only check, from d5 and e5 in turns.
HUNTED = "3k5/9/9/9/9/4R4/9/1r7/r8/5K3 w"


def test_checks_that_repeat_are_a_loss_and_no_draw() -> None:
    found = analyse(Position.parse(HUNTED, GAME), "material", depth=6)
    assert found.score < -90

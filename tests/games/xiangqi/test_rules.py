"""Xiangqi against published counts, another program's moves, and what the rules say.

Positions of xiangqi that come again: perpetual check, and what is a draw.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.perft import perft
from samuel.games.playing import random_positions
from samuel.search import analyse
from samuel.testing import check_game

GAME = game_named("xiangqi")
NOTATION: Any = GAME.notation
START = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w"
# Chess Programming Wiki, "Chinese Chess Perft Results"; counted again by Fairy-Stockfish 11.1, but
# for the last of the start, and the fifth of the second and of the last position.
LEAVES = {
    START: [44, 1920, 79666, 3290240, 133312995],
    "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w": [
        *(38, 1128, 43929, 1339047, 53112976),
    ],
    "5a3/3k5/3aR4/9/5r3/5n3/9/3A1A3/5K3/2BC2B2 w": [
        *(25, 424, 9850, 202884, 4739553, 100055401),
    ],
    "CRN1k1b2/3ca4/4ba3/9/2nr5/9/9/4B4/4A4/4KA3 w": [
        *(28, 516, 14808, 395483, 11842230, 367168327),
    ],
    "R1N1k1b2/9/3aba3/9/2nr5/2B6/9/4B4/4A4/4KA3 w": [
        *(21, 364, 7626, 162837, 3500505, 81195154),
    ],
    "4ka3/4a4/9/9/4N4/p8/9/4C3c/7n1/2BK5 w": [23, 345, 8124, 149272, 3513104, 71287903],
    "2b1ka3/9/b3N4/4n4/9/9/9/4C4/2p6/2BK5 w": [21, 195, 3883, 48060, 933096, 12250386],
    "CnN1k1b2/c3a4/4ba3/9/2nr5/9/9/4C4/4A4/4KA3 w": [
        *(19, 583, 11714, 376467, 8148177, 270587571),
    ],
    "r2akab1r/3n5/4b3n/p1p1pRp1p/9/2P3P2/P3P3c/N2C3C1/4A4/1RBAK1B2 w": [
        *(58, 1651, 90744, 2605437, 140822416),
    ],
}
# Fairy-Stockfish and others; mates before the last ply, which count nothing, would make it 649,931.
MATES = "1C2ka3/9/C1Nab1n2/p3p3p/6p2/9/P3P3P/3AB4/3p2c2/c1BAK4 w - - 0 1"
CHECKED, QUICK = 20_000, 4
FACING = "3k5/9/9/9/9/9/9/9/9/4K4 w"


def at(text: str) -> Position:
    return Position.parse(text, GAME)


def moves_at(text: str) -> list[str]:
    position = at(text)
    return sorted(map(NOTATION.write_move, GAME.moves_in(position.row).tolist()))


def some_positions(number: int, seed: int) -> list[Position]:
    """Return positions of random games, both sides to move."""
    rows = random_positions(GAME, number, seed=seed, max_plies=250)
    return [Position(GAME, tuple(row.tolist()), int(row[-1])) for row in rows]


@pytest.mark.slow
def test_the_rules_agree_with_what_the_game_says_of_itself() -> None:
    check_game(GAME)


@pytest.mark.parametrize(
    ("text", "depth", "leaves"),
    [
        pytest.param(text, depth, leaves, marks=[pytest.mark.slow] * (depth > QUICK))
        for text, counts in LEAVES.items()
        for depth, leaves in enumerate(counts, 1)
    ],
)
def test_perft(text: str, depth: int, leaves: int) -> None:
    assert perft(at(text), depth) == leaves


def test_perft_counts_no_mate_before_the_last_ply() -> None:
    assert perft(at(MATES), 4) == 649_866


@pytest.mark.slow
def test_moves_are_those_of_pyffish() -> None:
    pyffish = pytest.importorskip("pyffish", reason="pip install pyffish")
    for position in some_positions(CHECKED, seed=3):
        theirs = sorted(pyffish.legal_moves("xiangqi", f"{position.text} - - 0 1", []))
        assert moves_at(position.text) == theirs, position.text


def test_generals_may_not_face_each_other() -> None:
    assert moves_at(FACING) == ["e1e2", "e1f1"]
    assert "e2d2" not in moves_at("4k4/9/9/9/9/9/9/9/4C4/4K4 w"), "the cannon stands between"


def test_what_blocks_horses_and_elephants_and_what_cannons_need() -> None:
    horse = "3k5/9/9/9/9/4p4/4N4/9/9/5K3 w"
    assert [m for m in moves_at(horse) if m.startswith("e4")] == [
        *("e4c3", "e4c5", "e4d2", "e4f2", "e4g3", "e4g5"),
    ]
    elephant = "3k5/9/9/9/9/9/9/4B4/3p5/5K3 w"
    assert [m for m in moves_at(elephant) if m.startswith("e3")] == ["e3c5", "e3g1", "e3g5"]
    cannon = "r2k5/9/9/p8/9/9/9/9/9/C4K3 w"
    assert "a1a10" in moves_at(cannon)
    assert "a1a7" not in moves_at(cannon)


def test_soldiers_step_aside_beyond_the_river_only() -> None:
    text = "3k5/9/9/9/4P4/P8/9/9/9/5K3 w"
    soldiers = [m for m in moves_at(text) if m[0] in "ae"]
    assert soldiers == ["a5a6", "e6d6", "e6e7", "e6f6"]


@pytest.mark.parametrize(
    "text",
    [
        "3k5/3R5/3R5/9/9/9/9/9/9/4K4 b",  # check
        "3k5/2P6/4R4/9/9/9/9/9/9/4K4 b",  # none, but no square is left
    ],
)
def test_who_cannot_move_has_lost(text: str) -> None:
    position = at(text)
    assert moves_at(text) == []
    assert position.is_terminal
    assert position.utility() == -GAME.scores.max_utility


def test_a_position_that_stands_three_times_is_a_draw() -> None:
    position, count = at("4k4/9/9/9/r8/8R/9/9/9/3K5 w"), 0
    for move in itertools.cycle(("i5i4", "a6a7", "i4i5", "a7a6")):
        if position.is_terminal:
            break
        position, count = position.play(NOTATION.read_move(move)), count + 1
    assert count == 8
    assert position.utility() == 0


def test_captures_are_pending_and_in_check_every_move() -> None:
    capturing = at("3k5/9/9/p8/9/9/9/9/9/R4K3 w")
    noisy, must = GAME.noisy_in(capturing.row)
    assert [NOTATION.write_move(int(m)) for m in noisy] == ["a1a7"] and not must
    checked = at("3k5/9/9/9/9/9/9/9/9/r4K3 w")
    noisy, must = GAME.noisy_in(checked.row)
    assert sorted(NOTATION.write_move(int(m)) for m in noisy) == moves_at(checked.text)
    assert must
    noisy, must = GAME.noisy_in(checked.row, beyond=8)
    assert not len(noisy) and not must, "checks that meet checks must end"
    assert GAME.noisy_in(Position.start(GAME).row)[0].tolist() != [], "cannons take horses"


def test_positions_and_moves_read_back() -> None:
    for position in some_positions(300, seed=4):
        again = at(position.text)
        assert (again.words, again.side) == (position.words, position.side)
        for move in GAME.moves_in(position.row).tolist():
            assert NOTATION.read_move(NOTATION.write_move(move)) == move
    assert NOTATION.read_moves("h3e3 h10g8") == [
        *(NOTATION.read_move("H3-E3"), NOTATION.read_move("h10g8")),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "RNBAKABNR w"),
        (START.replace(" w", " x"), "RNBAKABNR w"),
        ("9/9/9 w", "a position must have 10 rows with"),
        (
            START.replace("1c5c1", "1c5c2"),
            "' is not a row of 9 squares: pieces are K A B N R C P, or",
        ),
        (
            START.replace("1c5c1", "1x5c1"),
            "' is not a row of 9 squares: pieces are K A B N R C P, or",
        ),
        (START.replace("1c5c1", "1c3c1c1"), "a side has 3 of the cannons c; the most is 2"),
        (START.replace("RNBAKABNR", "RNBA1ABNR"), "the general K is missing"),
        ("3k5/9/9/9/9/9/9/9/P8/4K4 w", "a piece stands where it cannot be: generals and advisors"),
        ("3k5/9/9/9/9/9/9/K8/9/9 w", "a piece stands where it cannot be: generals and advisors"),
        ("3k5/9/9/9/9/9/9/4b4/9/4K4 w", "a piece stands where it cannot be: generals and advisors"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 w", "the generals face each other"),
        ("4k4/9/9/4R4/9/9/9/9/9/3K5 w", "the side that is not to move is in check"),
        ("4k4/9/9/9/9/9/9/9/4r4/4K4 b", "the side that is not to move is in check"),
        ("3k5/9/2N6/9/9/9/9/9/9/4K4 w", "the side that is not to move is in check"),
    ],
)
def test_what_is_no_position(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        at(text)


CHARIOT = "3k5/9/9/9/9/9/9/9/4R4/5K3 w"
CHECKS = ["e2d2", "d10e10", "d2e2", "e10d10"]


def after(text: str, moves: list[str]) -> Position:
    position = Position.parse(text, GAME)
    for move in moves:
        position = position.play(move)
    return position


BLACK = "5k3/4r4/9/9/9/9/9/9/9/3K5 b"


@pytest.mark.parametrize(
    ("text", "moves", "utility"),
    [
        (CHARIOT, CHECKS, -1),  # so Fairy-Stockfish has it, too
        (BLACK, ["e9d9", "d1e1", "d9e9", "e1d1"], -1),
        (CHARIOT, ["e2a2", "d10d9", "a2e2", "d9d10"], 0),  # nobody checks
        (
            CHARIOT,
            ["e2d2", "d10e10", "d2a2", "e10d10", "a2b2", "d10d9", "b2e2", "d9d10"],
            0,
        ),  # at times
    ],
)
def test_who_checks_for_ever_has_lost(text: str, moves: list[str], utility: int) -> None:
    start = Position.parse(text, GAME)
    end = after(text, moves * 2)
    assert end == start
    assert (
        end.is_terminal
        and end.utility() == utility * GAME.scores.max_utility
        and end.is_drawn == (utility == 0)
    )
    assert not after(text, (moves * 2)[:-1]).is_terminal


def test_the_search_does_not_check_for_ever() -> None:
    """The general is driven to and fro: the third time, only another move does not lose."""
    before = after(CHARIOT, (CHECKS * 2)[:-2])  # the chariot to move, its next check is answered
    found = analyse(before, "classic", depth=3, all_moves=True)
    assert found.moves is not None
    assert found.moves["d2e2"] < -90 < found.score and found.move != "d2e2"
    answers = analyse(before.play("d2e2"), "classic", depth=2, all_moves=True)
    assert answers.moves is not None and answers.move == "e10d10" and answers.score > 90

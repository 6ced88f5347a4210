"""The rules of backgammon against known counts, and against a plain generator of its own.

Small races against known values: exact solvers of others, one of them GNU Backgammon's table.
"""

from __future__ import annotations

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.games import Position
from samuel.games.backgammon.identifiers import checkers_of, position_id, words_of
from samuel.games.backgammon.rules import GAME
from samuel.games.perft import perft
from samuel.games.playing import random_positions
from samuel.games.rows import are_possible
from samuel.search import analyse
from samuel.testing import check_game

OPENING = {
    "11": 42, "21": 15, "22": 75, "31": 16, "33": 73, "41": 14, "42": 18, "43": 17,
    "51": 8, "52": 8, "54": 9, "55": 4, "62": 14, "63": 14, "64": 14, "65": 7,
}  # fmt: skip
"""Distinct plays of throws at the start: two generators of others' and GNU Backgammon's agree."""


def test_the_contract() -> None:
    check_game(GAME)


def test_perft() -> None:
    # counted by GNU Backgammon's generator: distinct positions, a forced pass counts once
    assert [perft(Position.start(GAME), depth) for depth in (1, 2)] == [447, 202782]


def test_plays_of_opening_throws() -> None:
    start = Position.start(GAME)
    assert len(start.outcomes()) == 21
    plays = {throw: start.play(throw).legal_moves() for throw, _ in start.outcomes()}
    counts = {throw: len(listed) for throw, listed in plays.items()}
    assert {throw: counts[throw] for throw in OPENING} == OPENING
    weighted = [weight * counts[throw] for throw, weight in start.outcomes()]
    assert sum(weighted) == 637
    after = {start.play(throw).play(one).words for throw in plays for one in plays[throw]}
    assert len(after) == 406


# A generator of its own: a side is a list of 26 counts, places as in checkers.py.


def steps(mine: list[int], theirs: list[int], die: int) -> list[tuple[list[int], list[int]]]:
    """Return what one die can lead to."""
    reached = []
    for start in range(1, 26):
        if not mine[start] or (mine[25] and start != 25):
            continue
        end = start - die
        if end <= 0:
            if any(mine[7:]) or (end < 0 and any(mine[start + 1 :])):
                continue
            end = 0
        elif theirs[25 - end] > 1:
            continue
        one, other = mine[:], theirs[:]
        one[start] -= 1
        one[end] += 1
        if end and other[25 - end]:
            other[25 - end] -= 1
            other[25] += 1
        reached.append((one, other))
    return reached


def longest(mine: list[int], theirs: list[int], dice: list[int]) -> tuple[int, set[object]]:
    """Return how many dice can be played in this order, and what all such plays lead to."""
    if dice:
        below = [longest(*after, dice[1:]) for after in steps(mine, theirs, dice[0])]
        if below:
            most = max(n for n, _ in below)
            return most + 1, set().union(*(found for n, found in below if n == most))
    return 0, {(tuple(mine), tuple(theirs))}


def plays_of(mine: list[int], theirs: list[int], larger: int, smaller: int) -> set[object]:
    if larger == smaller:
        return longest(mine, theirs, [larger] * 4)[1]
    one, other = (longest(mine, theirs, dice) for dice in ([larger, smaller], [smaller, larger]))
    most = max(one[0], other[0])
    if most == 2:
        return set().union(*(found for n, found in (one, other) if n == 2))
    # one die at most: the larger where it can be played
    return one[1] if one[0] else other[1]


def positions() -> np.ndarray:
    """Return positions of random games, of races, of bearing off, and some of odd places."""
    random = np.random.default_rng(3)
    rows = list(random_positions(GAME, 1500, seed=5, max_plies=400))
    for top in (6, 6, 8, 12, 25):
        for _ in range(300):
            sides = []
            for _side in range(2):
                counts = dict.fromkeys(range(1, 26), 0)
                for place in random.integers(1, top + 1, random.integers(1, 16)):
                    counts[int(place)] += 1
                sides.append(counts)
            for point in range(1, 25):
                if sides[0][point]:
                    sides[1][25 - point] = 0
            rows.append(GAME.row((*words_of(sides[0]), *words_of(sides[1]), 0)))
    return np.array(rows)


@pytest.mark.slow
def test_plays_lead_where_a_plain_generator_leads() -> None:
    random, seen = np.random.default_rng(4), 0
    rows = positions()
    assert are_possible(GAME, rows).all()
    for row in rows:
        if row[4] == 0:
            larger, smaller = sorted(random.integers(1, 7, 2).tolist(), reverse=True)
            row[4] = larger << 3 | smaller
        if GAME.is_over(row):
            continue
        mine, theirs = checkers_of(row[0], row[1]), checkers_of(row[2], row[3])
        expected = plays_of(mine, theirs, int(row[4]) >> 3, int(row[4]) & 7)
        moves = GAME.moves_in(row).tolist()
        children = [GAME.child_of(row, move) for move in moves]
        found = [(tuple(checkers_of(c[2], c[3])), tuple(checkers_of(c[0], c[1]))) for c in children]
        assert len(set(found)) == len(found)
        assert set(found) == expected, position_id(tuple(map(int, row)))
        for move in moves:
            assert GAME.notation.read_move(GAME.notation.write_move(move)) == move
        seen += len(moves)
    assert seen > 30_000


def side(**places: int) -> dict[int, int]:
    return {int(name[1:]): n for name, n in places.items()}


def position(mine: dict[int, int], theirs: dict[int, int], dice: str = "") -> Position:
    words = (*words_of(mine), *words_of(theirs), 0)
    start = Position(GAME, words)
    return start.play(dice) if dice else start


@pytest.mark.parametrize(
    ("mine", "theirs", "points"),
    [
        ({}, {1: 1}, 1),
        ({1: 1}, {}, -1),
        ({}, {25: 1, 1: 14}, 3),
        ({}, {18: 1, 1: 14}, 2),
        ({}, {19: 1, 1: 14}, 3),
        ({19: 1, 1: 13}, {}, -1),
        ({24: 1, 1: 14}, {}, -3),
    ],
)
def test_results(mine: dict[int, int], theirs: dict[int, int], points: int) -> None:
    assert position(mine, theirs).utility() == points


def test_the_larger_die_where_only_one_can_be_played() -> None:
    # 13 steps of one checker are blocked; either die alone could be played
    blocked = {25 - 2: 2, 1: 13}
    assert position({13: 1}, blocked, "65").legal_moves() == ["13/7"]
    assert position({13: 1}, {25 - 2: 2, 1: 11, 25 - 7: 2}, "65").legal_moves() == ["13/8"]
    assert position({13: 1}, {25 - 7: 2, 25 - 8: 2, 1: 11}, "65").legal_moves() == ["pass"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("4HPwATDgc/ABMA", "a position must be its ID, the side to move"),
        ("4HPwATDgc/ABM X", "is no position ID"),
        ("//////////////// X", "is no position ID"),
        ("/////////////w X", "is no position ID"),
        ("//8BAAAAAAAAAA X", "17 checkers"),
        ("4HPwATDgc/ABMA X 07", "'07' is not a throw of two dice; write it like 31"),
        ("4HPwATDgc/ABMA Z", "the side to move"),
        ("4HPwATDgc\u00e9ABMA X", "is no position ID"),
    ],
)
def test_what_is_no_position(text: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        Position.parse(text, GAME)


def test_a_transcript() -> None:
    end = Position.from_transcript("31 8/5 6/5 64 24/18 13/9", GAME)
    assert (end.side, end.is_chance) == (0, True)
    with pytest.raises(UserError, match="not legal"):
        Position.from_transcript("31 8/5 6/5 31", GAME).play("31").play("24/18")


CHANCES = [
    ("0,0,0,0,0,1", "1,0,0,0,0,0", 0.75),
    ("0,1,0,0,0,1", "1,0,0,0,0,0", 13 / 36),
    ("0,0,0,0,1,1", "1,0,0,0,0,0", 6 / 36),
    ("0,0,1,1,0,0", "1,0,0,0,0,0", 17 / 36),
    ("0,0,0,0,2,0", "1,0,0,0,0,0", 6 / 36),
    ("0,0,0,1,0,1", "0,0,0,0,0,2", 0.865371748),
]


def race(mine: str, theirs: str = "1,0,0,0,0,0") -> Position:
    """Return a position by the checkers on the points 1 to 6 of both sides."""
    sides = [words_of(dict(enumerate(map(int, one.split(",")), 1))) for one in (mine, theirs)]
    return Position(GAME, (*sides[0], *sides[1], 0))


@pytest.mark.parametrize(("mine", "theirs", "chance"), CHANCES)
def test_the_search_finds_the_chances_of_small_races(mine: str, theirs: str, chance: float) -> None:
    # some are borne off on both sides, so that no gammon can be won; means are rounded
    found = analyse(race(mine, theirs), "zero", depth=6)
    assert found.score == pytest.approx(2 * chance - 1, abs=0.001)


def test_a_gammon_counts_twice() -> None:
    # one checker left, and not one of the other side's has been borne off
    assert analyse(race("1,0,0,0,0,0", "15,0,0,0,0,0"), "zero", depth=1).score == 2

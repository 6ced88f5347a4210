"""Every feature of Othello against a slow plain oracle, on each board.

The oracles know nothing of bits: a board is a dictionary from (row, column) to 1, -1 or 0. Those of
a feature of both sides are asked about 1 (the player) and -1 (the opponent). The features of
Connect Four and tic-tac-toe against slow plain oracles.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from samuel.features import column_names, extract, feature_names, features_named
from samuel.games import game_named
from samuel.games.playing import random_positions

SIZES = {"othello": 8, "othello_6x6": 6, "othello_4x4": 4}
STEPS = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]
BASIC = {"squares", "square_classes", "parity"}
"""Their oracles are below, in tests of their own."""
Board = dict[tuple[int, int], int]
Square = tuple[int, int]


def _positions(game: str) -> Any:
    """Return positions of random games, and late ones, where edges and corners are taken."""
    rules, squares = game_named(game), SIZES[game] ** 2 - 4
    late = random_positions(rules, 60, 6, min_plies=2 * squares // 3, max_plies=squares - 1)
    return np.concatenate([random_positions(rules, 40, 5), late])


def board_of(row: Any, game: str) -> Board:
    size, board = SIZES[game], {}
    margin = (8 - size) // 2
    for r in range(size):
        for c in range(size):
            player, opponent = (int(w) >> (8 * (r + margin) + c + margin) & 1 for w in row)
            board[r, c] = player - opponent
    return board


def size_of(b: Board) -> int:
    return math.isqrt(len(b))


def near(b: Board, s: Square) -> list[Square]:
    return [t for t in ((s[0] + r, s[1] + c) for r, c in STEPS) if t in b]


def touches(b: Board, s: Square, colour: int) -> int:
    return sum(b[t] == colour for t in near(b, s))


def flipped(b: Board, s: Square, side: int) -> set[Square]:
    found: set[Square] = set()
    for r, c in STEPS:
        run, t = [], (s[0] + r, s[1] + c)
        while b.get(t) == -side:
            run.append(t)
            t = (t[0] + r, t[1] + c)
        if b.get(t) == side:
            found.update(run)
    return found


def moves(b: Board, side: int) -> list[Square]:
    return [s for s in b if b[s] == 0 and flipped(b, s, side)]


def after(b: Board, s: Square, side: int) -> Board:
    return {**b, **dict.fromkeys(flipped(b, s, side), side), s: side}


def depth(b: Board, s: Square) -> int:
    """Return the distance of a square from the nearest edge."""
    last = size_of(b) - 1
    return min(*s, last - s[0], last - s[1])


def corners(b: Board) -> list[Square]:
    ends = (0, size_of(b) - 1)
    return [(r, c) for r in ends for c in ends]


def is_x(b: Board, s: Square) -> bool:
    return any(abs(s[0] - k[0]) == abs(s[1] - k[1]) == 1 for k in corners(b))


def is_c(b: Board, s: Square) -> bool:
    return any(abs(s[0] - k[0]) + abs(s[1] - k[1]) == 1 for k in corners(b))


def corner_beside(b: Board, s: Square) -> int | None:
    """Return what stands on the corner of an X or C square; None for other squares."""
    beside = [k for k in corners(b) if max(abs(s[0] - k[0]), abs(s[1] - k[1])) == 1]
    return b[beside[0]] if beside else None


def safe(b: Board, s: Square) -> bool:
    """Return whether a square is next to no empty corner (corners themselves are safe)."""
    return s in corners(b) or corner_beside(b, s) != 0


def edge(b: Board, s: Square) -> bool:
    return depth(b, s) == 0 and s not in corners(b)


def edges(b: Board) -> list[list[Square]]:
    n = size_of(b)
    return [
        *([(k, i) for i in range(n)] for k in (0, n - 1)),
        *([(i, k) for i in range(n)] for k in (0, n - 1)),
    ]


def pieces(squares: set[Square]) -> list[set[Square]]:
    left, found = set(squares), []
    while left:
        waiting, piece = [left.pop()], set()
        while waiting:
            s = waiting.pop()
            piece.add(s)
            more = {(s[0] + r, s[1] + c) for r, c in STEPS} & left
            left -= more
            waiting += more
        found.append(piece)
    return found


def empty(b: Board) -> set[Square]:
    return {s for s in b if b[s] == 0}


def quarters(b: Board) -> list[list[Square]]:
    half = size_of(b) // 2
    return [[s for s in b if (s[0] // half, s[1] // half) == q] for q in np.ndindex(2, 2)]


def stable(b: Board, side: int) -> set[Square]:
    """Return the discs with, on each axis, a full line or an edge or a stable one of theirs."""

    def full(s: Square, r: int, c: int) -> bool:
        line = [(s[0] + k * r, s[1] + k * c) for k in range(-8, 9)]
        return all(b[t] for t in line if t in b)

    found: set[Square] = set()
    while True:
        more = {
            s
            for s in b
            if b[s] == side
            and all(
                full(s, r, c)
                or any(
                    t not in b or t in found for t in ((s[0] + r, s[1] + c), (s[0] - r, s[1] - c))
                )
                for r, c in ((0, 1), (1, 0), (1, 1), (1, -1))
            )
        }
        if more == found:
            return found
        found = more


def can_be_flipped(b: Board, side: int) -> set[Square]:
    return set().union(*(flipped(b, s, -side) for s in moves(b, -side)))


def ratio(a: int, b: int) -> float:
    return (a - b) / (a + b + 2)


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def discs(b: Board, side: int) -> list[Square]:
    return [s for s in b if b[s] == side]


def frontier(b: Board, side: int) -> list[Square]:
    return [s for s in discs(b, side) if touches(b, s, 0)]


def potential(b: Board, side: int) -> list[Square]:
    return [s for s in empty(b) if touches(b, s, -side)]


def replies(b: Board, side: int) -> list[int]:
    """Return how many moves each move leaves the other side; without one, those it has."""
    return [len(moves(after(b, s, side), -side)) for s in moves(b, side)] or [len(moves(b, -side))]


def flip_counts(b: Board, side: int) -> list[int]:
    return [len(flipped(b, s, side)) for s in moves(b, side)]


def wedged(b: Board, s: Square, side: int) -> bool:
    return any(
        b[s] == 0 and 0 < k < len(line) - 1 and b[line[k - 1]] == b[line[k + 1]] == -side
        for line in edges(b)
        if s in line
        for k in [line.index(s)]
    )


def accessible(b: Board, side: int, rest: int) -> int:
    mine = set(moves(b, side))
    return sum(len(p) % 2 == rest and bool(p & mine) for p in pieces(empty(b)))


def beside_empty_corner(b: Board, side: int, is_kind: Callable[[Board, Square], bool]) -> int:
    return sum(is_kind(b, s) and corner_beside(b, s) == 0 for s in discs(b, side))


SIDES: dict[str, Callable[[Board, int], float]] = {
    "mobility": lambda b, s: len(moves(b, s)),
    "potential_mobility": lambda b, s: len(potential(b, s)),
    "frontier": lambda b, s: len(frontier(b, s)),
    "stability": lambda b, s: len(stable(b, s)),
    "corners": lambda b, s: sum(b[k] == s for k in corners(b)),
    "x_squares": lambda b, s: beside_empty_corner(b, s, is_x),
    "c_squares": lambda b, s: beside_empty_corner(b, s, is_c),
    "corner_moves": lambda b, s: sum(m in corners(b) for m in moves(b, s)),
    "x_moves": lambda b, s: sum(is_x(b, m) and not safe(b, m) for m in moves(b, s)),
    "c_moves": lambda b, s: sum(is_c(b, m) and not safe(b, m) for m in moves(b, s)),
    "edge_moves": lambda b, s: sum(edge(b, m) for m in moves(b, s)),
    "safe_moves": lambda b, s: sum(safe(b, m) for m in moves(b, s)),
    "spare_moves": lambda b, s: sum(safe(b, m) for m in set(moves(b, s)) - set(moves(b, -s))),
    "exclusive_moves": lambda b, s: len(set(moves(b, s)) - set(moves(b, -s))),
    "no_moves": lambda b, s: not moves(b, s),
    "mean_flips": lambda b, s: mean(flip_counts(b, s)),
    "mean_replies": lambda b, s: mean(replies(b, s)),
    "interior_discs": lambda b, s: len(discs(b, s)) - len(frontier(b, s)),
    "edge_stability": lambda b, s: sum(edge(b, d) for d in stable(b, s)),
    "interior_stability": lambda b, s: sum(depth(b, d) > 0 for d in stable(b, s)),
    "unstable_discs": lambda b, s: len(can_be_flipped(b, s)),
    "semi_stable_discs": lambda b, s: len(set(discs(b, s)) - can_be_flipped(b, s) - stable(b, s)),
    "edge_discs": lambda b, s: sum(edge(b, d) for d in discs(b, s)),
    "wedges": lambda b, s: sum(wedged(b, e, s) for e in b),
    "odd_access": lambda b, s: accessible(b, s, 1),
    "ring_discs": lambda b, s: sum(depth(b, d) == 1 for d in discs(b, s)),
    "inner_discs": lambda b, s: sum(depth(b, d) > 1 for d in discs(b, s)),
    "centre_discs": lambda b, s: sum(depth(b, d) == size_of(b) // 2 - 1 for d in discs(b, s)),
    "quadrant_majorities": lambda b, s: sum(sum(b[t] for t in q) * s > 0 for q in quarters(b)),
    "groups": lambda b, s: len(pieces(set(discs(b, s)))),
}
WHOLE: dict[str, Callable[[Board], float]] = {
    "empties": lambda b: len(empty(b)),
    "disc_difference": lambda b: sum(b.values()),
    "shared_moves": lambda b: len(set(moves(b, 1)) & set(moves(b, -1))),
    "full_edges": lambda b: sum(all(b[s] for s in line) for line in edges(b)),
    "regions": lambda b: len(pieces(empty(b))),
    "odd_quadrants": lambda b: sum(sum(b[s] == 0 for s in q) % 2 for q in quarters(b)),
    "disc_ratio": lambda b: ratio(len(discs(b, 1)), len(discs(b, -1))),
}
NEVER = {  # what a board is too small for
    "othello_4x4": {"inner_discs", "x_moves"},
}


def test_every_feature_has_an_oracle() -> None:
    names = set(feature_names("othello"))
    assert names == BASIC | set(SIDES) | set(WHOLE)
    assert len(names) >= 40
    assert set(feature_names("othello_6x6")) == set(feature_names("othello_4x4")) == names


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(game, marks=[pytest.mark.slow] * (game == "othello_6x6")) for game in SIZES
    ],
)
def known(request: pytest.FixtureRequest) -> tuple[str, list[Board], dict[str, Any]]:
    """Return a game, boards, and the features of each of them by name, read all at once."""
    game = request.param
    positions = _positions(game)
    features = features_named(feature_names(game), game)
    matrix, values, start = extract(features, positions), {}, 0
    for feature in features:
        values[feature.name] = matrix[:, start : start + len(feature.columns)]
        start += len(feature.columns)
    return game, [board_of(row, game) for row in positions], values


def test_squares_are_the_board_and_parity_is_that_of_its_regions(known: Any) -> None:
    _, boards, values = known
    assert np.array_equal(values["squares"], [list(b.values()) for b in boards])
    sizes = [[len(piece) for piece in pieces(empty(b))] for b in boards]
    expected = [[sum(n % 2 for n in each), 1 if sum(each) % 2 else -1] for each in sizes]
    assert np.array_equal(values["parity"], expected)
    assert max(map(len, sizes)) > 3


@pytest.mark.parametrize("name", [*SIDES, *WHOLE])
def test_a_feature_equals_its_oracle(name: str, known: Any) -> None:
    game, boards, values = known
    if name in SIDES:
        plain = [[SIDES[name](b, 1), SIDES[name](b, -1)] for b in boards]
    else:
        plain = [[WHOLE[name](b)] for b in boards]
    expected = np.array(plain, float)
    assert values[name] == pytest.approx(expected, abs=1e-5)
    assert np.ptp(expected) > 0 or name in NEVER.get(game, ()), "positions that say nothing of it"


Cells = dict[tuple[int, int], int]
"""By column and row from the bottom: 1 on the player's cells, -1 on the opponent's, else 0."""
SHAPE = {"connect_four": (7, 6), "tic_tac_toe": (3, 3)}


def cells_of(row: Any, game: str) -> Cells:
    columns, rows = SHAPE[game]
    cells = {}
    for column, height in np.ndindex(columns, rows):
        bit = 7 * column + height if game == "connect_four" else 3 * height + column
        player, opponent = (int(word) >> bit & 1 for word in row)
        cells[column, height] = player - opponent
    return cells


def threats(cells: Cells, side: int, length: int) -> set[tuple[int, int]]:
    """Return the empty cells where a stone of the side makes a line."""
    found = set()
    for column, row in cells:
        for c, r in ((0, 1), (1, 0), (1, 1), (1, -1)):
            line = [(column + k * c, row + k * r) for k in range(length)]
            if all(cell in cells for cell in line):
                colours = [cells[cell] for cell in line]
                if colours.count(side) == length - 1 and colours.count(0) == 1:
                    found.add(line[colours.index(0)])
    return found


def playable(cells: Cells, length: int) -> list[tuple[int, int]]:
    falls = length == 4
    return [
        (c, r) for (c, r), colour in cells.items()
        if colour == 0 and (not falls or r == 0 or cells[c, r - 1] != 0)
    ]  # fmt: skip


def forks(cells: Cells, side: int, length: int) -> int:
    before = threats(cells, side, length)
    return sum(
        len(threats({**cells, cell: side}, side, length) - before) >= 2
        for cell in playable(cells, length)
    )


ORACLES: dict[str, dict[str, Callable[[Cells, int], float]]] = {
    "tic_tac_toe": {
        "middle": lambda b, s: b[1, 1] == s,
        "corners": lambda b, s: sum(b[c, r] == s for c in (0, 2) for r in (0, 2)),
        "winning_moves": lambda b, s: len(threats(b, s, 3)),
        "forks": lambda b, s: forks(b, s, 3),
    },
}


@pytest.mark.parametrize("game", ORACLES)
def test_features_of_lines_equal_their_oracles(game: str) -> None:
    oracles = ORACLES[game]
    known = {"squares", "open_lines", "empties"}  # the first two: test_features.py
    assert set(feature_names(game)) == known | set(oracles)
    positions = random_positions(game_named(game), 200, seed=8)
    boards = [cells_of(row, game) for row in positions]
    found = extract(features_named([*oracles, "empties"], game), positions)
    for number, (name, oracle) in enumerate(oracles.items()):
        expected = np.array([[oracle(b, 1), oracle(b, -1)] for b in boards], float)
        assert np.array_equal(found[:, 2 * number : 2 * number + 2], expected), name
        assert np.ptp(expected) > 0, f"positions that say nothing of {name}"
    assert np.array_equal(found[:, -1], [list(b.values()).count(0) for b in boards])


def test_threats_and_forced_moves_of_connect_four_equal_their_oracles() -> None:
    game, features = game_named("connect_four"), ["threats", "lowest_threats", "began"]
    chosen = features_named(features, game.name)
    columns, positions = column_names(chosen), random_positions(game, 300, seed=8)
    moves, ways = np.zeros(7, np.int32), set()
    for row, numbers in zip(positions, extract(chosen, positions), strict=True):
        cells = cells_of(row, game.name)
        began = sum(map(abs, cells.values())) % 2 == 0
        role, below = "first" if began else "second", playable(cells, 4)
        found = {"player": threats(cells, 1, 4), "opponent": threats(cells, -1, 4)}
        expected = Counter({"began": int(began)})
        for side, its in found.items():
            expected.update(f"threats_{role}_{side}_{'abcdefg'[c]}{r + 1}" for c, r in its)
        for column in range(7):
            above = [(c, r) for its in found.values() for c, r in its - set(below) if c == column]
            if above:
                lowest = min(above)
                owners = [side for side in found if lowest in found[side]]
                owner = "both" if len(owners) == 2 else owners[0]
                expected[f"lowest_threats_{role}_{owner}_{'even' if lowest[1] % 2 else 'odd'}"] += 1
        assert dict(zip(columns, numbers, strict=True)) == {c: expected[c] for c in columns}
        wins, blocks = (set(below) & its for its in found.values())
        safe = {(c, r) for c, r in below if (c, r + 1) not in found["opponent"]}
        forced = wins or blocks or safe or set(below)
        n = game.search.candidates(row, moves)
        assert set(moves[:n]) == {c for c, _ in forced} and n == len(forced)
        assert game.search.noisy(row, 0, 0, moves) == (-n if wins or blocks else 0)
        ways.add((bool(wins), bool(blocks), len(safe) in (0, len(below))))
    assert len(ways) > 6, "positions that say nothing of forced moves"

"""The features of Connect Four and tic-tac-toe against slow plain oracles."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from samuel.features import extract, feature_names, features_named
from samuel.games import game_named
from samuel.games.playing import random_positions

Cells = dict[tuple[int, int], int]
"""By column and row from the bottom: 1 on the player's cells, -1 on the opponent's, else 0."""
LENGTH = {"connect_four": 4, "tic_tac_toe": 3}
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


def held(cells: Cells, side: int, columns: set[int]) -> int:
    return sum(colour == side and c in columns for (c, _), colour in cells.items())


ORACLES: dict[str, dict[str, Callable[[Cells, int], float]]] = {
    "connect_four": {
        "middle_stones": lambda b, s: held(b, s, {3}),
        "inner_stones": lambda b, s: held(b, s, {2, 3, 4}),
        "heights": lambda b, s: sum(r for (_, r), colour in b.items() if colour == s),
        "winning_moves": lambda b, s: len(threats(b, s, 4) & set(playable(b, 4))),
        "odd_threats": lambda b, s: sum(r in (0, 2, 4) for _, r in threats(b, s, 4)),
        "even_threats": lambda b, s: sum(r in (1, 3, 5) for _, r in threats(b, s, 4)),
        "stacked_threats": lambda b, s: sum(
            (c, r - 1) in threats(b, s, 4) for c, r in threats(b, s, 4)
        ),
        "forks": lambda b, s: forks(b, s, 4),
    },
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

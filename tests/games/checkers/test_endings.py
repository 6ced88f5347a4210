"""Solved endings of checkers against published numbers, their successors, and play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.checkers.endings import solve, with_endings
from samuel.games.checkers.retrograde import (
    IMPOSSIBLE,
    Tables,
    materials,
    number_of,
    set_up,
    size_of,
)
from samuel.games.endings import load_endings, save_endings
from samuel.models import evaluate, load_evaluator
from samuel.search import search

GAME = game_named("checkers")
# By a program written for the purpose, no draw by rule: won, lost and drawn for the side to move.
KNOWN = {
    (1, 1, 0, 0): (102, 47, 611),
    (1, 0, 0, 1): (53, 241, 574),
    (0, 1, 1, 0): (331, 6, 531),
    (0, 0, 1, 1): (230, 108, 654),
    (1, 2, 0, 0): (96, 9083, 757),
    (0, 2, 1, 0): (687, 9411, 1242),
    (0, 0, 1, 2): (412, 13018, 1450),
    (2, 1, 0, 0): (9928, 0, 8),
    (1, 1, 1, 0): (22792, 1, 7),
    (0, 0, 2, 1): (14846, 0, 34),
}


@pytest.fixture(scope="module")
def three() -> Tables:
    return solve(3)


def values_of(tables: Tables, material: tuple[int, int, int, int]) -> Any:
    start = tables.starts[material]
    values = tables.values[start : start + size_of(material)]
    return values[values != IMPOSSIBLE]


def test_wins_losses_and_draws_are_those_known(three: Tables) -> None:
    for material, expected in KNOWN.items():
        values = values_of(three, material)
        lost = values & 1 == 1
        assert ((values > 0).sum() - lost.sum(), lost.sum(), (values == 0).sum()) == expected
    every = np.concatenate([values_of(three, one) for one in materials(3)])
    assert len(every) == 3_488 + 196_032
    assert every.max() == 63


def test_values_follow_from_their_successors(three: Tables) -> None:
    generator = np.random.default_rng(1)
    listed = [one for one in materials(3) if sum(one) == 3]
    row, checked = np.zeros(5, np.uint64), 0
    evaluator = with_endings(load_evaluator("zero", GAME), three)

    def value(words: Any) -> int:
        men, theirs, kings, their_kings = (int(w).bit_count() for w in words[:4])
        if men + kings == 0:
            return 1
        start = three.starts[men, theirs, kings, their_kings]
        return int(three.values[start + number_of(words)])

    while checked < 300:
        material = listed[generator.integers(len(listed))]
        if not set_up(int(generator.integers(size_of(material))), *material, row):
            continue
        checked += 1
        after = [value(GAME.child_of(row, int(move))) for move in GAME.moves_in(row)]
        lost = [v for v in after if v & 1]
        if lost:
            expected = min(lost) + 1
        elif all(after):
            expected = max(after, default=0) + 1
        else:
            expected = 0
        assert value(row) == expected
        (score,) = evaluate(evaluator, GAME, row)
        assert np.sign(score) == (0 if expected == 0 else -1 if expected & 1 else 1)


@pytest.mark.slow
def test_a_won_ending_is_won(three: Tables) -> None:
    evaluator = with_endings(load_evaluator("classic", GAME), three)
    position = Position.parse("W:WK32,K31:BK1", GAME)
    for _ in range(80):
        if position.is_terminal:
            break
        found = search(position, evaluator, depth=4)
        position = position.play(GAME.notation.read_move(str(found.move)))
    assert position.side == 0
    assert position.utility() == -1


def test_a_file_reads_back_or_is_refused(tmp_path: Path, three: Tables) -> None:
    save_endings(tmp_path / "three", GAME, three)
    again = load_endings(tmp_path / "three", GAME)
    assert (again.values == three.values).all()
    (tmp_path / "cut").write_bytes((tmp_path / "three").read_bytes()[:-1])
    (tmp_path / "other").write_bytes(b"endings")
    for name, message in (
        ("cut", "cut off"),
        ("other", "other is not a file of checkers endings; samuel models"),
        ("no", "no"),
    ):
        with pytest.raises(UserError, match=message):
            load_endings(tmp_path / name, GAME)

"""The two passes of the endgame solver: one that leaves things out, and one that is exact."""

from pathlib import Path

import numpy as np
import pytest

from samuel.games import Evaluator, Position, game_named
from samuel.games.obf import read_problems
from samuel.games.othello.endgame import TWO_PASSES_FROM
from samuel.games.playing import random_positions
from samuel.models import load_evaluator
from samuel.selfplay import SelfplayPlan, word_columns
from samuel.selfplay.generate import play_task
from tests.rarely import rarely
from tests.solver import solve_directly

FFO = read_problems(Path(__file__).parents[1] / "data" / "ffo_40_49.obf")
OTHELLO = game_named("othello")
ZERO = load_evaluator("zero", OTHELLO)


def _position(row: np.ndarray) -> Position:
    return Position(OTHELLO, tuple(int(word) for word in row))


def random_ones(n: int) -> list[Position]:
    """Positions of random games, with enough empty squares for two passes."""
    return [_position(row) for row in random_positions(OTHELLO, n, 21, 40, 60 - TWO_PASSES_FROM)]


def played_ones(n: int) -> list[Position]:
    """Positions of games that an evaluator played."""
    plan = SelfplayPlan("othello", depth=1, seed=3, exact_from=0, opening_plies=8)
    games = play_task(plan.checked(), 0, n, load_evaluator("classic", OTHELLO)).to_pandas()
    here = games[games["ply"] == 60 - TWO_PASSES_FROM]
    return [_position(row) for row in here[word_columns(OTHELLO)].to_numpy(np.uint64)]


@pytest.mark.parametrize("name", [rarely("classic"), "random"])
@pytest.mark.parametrize(
    "positions",
    [
        pytest.param(random_ones(8), id="random", marks=pytest.mark.slow),
        pytest.param(played_ones(12), id="played"),
    ],
)
def test_the_last_pass_is_exact(name: str, positions: list[Position]) -> None:
    evaluator: Evaluator = load_evaluator(name, OTHELLO)
    assert len(positions) > 6
    for position in positions:
        plain = solve_directly(position, ZERO, table_bits=16)
        for bits in (4, 16):
            found = solve_directly(position, evaluator, table_bits=bits, guided=1)
            assert found.score == plain.score
        if found.move:
            after = solve_directly(position.play(found.move), ZERO, table_bits=16)
            assert after.score == -plain.score

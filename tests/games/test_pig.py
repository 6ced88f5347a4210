"""Pig: counts, text, exact chances, and targets by name."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from samuel.arena.match import match
from samuel.games import Position, game_named, register_game
from samuel.games.perft import perft
from samuel.games.pig.rules import pig
from samuel.models import evaluate, load_evaluator
from samuel.search import analyse
from samuel.search.limits import Limits
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan

# The first player's, by a program of its own (value iteration); to 2 points 6/7, to 3 points 36/43.
FIRST = {2: 0.857142857143, 3: 0.837209302326, 5: 0.797047970480, 10: 0.709424322598}


def win_chances(target: int) -> NDArray[np.float64]:
    """Return the chance of the side to move by what it misses, the other misses, and the turn."""
    values = np.zeros((target + 1, target + 1, target))

    def best(mine: int, others: int, brought: int) -> float:
        thrown = [brought + pips for pips in range(2, 7)]
        then = sum(values[mine, others, at] if at < mine else 1 for at in thrown)
        roll = (1 - values[others, mine, 0] + then) / 6
        return max(roll, 1 - values[others, mine - brought, 0]) if brought else roll

    for mine, others in sorted(product(range(1, target + 1), repeat=2), key=sum):
        for _ in range(60):  # the two of a pair lead to each other
            for a, b in ((mine, others), (others, mine)):
                for brought in range(a - 1, -1, -1):
                    values[a, b, brought] = best(a, b, brought)
    return values


@pytest.mark.parametrize(("target", "chance"), FIRST.items())
def test_the_first_player_wins_as_often_as_is_known(target: int, chance: float) -> None:
    assert win_chances(target)[target, target, 0] == pytest.approx(chance, abs=1e-11)


def test_perft() -> None:
    def count(points: tuple[int, int], brought: int, depth: int) -> int:
        if depth == 0 or points[0] + brought >= 100:
            return int(depth == 0)
        held = count((points[1], points[0] + brought), 0, depth - 1) if brought else 0
        if depth == 1:
            return held + 1  # the die is no ply, and is not thrown after the last
        rolled = sum(count(points, brought + pips, depth - 1) for pips in range(2, 7))
        return held + rolled + count(points[::-1], 0, depth - 1)

    counts = [1, 1, 11, 71, 481, 3241]
    assert [count((0, 0), 0, depth) for depth in range(6)] == counts
    assert [perft(Position.start("pig"), depth) for depth in range(6)] == counts


def test_a_search_finds_the_exact_chances() -> None:
    chances, game = win_chances(5), pig(5)
    for mine, others, brought in ((1, 1, 0), (1, 5, 0), (2, 2, 0), (3, 3, 2)):
        position = Position(game, (mine, others, brought, 0))
        found = analyse(position, "hold_at_20", depth=8)
        assert found.score == pytest.approx(2 * chances[mine, others, brought] - 1, abs=0.01)


def test_one_decision_deep_the_evaluator_holds_at_20() -> None:
    for brought in (2, 10, 19, 20, 21, 30):
        found = analyse(Position.parse(f"0-0+{brought} X", "pig"), "hold_at_20", depth=1)
        assert found.move == ("hold" if brought >= 20 else "roll")
    game = game_named("pig")
    rows = np.array([Position.parse(text, game).row for text in ("10-40+5 X", "10-40+90 X")])
    scores = evaluate(load_evaluator("hold_at_20", game), game, rows)
    assert scores.tolist() == pytest.approx([-0.25, 1])


def test_the_turn_is_played_as_the_rules_say() -> None:
    position = Position.start("pig_20")
    assert position.legal_moves() == ["roll"]
    position = position.play("roll")
    assert position.outcomes() == [(str(pips), 1) for pips in range(1, 7)]
    assert position.text == "0-0+0? X" and str(position).endswith(
        "X the die is thrown (0 this turn)"
    )
    assert position.play("1").text == "0-0+0 O"
    position = position.play("6")
    assert position.legal_moves() == ["hold", "roll"] and position.text == "0-0+6 X"
    position = position.play("hold")
    assert position.text == "6-0+0 O" and str(position) == "X 6\nO 0\nO to move (0 this turn)"
    end = Position.from_transcript("roll 6 roll 6 roll 6 roll 5", "pig_20")
    assert end.is_terminal and end.utility() == 1 and end.text == "0-0+23 X"
    assert Position.parse("6-0 o", "pig_20").text == "6-0+0 O"


def test_a_game_that_comes_to_max_plies_is_a_draw(tmp_path) -> None:
    cut = register_game(replace(pig(20), name="cut_pig", max_plies=9))
    result = match("zero", "zero", game=cut, pairs=4, limits=Limits(1))
    assert set(result.results.ravel()) == {0}
    plan = SelfplayPlan(game="cut_pig", evaluator="zero", depth=1)
    frame = generate(plan, 40, tmp_path / "data").frame()
    assert len(frame) <= 40 * 9 and set(frame["outcome"]) == {0}

"""Backgammon learned from nothing, as far as seconds go.

Checkers through the chain: games are played, kept, learned from, and the model plays.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from samuel.arena.match import match
from samuel.learning.generations.loop import learn
from samuel.learning.generations.settings import checked
from samuel.learning.options import LearnOptions
from samuel.learning.training import train
from samuel.models import load_evaluator
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan


def test_it_is_learned_from_nothing_by_default() -> None:
    found = checked(LearnOptions(game="backgammon"))
    assert (found.start, found.model, found.selfplay.depth, found.gate.match_depth) == (
        "random",
        "outcome-networks",
        1,
        1,
    )
    assert (found.selfplay.epsilon, found.fit.target, found.gate.baselines) == (
        0.0,
        "outcome",
        ("pubeval",),
    )
    online = checked(LearnOptions(game="backgammon", algorithm="tdlambda"))
    assert online.model == "network"
    others = checked(LearnOptions(game="backgammon", epsilon=0.1, td_lambda=1.0))
    assert (others.selfplay.epsilon, others.fit.td_lambda) == (0.1, 1.0)


@pytest.mark.slow
def test_a_few_games_are_enough_to_beat_random_play(tmp_path: Path) -> None:
    few = {"games": 600, "gate_pairs": 100, "curve_pairs": 50}
    run = learn(tmp_path / "run", LearnOptions(game="backgammon", seed=1, **few), generations=1)  # type: ignore[arg-type]
    (against,) = [
        entry for entry in run.log if (entry["generation"], entry["step"]) == (1, "against first")
    ]
    assert against["score"] > 0.6  # 0.77 to 0.86 with five seeds; 0.5 is to have learned nothing
    learned = load_evaluator(run.best)
    assert learned.ignores_chance and learned.game == "backgammon"


def test_it_is_learned_in_many_small_generations_by_default() -> None:
    found = checked(LearnOptions(game="checkers"))
    assert (found.start, found.model, found.selfplay.depth, found.fit.td_lambda) == (
        "classic",
        "network",
        4,
        0.8,
    )
    assert (found.games, found.last, found.gate.gate_pairs) == (2_000, 8, 0)
    own = checked(LearnOptions(game="checkers", games=500, last=1, gate_pairs=100))
    assert (own.games, own.last, own.gate.gate_pairs) == (500, 1, 100)
    others = checked(LearnOptions(game="othello"))
    assert (others.games, others.last, others.gate.gate_pairs) == (20_000, 2, 4_000)


@pytest.mark.slow
def test_it_is_played_and_learned(tmp_path: Path) -> None:
    plan = SelfplayPlan("checkers", evaluator="classic", depth=4)
    data = generate(plan, 40, tmp_path / "data")
    frame = data.frame()
    assert set(frame["outcome"]) <= {-1.0, 0.0, 1.0}
    assert 0.0 in set(frame["outcome"]), "games are drawn by rule"
    train(data, "blocks", out=tmp_path / "model")
    result = match(tmp_path / "model", "classic", game="checkers", depth=2, pairs=4)
    assert len(result.pairs) == 4

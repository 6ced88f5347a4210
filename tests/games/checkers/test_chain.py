"""Checkers through the chain: games are played, kept, learned from, and the model plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from samuel.arena import match
from samuel.learning.generations.settings import checked
from samuel.learning.options import LearnOptions
from samuel.learning.training import train
from samuel.selfplay import SelfplayPlan, generate


def test_it_is_learned_in_many_small_generations_by_default() -> None:
    found = checked(LearnOptions(game="checkers"))
    assert (found.first, found.model, found.selfplay.depth, found.fit.td_lambda) == (
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

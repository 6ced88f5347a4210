"""Checkers through the chain: games are played, kept, learned from, and the model plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from samuel.arena import match
from samuel.learning.training import train
from samuel.selfplay import Plan, generate


@pytest.mark.slow
def test_it_is_played_and_learned(tmp_path: Path) -> None:
    plan = Plan("checkers", evaluator="classic", depth=4)
    data = generate(plan, 40, tmp_path / "data")
    frame = data.frame()
    assert set(frame["outcome"]) <= {-1.0, 0.0, 1.0}
    assert 0.0 in set(frame["outcome"]), "games are drawn by rule"
    train(data, "blocks", out=tmp_path / "model")
    result = match(tmp_path / "model", "classic", game="checkers", depth=2, pairs=4)
    assert len(result.pairs) == 4

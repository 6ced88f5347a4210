"""`samuel models rote`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models.rote.file import save_store
from samuel.models.rote.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    game, n = game_named("othello"), 50
    rows = random_positions(game, n, 0)
    found = Store(game, 1000).merged(rows, np.zeros(n), np.full(n, 3), np.arange(n), games=4)
    save_store(found, tmp_path / "it.rote")
    return found


def test_it_says_what_a_store_has(store: Store, run: Any, as_json: Any) -> None:
    found = as_json("models rote it.rote --json")
    assert (found["game"], found["positions"], found["capacity"]) == ("othello", len(store), 1000)
    assert found["depths"] == {"3": len(store)} and sum(found["plies"].values()) == len(store)
    status, out, _ = run("models rote it.rote")
    assert status == 0 and f"{len(store)} of at most 1,000" in out


def test_what_is_none_gets_one_line(store: Store, run: Any, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("positions")
    lines = {
        "models rote none": "cannot be read",
        "models rote text": "holds no positions learned by rote",
        "models rote it.rote --game checkers": "positions of othello, not of checkers",
        "search --game checkers --evaluator classic+it.rote": "positions of othello",
    }
    for line, message in lines.items():
        status, _, err = run(line)
        assert (status, err.count("\n")) == (1, 1), err
        assert message in err

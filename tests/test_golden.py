"""What is played, recorded and found is what it was before the interface was redrawn."""

import json
from typing import Any

import pytest

from tests import golden

KEPT: dict[str, Any] = json.loads(golden.FILE.read_text())
CASES = [(game, seed) for game in golden.OPPONENTS for seed in golden.SEEDS]


@pytest.mark.parametrize(("game", "seed"), CASES)
def test_self_play_has_the_same_rows_column_for_column(game, seed):
    kept, found = KEPT[f"{game} {seed}"]["rows"], golden.rows(game, seed)
    assert {name: found.get(name) for name in kept} == kept


@pytest.mark.parametrize(("game", "seed"), CASES)
def test_matches_have_the_same_games(game, seed):
    assert golden.games(game, seed) == KEPT[f"{game} {seed}"]["games"]


@pytest.mark.parametrize(("game", "seed"), CASES)
def test_searches_find_the_same(game, seed):
    assert golden.scores(game, seed) == KEPT[f"{game} {seed}"]["scores"]

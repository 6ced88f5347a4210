"""Evaluators that were learned and come with samuel, and the recipes that make them."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import spearmanr

from samuel.common.text_files import read_toml
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.learning.generations.log import MOST_GENERATIONS
from samuel.learning.generations.loop import learn
from samuel.learning.generations.settings import checked
from samuel.learning.options import LearnOptions
from samuel.learning.probcut import fit_probcut
from samuel.models import (
    evaluate,
    evaluator_names,
    load_evaluator,
    usual_evaluator,
    usual_opponent,
)
from samuel.models.named import FOLDER, folder_of, learned_names, recipes_of
from samuel.models.saved.loading import load_compiled
from samuel.models.saved.saving import save_probcut
from samuel.search import analyse
from tests.rarely import rarely_but

GAMES = sorted(folder.name for folder in FOLDER.iterdir() if (folder / "learned").is_dir())
MAKE = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "make_shipped.py"))


def test_they_are_small_and_the_usual_ones() -> None:
    files = {name: list((FOLDER / name).rglob("*")) for name in GAMES}
    bytes_of = {name: sum(f.stat().st_size for f in files[name] if f.is_file()) for name in GAMES}
    assert "othello" in GAMES
    assert bytes_of["othello"] < 12e6 and sum(bytes_of.values()) < 20e6
    for name in GAMES:
        game = game_named(name)
        assert usual_evaluator(game) == "learned" == next(iter(evaluator_names(game)))
        assert usual_opponent(game) not in learned_names(name)
        assert not (folder_of("learned", game) / "estimator.skops").exists()


@pytest.mark.parametrize("name", rarely_but(GAMES, "othello", "connect_four"))
def test_they_say_beforehand_what_a_search_finds(name: str) -> None:
    """The search asks what was made by hand; matches with that are in docs/results."""
    game = game_named(name)
    judge, rows = load_evaluator(usual_opponent(game), game), random_positions(game, 200, seed=3)
    positions = [Position(game, tuple(map(int, row))) for row in rows]
    found = [analyse(p, judge, depth=game.defaults.depth, table_bits=10).score for p in positions]
    assert spearmanr(evaluate("learned", game, rows), found).statistic > 0.2


def settings_of(game: str, name: str) -> list[LearnOptions]:
    """Return the options of the recipe of an evaluator, run by run."""
    found = []
    for path in recipes_of(name, game_named(game)):
        values = read_toml(path)
        assert 1 <= values.pop("generations", 1) <= MOST_GENERATIONS
        found.append(LearnOptions.of(values, str(path)))
    return found


@pytest.mark.parametrize(
    ("game", "name", "runs"),
    [
        *(("othello", "patterns", 3), ("othello", "learned", 2), ("backgammon", "learned", 7)),
        *(("chess", "learned", 3), ("xiangqi", "learned", 3), ("checkers", "learned", 3)),
        *(("connect_four", "learned", 1), ("gomoku", "learned", 1)),
    ],
)
def test_a_recipe_is_settings_of_runs(game: str, name: str, runs: int) -> None:
    found = [checked(settings) for settings in settings_of(game, name)]
    assert [settings.game for settings in found] == [game] * runs


@pytest.mark.filterwarnings("ignore:.* rows have no outcome")
@pytest.mark.parametrize("name", rarely_but(GAMES, "connect_four"))
def test_a_small_sister_is_made_by_the_same_recipe(name: str, tmp_path: Path) -> None:
    """What the recipe makes of fewer games is of the same kind, and can be packed as it is."""
    game = game_named(name)
    less: dict[str, Any] = {"games": 40, "curve_pairs": 0, "gate_pairs": 0}
    best = tmp_path
    for number, settings in enumerate(settings_of(name, "learned")):
        less |= {"start": str(best)} if number else {}
        run = learn(tmp_path / f"{number}", checked(settings.but(less)), generations=1)
        best = run.folder / "best"
    elder = load_evaluator("learned", game)
    if elder.probcut is not None:
        fit = fit_probcut(load_evaluator(best), game, positions=100, max_depth=4)
        save_probcut(best, fit.parameters, fit.about)
    MAKE["pack"](best, "sister", "a sister", tmp_path / "sister")
    sister = load_evaluator(tmp_path / "sister", game)
    assert type(load_compiled(tmp_path / "sister")) is type(
        load_compiled(folder_of("learned", game))
    )
    assert sister.name == "sister" and (sister.probcut is None) == (elder.probcut is None)
    assert load_compiled(best).arrays().keys() == load_compiled(tmp_path / "sister").arrays().keys()

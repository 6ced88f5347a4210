"""Games and evaluators on their way: the same scores elsewhere, from bytes alone."""

from __future__ import annotations

import pickle
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from samuel.common.errors import UserError
from samuel.features.transformer import Features
from samuel.games import Evaluator, Game, game_named
from samuel.games.playing import random_positions
from samuel.games.plugins import load_plugin
from samuel.kernels.jit import jit
from samuel.models import evaluate, load_evaluator, load_model, save
from samuel.models.saved import serialized
from samuel.models.saved.serialized import Serialized
from tests.processes import run

OTHELLO = game_named("othello")
POSITIONS = random_positions(OTHELLO, 50, seed=5)

ELSEWHERE = """
import pickle, sys
from pathlib import Path
import numpy as np
from tests.models.test_serialized import scores_of

for file in sys.argv[1:]:
    carried = pickle.loads(Path(file).read_bytes())
    print(carried.value[1].name, scores_of(carried).tolist())
"""


Player = Serialized[tuple[Game, Evaluator]]


def serialized_of(evaluator: Any, game: Game = OTHELLO) -> Player:
    return Serialized((game, load_evaluator(evaluator, game)))


def scores_of(carried: Player) -> np.ndarray:
    """Return the scores of random positions, and of the finished one that first moves lead to."""
    game, evaluator = carried.value
    row = game.row(game.start)
    while not game.is_over(row):
        row = game.child_of(row, int(game.moves_in(row)[0]))
    positions = np.vstack([random_positions(game, 50, seed=5), row[None]])
    return evaluate(evaluator, game, positions).astype(np.float64)


def elsewhere(folder: Path, *things: bytes) -> list[tuple[str, np.ndarray]]:
    """Return the names and scores that a fresh process finds in pickles of `Serialized`."""
    script = folder / "elsewhere.py"
    script.write_text(ELSEWHERE)
    files = [folder / f"{number}.pickle" for number in range(len(things))]
    for file, content in zip(files, things, strict=True):
        file.write_bytes(content)
    found = []
    for line in run(script, *files).splitlines():
        name, _, scores = line.partition(" ")
        found.append((name, np.array(eval(scores))))
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A saved model."""
    save_ridge(tmp_path / "ridge", 1)
    return tmp_path / "ridge"


def save_ridge(folder: Path, seed: int, features: Any = ("mobility", "corners")) -> None:
    targets = np.random.default_rng(seed).normal(size=len(POSITIONS))
    model = make_pipeline(Features(list(features)), Ridge())
    save(folder, model.fit(POSITIONS, targets), name="ridge")


def test_in_one_process_it_is_the_very_object(folder: Path) -> None:
    for evaluator in (load_evaluator("classic"), load_evaluator(folder)):
        back = pickle.loads(pickle.dumps(serialized_of(evaluator)))
        assert back.value[0] is OTHELLO and back.value[1] is evaluator


@pytest.mark.slow
def test_a_fresh_process_needs_no_folder(folder: Path, tmp_path: Path) -> None:
    other = load_model(folder).evaluator  # not the object of the cache
    carried = [serialized_of(one) for one in ("classic", folder, other)]
    things = [pickle.dumps(one) for one in carried]
    shutil.rmtree(folder)
    found = elsewhere(tmp_path, *things)
    assert [name for name, _ in found] == ["classic", "ridge", "ridge"]
    for one, (_, scores) in zip(carried, found, strict=True):
        assert np.array_equal(scores, scores_of(one))


@pytest.mark.parametrize("file", ["weights.npz", "model.json"])
def test_what_arrives_damaged_is_refused(
    folder: Path, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(folder: Path) -> dict[str, bytes]:
        return {one: (folder / one).read_bytes()[: -9 * (one == file) or None] for one in files}

    files = ("model.json", "weights.npz")
    monkeypatch.setattr(serialized, "_files_in", cut)
    state = serialized_of(folder).__getstate__()
    monkeypatch.setattr(serialized, "_arrived", serialized._Kept())
    damaged = Serialized.__new__(Serialized)
    damaged.__setstate__(state)
    with pytest.raises(UserError, match=f"on a worker: .*{file} is (cut off|damaged)") as caught:
        _ = damaged.value
    assert str(folder) in str(caught.value)


def test_an_evaluator_of_this_process_alone_is_refused() -> None:
    @jit
    def odd(position: Any, integers: Any, floats: Any) -> float:
        return 1.0

    for own in (Evaluator("odd", "othello", odd), Evaluator("classic", "othello", odd)):
        with pytest.raises(UserError, match=f"{own.name} exists only in this process.*save"):
            pickle.dumps(serialized_of(own))
    other = replace(load_evaluator("classic"), probcut=None)
    with pytest.raises(UserError, match="classic exists only in this process, so other processes"):
        pickle.dumps(serialized_of(other))


def test_a_folder_that_holds_another_model_by_now_is_refused(folder: Path) -> None:
    carried = serialized_of(folder)
    save_ridge(folder, 2)
    with pytest.raises(UserError, match="ridge; give the folder instead of the evaluator"):
        pickle.dumps(carried)


PLUGIN = """
from dataclasses import replace
from samuel.games import register_game
from samuel.games.tic_tac_toe.rules import GAME
from samuel.features import feature
from samuel.kernels.bits import popcount
from samuel.kernels.jit import jit

@jit
def utility(position):
    return {sign} * GAME_UTILITY(position)

GAME_UTILITY = GAME.utility
MINE = register_game(replace(GAME, name="travelling", utility=utility))

@feature(game="othello")
def travelling_discs(position):
    return {sign} * popcount(position[0])
"""


@pytest.mark.slow
def test_workers_load_the_same_plugin(tmp_path: Path) -> None:
    plugin, folder = tmp_path / "travelling.py", tmp_path / "model"
    plugin.write_text(PLUGIN.format(sign=-1))
    load_plugin(plugin)
    save_ridge(folder, 1, ["travelling_discs"])
    carried = serialized_of(folder)
    of_game = serialized_of("zero", game_named("travelling"))
    things = [pickle.dumps(carried), pickle.dumps(of_game)]
    found = elsewhere(tmp_path, *things)
    for (_, scores), one in zip(found, [carried, of_game], strict=True):
        assert np.array_equal(scores, scores_of(one))
    assert scores_of(of_game)[-1] != 0

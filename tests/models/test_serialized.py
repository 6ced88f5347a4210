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
from samuel.games import Evaluator, game_named
from samuel.games.playing import random_positions
from samuel.games.plugins import load_plugin
from samuel.kernels.jit import jit
from samuel.models import evaluate, load_evaluator, load_model, save
from samuel.models.saved.payloads import Payload
from samuel.models.saved.serialized import SerializedEvaluator
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
    print(carried.evaluator.name, scores_of(carried).tolist())
"""


def scores_of(carried: SerializedEvaluator) -> np.ndarray:
    """Return the scores of random positions, and of the finished one that first moves lead to."""
    game = carried.game
    row = game.row(game.start)
    while not game.is_over(row):
        row = game.child_of(row, int(game.moves_in(row)[0]))
    positions = np.vstack([random_positions(game, 50, seed=5), row[None]])
    return evaluate(carried.evaluator, game, positions).astype(np.float64)


def elsewhere(folder: Path, *things: bytes) -> list[tuple[str, np.ndarray]]:
    """Return the names and scores that a fresh process finds in pickles of SerializedEvaluator."""
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
        carried = SerializedEvaluator(evaluator, OTHELLO)
        assert carried.evaluator is evaluator and carried.game is OTHELLO
        back = pickle.loads(pickle.dumps(carried))
        assert back.evaluator is evaluator and back.game is OTHELLO
    assert SerializedEvaluator("classic", OTHELLO).evaluator is load_evaluator("classic")


@pytest.mark.slow
def test_a_fresh_process_needs_no_folder(folder: Path, tmp_path: Path) -> None:
    carried = [SerializedEvaluator("classic", OTHELLO), SerializedEvaluator(folder, OTHELLO)]
    carried.append(
        SerializedEvaluator(load_model(folder).evaluator, OTHELLO)
    )  # not the object of the cache
    things = [pickle.dumps(one) for one in carried]
    shutil.rmtree(folder)
    found = elsewhere(tmp_path, *things)
    assert [name for name, _ in found] == ["classic", "ridge", "ridge"]
    for one, (_, scores) in zip(carried, found, strict=True):
        assert np.array_equal(scores, scores_of(one))


@pytest.mark.parametrize("file", ["weights.npz", "model.json"])
def test_what_arrives_damaged_is_refused(folder: Path, file: str) -> None:
    carried = SerializedEvaluator(folder, OTHELLO)
    of_game, payload = carried.__getstate__()
    assert payload.files is not None
    cut = {
        name: content[:-9] if name == file else content for name, content in payload.files.items()
    }
    damaged = SerializedEvaluator.__new__(SerializedEvaluator)
    damaged.__setstate__((of_game, Payload(payload.name, cut)))
    with pytest.raises(UserError, match=f"on a worker: .*{file} is (cut off|damaged)") as caught:
        _ = damaged.evaluator
    assert str(folder) in str(caught.value)


def test_an_evaluator_of_this_process_alone_is_refused() -> None:
    @jit
    def odd(position: Any, integers: Any, floats: Any) -> float:
        return 1.0

    for own in (Evaluator("odd", "othello", odd), Evaluator("classic", "othello", odd)):
        with pytest.raises(UserError, match=f"{own.name} exists only in this process.*save"):
            pickle.dumps(SerializedEvaluator(own, OTHELLO))
    other = replace(load_evaluator("classic"), probcut=None)
    with pytest.raises(UserError, match="classic exists only in this process, so other processes"):
        pickle.dumps(SerializedEvaluator(other, OTHELLO))


def test_a_folder_that_holds_another_model_by_now_is_refused(folder: Path) -> None:
    carried = SerializedEvaluator(folder, OTHELLO)
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
    carried = SerializedEvaluator(folder, OTHELLO)
    of_game = SerializedEvaluator("zero", game_named("travelling"))
    things = [pickle.dumps(carried), pickle.dumps(of_game)]
    found = elsewhere(tmp_path, *things)
    for (_, scores), one in zip(found, [carried, of_game], strict=True):
        assert np.array_equal(scores, scores_of(one))
    assert scores_of(of_game)[-1] != 0

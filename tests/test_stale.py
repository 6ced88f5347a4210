"""After an edit of a user's file, or of a cell of a notebook, nothing of the earlier code runs."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import samuel
from samuel.common.errors import UserError
from samuel.features import Features, extract, features_named
from samuel.games import game_named, register_game
from samuel.games.groups import Handmade
from samuel.games.playing import random_positions
from samuel.games.plugins import loaded_plugins
from samuel.models import evaluate, find_evaluator, load_evaluator, save

TOE = game_named("tic_tac_toe")
ROWS = random_positions(TOE, 40, seed=1)
HELPER = "import samuel\nfrom deeper import FACTOR\n@samuel.jit\ndef weight(x):\n return x * {}\n"
FILE = """
import samuel
from helper import FACTOR, weight
@samuel.feature(game="tic_tac_toe")
def own(position):
    return float(weight(position[0] & 7) * FACTOR{})
@samuel.feature(game="tic_tac_toe")
def {}(position):
    return 1.0
def score(position, integers, floats):
    return weight(position[0] & 7) * FACTOR / 100.0
samuel.register_evaluator(samuel.Evaluator("mine", "tic_tac_toe", score))
"""


def write(folder: Path, main: str = "", helper: int = 1, deeper: int = 1, also: str = "one") -> Any:
    """Write a file, one that it imports and one that this imports; return the loaded module."""
    (folder / "deeper.py").write_text(f"FACTOR = {deeper}\n")
    (folder / "helper.py").write_text(HELPER.format(helper))
    (folder / "main.py").write_text(FILE.format(main, also))
    for file in folder.glob("*.py"):
        os.utime(file, (1, 1))  # an edit within the clock's tick, of equal length
    return samuel.load_plugin(folder / "main.py")


def numbers() -> Any:
    return extract(features_named(["own"], TOE.name), ROWS).ravel()


def test_an_edited_file_is_run_again_when_its_evaluator_is_loaded(tmp_path: Path) -> None:
    write(tmp_path)
    score = evaluate(load_evaluator("mine", TOE), TOE, ROWS)
    (tmp_path / "helper.py").write_text(HELPER.format(3))
    now = evaluate(load_evaluator("mine", TOE), TOE, ROWS)
    assert now == pytest.approx(np.where(abs(score) < 1, 3 * score, score))
    (tmp_path / "main.py").write_text("half a line that is no")
    load_evaluator("classic", TOE)
    during = evaluate(find_evaluator("mine", TOE), TOE, ROWS)
    assert during.tolist() == now.tolist()
    with pytest.raises(UserError, match=r"main\.py failed: SyntaxError"):
        load_evaluator("mine", TOE)


@pytest.mark.filterwarnings("ignore:.*was made with another version of main.py")
@pytest.mark.parametrize("edit", [{"main": "*3"}, {"helper": 3}, {"deeper": 3}])
def test_an_edited_file_is_run_again(tmp_path: Path, edit: dict[str, Any]) -> None:
    module = write(tmp_path)
    first, score = numbers(), evaluate(load_evaluator("mine", TOE), TOE, ROWS)
    model = make_pipeline(Features(["own"], game=TOE.name), Ridge()).fit(ROWS, first)
    save(tmp_path / "model", model, name="ridge")
    load_evaluator(tmp_path / "model")
    assert write(tmp_path) is module
    edited = write(tmp_path, **edit)
    assert edited is not module and len(loaded_plugins()) == 3
    assert numbers() == pytest.approx(3 * first)
    if "main" not in edit:
        now = evaluate(load_evaluator("mine", TOE), TOE, ROWS)
        assert now == pytest.approx(np.where(abs(score) < 1, 3 * score, score))
    with pytest.raises(UserError, match="its features have changed: own give other numbers"):
        load_evaluator(tmp_path / "model")
    write(tmp_path)
    assert numbers().tolist() == first.tolist()
    load_evaluator(tmp_path / "model")


def test_what_an_edit_removes_is_gone_and_one_that_fails_changes_nothing(
    tmp_path: Path,
) -> None:
    module = write(tmp_path)
    first = numbers()
    with pytest.raises(UserError, match="ZeroDivisionError"):
        write(tmp_path, helper=5, also="one(position):\n    return 1.0\n1 / 0\ndef two")
    assert numbers().tolist() == first.tolist() and write(tmp_path) is module
    write(tmp_path, also="other")
    assert features_named(["other"], TOE.name)
    with pytest.raises(UserError, match="no feature called 'one'"):
        features_named(["one"], TOE.name)


def test_a_cell_that_is_run_again_counts(tmp_path: Path) -> None:
    """Also for an evaluator of its game, which is made of features by their names."""
    made = Handmade("simple", ("own",), {"own": (0.01,)})
    defaults = replace(TOE.defaults, features_in="", evaluators={"simple": made})
    game = register_game(replace(TOE, name="cells", defaults=defaults))

    def cell(factor: int) -> Callable[..., Any]:
        @samuel.feature(game="cells")
        def own(position: Any) -> float:
            return float(position[0] & 7) * factor

        return own

    cell(1)
    model = make_pipeline(Features(["own"], game="cells"), Ridge())
    save(tmp_path / "model", model.fit(ROWS, np.arange(len(ROWS))), name="ridge")
    before = evaluate(load_evaluator("simple", game), game, ROWS)
    load_evaluator(tmp_path / "model")
    cell(2)
    now = evaluate(load_evaluator("simple", game), game, ROWS)
    assert now.tolist() != before.tolist()
    with pytest.raises(UserError, match="its features have changed"):
        load_evaluator(tmp_path / "model")

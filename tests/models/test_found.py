"""Evaluators by whatever name or thing a person gives, and what is said of a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from samuel.common.errors import UserError
from samuel.games import game_named
from samuel.learning.fitting.recipes import recipe
from samuel.models import load_evaluator
from samuel.models.saved.loading import Model, load_model
from samuel.selfplay.data.dataset import Dataset

GAME = game_named("tic_tac_toe")


def test_what_holds_an_evaluator_stands_for_it() -> None:
    zero = load_evaluator("zero", GAME)
    model = Model(Path("there"), {"long": "card"}, zero)
    assert load_evaluator(model, GAME) is zero and load_evaluator(zero, GAME) is zero
    assert "long" not in repr(model)
    with pytest.raises(UserError, match="evaluates tic_tac_toe, not othello"):
        load_evaluator(model, "othello")


def test_a_folder_of_another_kind_is_named(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(UserError, match="samuel train makes a model of one"):
        load_model(tmp_path)
    (tmp_path / "manifest.json").rename(tmp_path / "model.json")
    with pytest.raises(UserError, match="is not a dataset; it is a model"):
        Dataset.open(tmp_path)
    with pytest.raises(UserError, match=r"no folder '.*runs/nobody' of a model$"):
        load_evaluator("runs/nobody", GAME)


def test_a_file_alone_is_no_recipe() -> None:
    with pytest.raises(UserError, match="py is a file; give the name of its function, too: mine"):
        recipe("mine.py", GAME)

"""Chances of a win, a draw and a loss: their fit, their numbers, and their files."""

from __future__ import annotations

import ctypes
import json
import pickle
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

import samuel
from samuel.common.errors import UserError
from samuel.common.json_files import plain
from samuel.games import Position, game_named
from samuel.games.wdl import WinDrawLoss, bernstein
from samuel.learning.wdl import _loss, fit_curves
from samuel.models import load_evaluator
from samuel.models.export.c import wdl_header
from samuel.models.saved.card import CARD
from samuel.models.saved.loading import load, load_model
from samuel.models.saved.saving import save_wdl
from samuel.search.result import Result
from samuel.search.wdl import chances_of, per_mille

TRUE = WinDrawLoss((1.0, 0.5, 0.2, 2.0), (1.5, 1.0, 1.0, 0.4), 0.0, 1.0)
NUMBERS = st.lists(st.floats(0, 1e12), min_size=4, max_size=4)
SCALES = st.lists(st.floats(1e-12, 1e12), min_size=4, max_size=4)


def drawn_from(wdl, n, seed=1):
    """Return scores, results and progress of rows whose results have the chances."""
    random = np.random.default_rng(seed)
    scores, progress = random.normal(0, 2, n), random.uniform(0, 1, n)
    chances, number = wdl(scores, progress), random.uniform(0, 1, n)
    results = np.where(number < chances[:, 0], 1.0, np.where(number < chances[:, :2].sum(1), 0, -1))
    return scores, results, progress


def test_the_fit_finds_what_the_results_came_from() -> None:
    scores, results, progress = drawn_from(TRUE, 40_000)
    for unit in (1.0, 1e3):  # whatever the unit of scores
        found = fit_curves(unit * scores, results, progress)
        np.testing.assert_allclose(
            found(unit * scores, progress), TRUE(scores, progress), rtol=0, atol=0.05
        )


def test_the_gradient_is_that_of_the_likelihood() -> None:
    scores, results, progress = drawn_from(TRUE, 200)
    rest = scores, results, bernstein(progress)
    at = np.array([0.8, 0.4, 0.3, 1.0, 1.0, 0.7, 1.2, 0.5])
    numeric = approx_fprime(at, lambda p: _loss(p, *rest)[0], 1e-7)
    np.testing.assert_allclose(_loss(at, *rest)[1], numeric, rtol=0, atol=1e-6)
    chances = WinDrawLoss(tuple(at[:4]), tuple(at[4:]))(scores, progress)
    of_results = chances[np.arange(200), (1 - results).astype(int)]
    assert _loss(at, *rest)[0] == pytest.approx(-np.log(of_results).mean())


def test_without_draws_a_loss_is_the_complement_of_a_win() -> None:
    scores, results, progress = drawn_from(WinDrawLoss((0.0,) * 4, TRUE.b), 20_000)
    assert not (results == 0).any()
    found = fit_curves(scores, results, progress)
    assert not any(found.a) and 0 < found.first < found.last < 1
    assert np.all(found(scores, progress)[:, 1] < 1e-15)


@given(NUMBERS, SCALES, st.floats(-1e6, 1e6), st.floats(-1, 2))
def test_chances_are_chances(a: list[float], b: list[float], score: float, x: float) -> None:
    wdl = WinDrawLoss(tuple(a), tuple(b))
    chances = wdl(score, x)
    assert np.all((chances >= 0) & (chances <= 1)) and chances.sum() == pytest.approx(1)
    np.testing.assert_allclose(wdl(-score, x), chances[::-1], rtol=0, atol=1e-12)
    thousandths = per_mille(tuple(chances.tolist()))
    assert sum(thousandths) == 1000 and min(thousandths) >= 0


def test_even_chances_in_thousandths() -> None:
    assert per_mille((0.5, 0.0, 0.5)) == (500, 0, 500)
    assert per_mille((0.4996, 0.0, 0.5004)) == (500, 0, 500)
    assert per_mille((0.5005, 0.0, 0.4995)) == (500, 0, 500)


def test_a_proven_or_exact_score_is_certain() -> None:
    evaluator = replace(load_evaluator("classic", game_named("connect_four")), wdl=TRUE)
    position = Position.start(game_named("connect_four"))

    def found(score: float, exact: bool = False) -> object:
        result = Result(score, None, [], 1, 1, 0.0, exact)
        return chances_of(evaluator, position, result)

    assert found(0.99) == (1, 0, 0) and found(-0.95) == (0, 0, 1)
    assert found(0.0, exact=True) == (0, 1, 0) and found(0.1, exact=True) == (1, 0, 0)
    assert found(0.5) == pytest.approx(TRUE(0.5, 0.0).tolist())
    plain = replace(evaluator, wdl=None)
    assert chances_of(plain, position, Result(0.5, None, [], 1, 1, 0.0, False)) is None


@pytest.mark.parametrize("bad", [(-1e-9, 1, 1, 1), (1, np.nan, 1, 1), (1, np.inf, 1, 1)])
def test_parameters_that_are_no_chances(bad: tuple[float, float, float, float]) -> None:
    rest = [(TRUE.a, TRUE.b, *ends) for ends in ((0.5, 0.5), (-0.1, 1), (0, 1.1), (np.nan, 1))]
    for numbers in [(bad, TRUE.b), (TRUE.a, bad), (TRUE.a, (1, 1, 1, 0)), *rest]:
        with pytest.raises(ValueError, match="chances need finite numbers"):
            WinDrawLoss(*numbers)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_function_in_c_is_the_one_in_python(tmp_path: Path) -> None:
    wdl = WinDrawLoss((0.0, 0.5, 0.0, 8.0), TRUE.b, 0.1, 0.8)
    code = wdl_header(wdl, "evil */ name", game_named("chess")).replace(b"static void", b"void")
    (tmp_path / "wdl.c").write_bytes(code)
    command = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    command += ["wdl.c", "-lm", "-o", "wdl.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    function = ctypes.CDLL(str(tmp_path / "wdl.so")).win_draw_loss
    function.argtypes = [ctypes.c_double, ctypes.c_double, ctypes.c_double * 3]
    for score in (-1e6, -3.2, -0.1, 0.0, 0.7, 2.0, 1e6):
        for x in (-0.5, 0.0, 0.3, 0.9, 1.0, 7.0):
            chances = (ctypes.c_double * 3)()
            function(score, x, chances)
            np.testing.assert_allclose(list(chances), wdl(score, x), rtol=0, atol=1e-12)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> samuel.Dataset:
    folder = tmp_path_factory.mktemp("games") / "games"
    return samuel.generate(game="connect_four", depth=2, games=120, seed=1, out=folder)


@pytest.fixture
def folder(games: samuel.Dataset, tmp_path: Path) -> Path:
    samuel.train(games, "ridge", out=tmp_path / "model")
    return tmp_path / "model"


def test_a_fit_is_measured_shown_and_saved(games: samuel.Dataset, folder: Path) -> None:
    with pytest.warns(UserWarning, match="another evaluator than .* has scored .*dataset relabel"):
        fit = samuel.fit_wdl(games, model=folder, out=folder.parent / "it.c", seed=2)
    brier = {name: found["brier"] for name, found in fit.errors.items()}
    assert brier["win-draw-loss"] < brier["logistic"] + 0.01
    assert sum(one["rows"] for one in fit.calibration["win"]) == fit.held_out
    assert fit.rows > 4 * fit.held_out > 400
    chances, bins, errors = fit.tables()
    assert len(chances.columns) == 4 and len(bins.rows) > 4 and len(errors.rows) == 2
    assert [one.title for one in fit.pictures()] == ["Chances by score", "Calibration"]
    for picture in fit.pictures():
        picture.draw()
    assert b"win_draw_loss" in (folder.parent / "it.c").read_bytes()
    evaluator = load(folder)
    assert load_model(folder).card["wdl"] == plain(fit.as_dict())
    assert pickle.loads(pickle.dumps(evaluator)).wdl == evaluator.wdl == fit.wdl
    assert chances_of(evaluator, Position.start(games.game), _result(0.2)) is not None


def _result(score: float) -> Result:
    return Result(score, None, [], 1, 1, 0.0, False)


def test_what_cannot_be_fitted_or_saved_is_refused(folder: Path, tmp_path: Path) -> None:
    small = samuel.generate(game="othello_4x4", depth=1, games=20, out=tmp_path / "small")
    with pytest.raises(UserError, match="has 0 rows to fit to and 0 held-out rows"):
        samuel.fit_wdl(small)
    with pytest.raises(UserError, match="evaluates connect_four, not othello_4x4"):
        samuel.fit_wdl(small, model=folder)


@pytest.mark.parametrize(
    "bad", [None, {}, {"a": [1, 1, 1]}, {"a": ["1", 1, 1, 1]}, {"b": [1, 1, 1, 0]}, {"last": 2}]
)
def test_a_crafted_card_is_refused_in_one_line(folder: Path, bad: dict[str, object] | None) -> None:
    save_wdl(folder, vars(TRUE))
    card = json.loads((folder / CARD).read_text())
    assert load(folder).wdl == TRUE
    card["wdl"] = card["wdl"] | bad if bad else bad
    (folder / CARD).write_text(json.dumps(card))
    with pytest.raises(UserError, match=r"model\.json is damaged") as found:
        load(folder)
    assert "\n" not in str(found.value)

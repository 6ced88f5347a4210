"""Reference sets, and how far evaluators are from them."""

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.games.catalog import game_named
from samuel.games.rows import left_of
from samuel.learning.comparison.reference import open_reference, reference_errors
from samuel.models import evaluate, load_evaluator
from samuel.selfplay import SelfplayPlan, generate, import_games, reference_set
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.reference import usual_left

SMALL = game_named("othello_4x4")


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    plan = SelfplayPlan(SMALL.name, "classic", 2, opening_plies=2, exact_from=0, seed=3)
    return generate(plan, 200, tmp_path_factory.mktemp("reference") / "games")


@pytest.fixture(scope="module")
def deep(games, tmp_path_factory):
    out = tmp_path_factory.mktemp("reference") / "deep"
    return reference_set(games, out, "classic", depth=3, exact_from=4, left=[4, 6, 8], count=30)


def test_each_position_is_of_a_game_of_its_own_and_at_a_count_asked_for(games, deep):
    frame = deep.frame(["game_id", "exact", "depth"])
    assert frame["game_id"].is_unique
    left = left_of(SMALL, deep.positions)
    assert [np.count_nonzero(left == at) for at in (4, 6, 8)] == [30, 30, 30]
    assert frame["exact"][left == 4].all() and (frame["depth"][left == 8] == 3).all()
    known = {tuple(row) for row in games.positions.tolist()}
    assert all(tuple(row) in known for row in deep.positions.tolist())


def test_the_same_call_makes_the_same_set_and_goes_on(games, deep, tmp_path):
    settings = {"depth": 3, "exact_from": 4, "left": [4, 6, 8], "count": 30}
    again = reference_set(games, tmp_path / "again", "classic", **settings)
    assert again.digest == deep.digest
    assert reference_set(games, deep.folder, "classic", **settings).digest == deep.digest
    with pytest.raises(UserError, match="another run"):
        reference_set(games, deep.folder, "classic", **settings | {"count": 31})


def test_counts_that_no_position_has_are_refused(games, tmp_path):
    with pytest.raises(UserError, match=r"has no positions with 99 left"):
        reference_set(games, tmp_path / "none", "classic", depth=1, left=[99])
    assert usual_left(game_named("othello"))[::3] == [12, 24, 36, 48]


def test_too_few_positions_are_said_and_stages_of_two_have_no_figures(games, tmp_path):
    with pytest.warns(UserWarning, match="4 positions instead of 2 times 300"):
        few = reference_set(
            generate(
                SelfplayPlan(SMALL.name, "classic", 2, opening_plies=2, exact_from=0, seed=3),
                4,
                tmp_path / "four",
            ),
            tmp_path / "few",
            "zero",
            depth=1,
            exact_from=4,
            left=[4, 8],
            count=300,
        )
    for error in reference_errors(few, load_evaluator("classic", SMALL), (0,)):
        is_known = error.positions > 2
        figures = [error.unexplained, error.error]
        assert all(np.isfinite(figures)) == is_known


def test_the_evaluator_that_made_it_is_not_off_at_its_own_depth(deep):
    judge = load_evaluator("classic", SMALL)
    told = []
    errors = reference_errors(deep, judge, (0, 3), progress=told.append)
    assert [(e.left, e.depth) for e in errors] == [(at, d) for d in (0, 3) for at in (4, 6, 8)]
    assert told[-1] == 2 * len(deep)
    searched = [e for e in errors if e.depth == 3 and e.left > 4]
    assert all(e.error < 1e-4 and e.slope == pytest.approx(1) for e in searched)
    assert max(e.unexplained for e in errors if e.depth == 0) > 0.1


def test_figures_are_those_of_the_line_through_the_points(deep):
    judge = load_evaluator("classic", SMALL)
    left = left_of(SMALL, deep.positions)
    own = evaluate(judge, SMALL, deep.positions)[left == 8].astype(float)
    score = deep.frame(["score"])["score"].to_numpy(float)[left == 8]
    (found,) = [e for e in reference_errors(deep, judge, (0,)) if e.left == 8]
    slope, offset = np.polyfit(own, score, 1)
    rest = score - slope * own - offset
    assert found.slope == pytest.approx(slope)
    assert found.error == pytest.approx(np.sqrt(np.mean(rest**2)))
    assert found.unexplained == pytest.approx(1 - np.corrcoef(own, score)[0, 1] ** 2)


def test_an_evaluator_that_says_the_same_of_all_explains_nothing(deep):
    for error in reference_errors(deep, load_evaluator("zero", SMALL), (0,)):
        assert error.unexplained == 1 and error.error > 0 and np.isnan(error.slope)


def test_what_was_not_searched_is_no_reference(tmp_path):
    (tmp_path / "one.txt").write_text("a1 b1 a2 b2 a3\n")
    imported = import_games([tmp_path / "one.txt"], tmp_path / "data", game="tic_tac_toe")
    with pytest.raises(
        UserError, match="data has no searched positions; make a reference set with"
    ):
        open_reference(imported.folder, imported.game)


def test_what_is_missing_is_said(deep, monkeypatch):
    assert open_reference(deep, SMALL) is deep
    with pytest.warns(
        UserWarning, match="deep is not complete: run the command that makes it again"
    ):
        open_reference(Dataset(deep.folder, deep.manifest | {"complete": False}), SMALL)
    frame = deep.frame(["score"])
    frame.loc[:4, "score"] = np.nan
    monkeypatch.setattr(Dataset, "frame", lambda self, columns: frame.copy())
    with pytest.warns(UserWarning, match="5 of 90 positions of .*deep have no score"):
        open_reference(deep, SMALL)
    found = reference_errors(deep, load_evaluator("classic", SMALL), (0,))
    assert sum(error.positions for error in found) == 85


def test_self_play_is_no_yardstick_without_a_word(games):
    with pytest.warns(
        UserWarning, match="games is a dataset of self-play: its scores have the depth"
    ):
        open_reference(games, SMALL)

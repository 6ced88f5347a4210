"""Which game is played where models are given and nobody names one."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import samuel
from samuel.features import Features, pattern_set
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.learning.generations.settings import checked
from samuel.learning.options import LearnOptions
from samuel.models import game_for, load_evaluator, load_model, save
from tests.league import league

TOE, SIX = game_named("tic_tac_toe"), game_named("othello_6x6")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rows = random_positions(TOE, 60, seed=1)
    model = make_pipeline(Features(["squares"], TOE.name), Ridge()).fit(rows, np.arange(60) % 3)
    place = tmp_path_factory.mktemp("models") / "toe"
    save(place, model, name="toe")
    return place


def test_the_game_is_that_of_the_models(folder):
    for model in (folder, str(folder), load_evaluator(folder), load_model(folder)):
        assert game_for(None, "classic", model) is TOE
        assert load_evaluator(model).game == TOE.name
    assert game_for(None, "zero", "gtp:gtp-rhino", load_evaluator("zero", SIX)) is SIX
    assert game_for("othello_6x6", folder) is game_for(SIX) is SIX  # what was asked for
    assert game_for(None).name == game_for(None, "classic", "no/such").name == "othello"
    assert load_evaluator("classic").game == "othello"
    shapes = pattern_set("tuples2", SIX)
    assert pattern_set(shapes) is shapes and game_for(None, shapes) is SIX


@pytest.mark.filterwarnings("ignore:toe scores .* of positions above")
def test_whatever_plays_takes_the_game_from_the_models(folder, tmp_path):
    toe = load_evaluator(folder)
    assert samuel.match(toe, "zero", depth=1, pairs=1).game is TOE
    assert samuel.tournament(["zero", folder], depth=1, pairs=1).game is TOE
    assert league(str(folder), "zero", games=2).results.shape == (1, 2)
    plan = samuel.SelfplayPlan(evaluator=str(folder), depth=1, seed=1, opening_plies=1)
    assert plan.checked().game == TOE.name
    assert samuel.generate(plan, 2, tmp_path / "data").game is TOE
    assert checked(LearnOptions(start=str(folder))).game == TOE.name
    assert checked(LearnOptions(start="zero", baselines=(str(folder),))).game == TOE.name
    assert checked(LearnOptions()).game == "othello"

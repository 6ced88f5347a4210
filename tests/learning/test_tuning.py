import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import loguniform

import samuel.learning.fitting.tuning
from samuel.common.errors import UserError
from samuel.games.catalog import game_named
from samuel.learning import FitOptions, Split, recipe_names, tune
from samuel.learning.fitting.estimators import unfitted
from samuel.learning.fitting.spaces import SPACES, draw_value, space_of
from samuel.learning.training import train, train_on
from samuel.models.saved.saving import learner_of
from samuel.selfplay import SelfplayPlan, generate

FEATURES = ["mobility"]


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    plan = SelfplayPlan(
        game="othello_4x4", depth=1, epsilon=0.05, exact_from=3, opening_plies=2, seed=4
    )
    return Split.of(generate(plan, 300, tmp_path_factory.mktemp("data") / "four"), seed=1)


def results(tuning):
    return [(dict(t.settings), t.games, t.loss) for t in tuning.trials]


@pytest.mark.slow
def test_halving_judges_the_best_third_on_three_times_the_games(split):
    tuning = tune(split, "ridge", FitOptions(features=FEATURES), trials=9)
    games = len(np.unique(split.frame["game_id"][split.train]))
    assert Counter(t.games for t in tuning.trials) == {games // 3: 6, games: 3}
    last = [t.loss for t in tuning.trials[:3]]
    assert last == sorted(last) and tuning.ended == ""
    assert {} in [t.settings for t in tuning.trials]
    best = dict(tuning.trials[0].settings)
    said = tuning.as_dict()
    assert (said["games"], said["best"]) == (games, best)
    assert [t["rank"] for t in said["trials"]] == [1, 2, 3, 1, 2, 3, 4, 5, 6]
    assert tuning.best.stages == best.pop("stages", None) and tuning.best.parameters == best


def test_the_same_seed_gives_the_same_result(split):
    one, two = (tune(split, "mlp", FitOptions(features=FEATURES), trials=3) for _ in range(2))
    assert results(one) == results(two) and one.best == two.best


def test_held_out_games_play_no_part(split):
    frame = split.frame.copy()
    unseen = np.setdiff1d(np.arange(len(frame)), np.flatnonzero(split.train))
    frame.loc[unseen, ["outcome", "score"]] = 0.0
    fitting = FitOptions("exact", features=FEATURES)  # not scaled by all rows, as guesses are
    other = replace(split, frame=frame)
    assert results(tune(split, "ridge", fitting, trials=3)) == results(
        tune(other, "ridge", fitting, trials=3)
    )


def test_what_learns_nothing_is_not_chosen(split, monkeypatch):
    """A penalty of 1e9 leaves nothing of the weights."""
    monkeypatch.setitem(SPACES, "ridge", {"alpha": (1e9, 10.0)})
    fitting = FitOptions("outcome", features=FEATURES, stages=1, parameters={})
    tuning = tune(split, "ridge", fitting, trials=9)
    assert len(tuning.trials) == 3  # no settings are tried twice
    assert tuning.best.parameters.get("alpha") != 1e9
    worst = max(tuning.trials, key=lambda t: t.loss)
    assert worst.settings == {"alpha": 1e9}
    outcomes = split.outcomes[split.examples(fitting, classifier=False).rows]
    assert worst.loss == pytest.approx(outcomes.var(), rel=0.1)


def test_the_loss_is_the_mean_over_folds_of_whole_games(split, monkeypatch):
    seen = []
    original = samuel.learning.fitting.tuning.fit

    def noted(estimator, data, model):
        seen.append(set(data.groups))
        original(estimator, data, model)

    monkeypatch.setattr(samuel.learning.fitting.tuning, "fit", noted)
    tune(split, "ridge", FitOptions(features=FEATURES), trials=1)
    every = set(split.frame["game_id"][split.train])
    whole = seen[-3:]
    assert all(every - games for games in whole)
    left_out = [every - games for games in whole]
    assert set.union(*left_out) == every and sum(map(len, left_out)) == len(every)


def test_classifiers_are_judged_by_log_loss(split):
    tuning = tune(split, "logistic", FitOptions(features=FEATURES), trials=3)
    assert tuning.measure == "log loss"
    assert all(0 < trial.loss < 1 for trial in tuning.trials)


def test_what_is_given_stays(split):
    fitting = FitOptions(features=FEATURES, stages=2, parameters={"alpha": 5.0})
    with pytest.raises(
        UserError, match="ridge has no settings left to tune: all of them are given"
    ):
        tune(split, "ridge", fitting, trials=3)
    tuning = tune(split, "ridge", replace(fitting, parameters={}), trials=4)
    assert tuning.best.stages == 2
    assert all(set(t.settings) <= {"alpha"} for t in tuning.trials)


def interrupting(monkeypatch, fits, error):
    """Let the fits of these numbers raise an error."""
    original, begun = samuel.learning.fitting.tuning.fit, itertools.count()

    def interrupted(*given):
        if next(begun) in fits:
            raise error
        original(*given)

    monkeypatch.setattr(samuel.learning.fitting.tuning, "fit", interrupted)


def test_an_interruption_keeps_the_best_so_far(split, monkeypatch):
    interrupting(monkeypatch, [7], KeyboardInterrupt())
    tuning = tune(split, "ridge", FitOptions(features=FEATURES), trials=9)
    assert tuning.ended == "interrupted" and len(tuning.trials) == 2
    assert tuning.trials[0].loss <= tuning.trials[1].loss


def test_a_small_loss_on_few_games_is_not_the_best(split, monkeypatch):
    """Those judged on the most games hold the best, whatever the others' losses."""
    judge = samuel.learning.fitting.tuning._Search._loss

    def easy_on_few(search, settings, fitted, judged):
        few = len(fitted) < len(search.examples) / 2
        return judge(search, settings, fitted, judged) / (1000 if few else 1)

    monkeypatch.setattr(samuel.learning.fitting.tuning._Search, "_loss", easy_on_few)
    tuning = tune(split, "ridge", FitOptions(features=FEATURES), trials=9)
    assert tuning.trials[0].games > tuning.trials[-1].games
    assert tuning.trials[0].loss > tuning.trials[-1].loss


def test_an_interruption_before_there_is_any_ends_all(split, monkeypatch):
    interrupting(monkeypatch, [2], KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        tune(split, "ridge", FitOptions(features=FEATURES), trials=9)


def test_settings_that_cannot_be_fitted_come_last(split, monkeypatch):
    interrupting(monkeypatch, [3, 4, 5], UserError("ridge cannot be fitted"))
    tuning = tune(split, "ridge", FitOptions(features=FEATURES), trials=4)
    assert [t.loss is None for t in tuning.trials] == [False, True, True, True]
    interrupting(monkeypatch, range(99), UserError("ridge cannot be fitted"))
    with pytest.raises(UserError, match="ridge cannot be fitted"):
        tune(split, "ridge", FitOptions(features=FEATURES), trials=4)


def test_time(split, monkeypatch):
    clock = iter(range(1_000_000))
    monkeypatch.setattr(samuel.learning.fitting.tuning.time, "monotonic", lambda: next(clock))
    tuning = tune(split, "ridge", FitOptions(features=FEATURES), minutes=2)
    assert tuning.ended == "out of time" and 3 < len(tuning.trials) < 60
    with pytest.raises(UserError, match="give more minutes"):
        tune(split, "ridge", FitOptions(features=FEATURES), minutes=1e-9)
    with pytest.raises(UserError, match="trials must be at least 1"):
        tune(split, "ridge", trials=0)
    for minutes in (0.0, math.inf, math.nan):
        with pytest.raises(UserError, match=f"minutes must be above 0 .got {minutes:g}"):
            tune(split, "ridge", minutes=minutes)


def test_the_best_is_fitted_to_all_and_the_card_has_the_trials(split):
    trained = train(split.dataset, "ridge", seed=1, features=FEATURES, trials=3)
    assert trained.tuning is not None and trained.fitting == trained.tuning.best
    assert trained.metrics == train_on(split, "ridge", trained.fitting).metrics
    assert len(trained.card["tuning"]["trials"]) == 3
    assert trained.card["parameters"] == trained.tuning.best.parameters


@pytest.mark.parametrize(
    ("game", "name"),
    [(game, name) for game in ("othello", "tic_tac_toe") for name in recipe_names(game)],
)
def test_every_space_is_of_its_recipe(game, name):
    rules, rng = game_named(game), np.random.default_rng(0)
    space = space_of(name, rules, FitOptions())
    assert space and set(space) == set(SPACES.get(name, space))
    for _ in range(3):
        drawn = {key: draw_value(choice, rng) for key, choice in space.items()}
        stages = drawn.pop("stages", None)
        learner = learner_of(unfitted(name, rules, FitOptions(stages=stages, parameters=drawn)))
        assert {key: learner.get_params()[key] for key in drawn} == drawn


def test_linear_means_texels_method_where_scores_have_a_scale() -> None:
    assert "alpha" in space_of("linear", game_named("chess"), FitOptions())
    assert "alpha" not in space_of("linear", game_named("othello"), FitOptions())


def test_settings_are_tried_from_the_start_that_is_given(split) -> None:
    options = {"features": ["squares", "mobility"], "trials": 2, "seed": 1}
    trained = train(split.dataset, "texel", start="classic", **options)
    assert trained.tuning is not None
    assert trained.tuning.best.parameters["start"] == trained.estimator.start == "classic"
    with pytest.raises(UserError, match="ridge cannot start from classic"):
        train(split.dataset, "ridge", start="classic", **options)


def test_what_has_no_space_is_refused():
    with pytest.raises(UserError, match="py:f has no settings to tune; --tune works for linear"):
        space_of("own.py:f", game_named("othello"), FitOptions())


def test_drawn_numbers_read_as_they_are():
    drawn = draw_value(loguniform(0.1, 100), np.random.default_rng(0))
    assert isinstance(drawn, float) and float(f"{drawn:.3g}") == drawn and 0.1 <= drawn <= 100

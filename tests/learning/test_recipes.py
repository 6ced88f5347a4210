import numpy as np
import pytest
from sklearn.linear_model import Ridge

from samuel.common.errors import UserError
from samuel.features import Features
from samuel.games.catalog import game_named
from samuel.games.playing import random_positions
from samuel.learning.fitting.estimators import unfitted
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.pattern_recipes import shapes_of
from samuel.learning.fitting.reading import default_features, stage_knots
from samuel.learning.fitting.recipes import recipe, recipe_names
from samuel.learning.selection.introspect import parameter_count
from samuel.models.convert import compiled_model, reads_of
from samuel.models.outcome_networks import OutcomeNetworks
from samuel.models.tapered import TaperedLogistic
from samuel.models.weights import weights_in

OTHELLO, NOUGHTS = game_named("othello"), game_named("tic_tac_toe")


def test_stages_are_spread_over_the_game():
    assert stage_knots(OTHELLO) == (0, 15, 30, 45, 60)
    assert stage_knots(game_named("connect_four")) == (0, 21, 42)
    assert stage_knots(NOUGHTS) == (0,)
    assert stage_knots(OTHELLO, 3) == (0, 30, 60)
    with pytest.raises(UserError, match="stages must be from 1 to 10 for tic_tac_toe"):
        stage_knots(NOUGHTS, 99)


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_is_seeded_and_reads_the_default_features(name):
    made = recipe(name, OTHELLO, random_state=7)
    readers = [made, *made.get_params().values()]
    kinds = Features | TaperedLogistic | OutcomeNetworks
    readers = [part for part in readers if isinstance(part, kinds)]
    read = [list(part.features) for part in readers]
    of_shapes_alone = shapes_of(name, OTHELLO) is not None
    assert read == ([] if of_shapes_alone or name == "nnue" else [default_features(OTHELLO)])
    seeds = [v for k, v in made.get_params().items() if k.endswith("random_state")]
    assert all(seed == 7 for seed in seeds)


@pytest.mark.parametrize("name", ["ridge", Ridge()], ids=str)
def test_a_plus_adds_to_the_default_features_and_a_plain_name_replaces_them(name):
    def read(*features):
        return set(reads_of(unfitted(name, OTHELLO, FitOptions(features=features or None))))

    default = read()
    assert default >= set(default_features(OTHELLO))
    assert read("+corners") == default | {"corners"}
    assert (
        read("+corners", "wedges") == read("corners", "+wedges") == default | {"corners", "wedges"}
    )
    assert read(f"+{default_features(OTHELLO)[0]}") == default
    assert read("corners", "wedges") == default - set(default_features(OTHELLO)) | {
        "corners",
        "wedges",
    }
    with pytest.raises(UserError, match="no feature called 'corner'"):
        read("+corner")


def test_own_function(tmp_path):
    file = tmp_path / "own.py"
    file.write_text(
        "from samuel.features import Features\n"
        "from sklearn.linear_model import SGDRegressor\n"
        "from sklearn.pipeline import make_pipeline\n"
        "def small(game, features):\n"
        "    return make_pipeline(Features(features, game.name), SGDRegressor())\n"
        "def plain():\n"
        "    return SGDRegressor()\n"
    )
    made = recipe(f"{file}:small", NOUGHTS, ["squares"], random_state=3)
    assert made[0].features == ["squares"] and made[-1].random_state == 3
    plain = recipe(f"{file}:plain", NOUGHTS, random_state=3)
    assert plain[0].features == default_features(NOUGHTS) and plain[-1].random_state == 3
    with pytest.raises(UserError, match="no function called 'large'; there are plain, small"):
        recipe(f"{file}:large", NOUGHTS)


def test_weights_of_a_known_function():
    positions = random_positions(OTHELLO, 3000, seed=2)
    truth = recipe("linear", OTHELLO, ["mobility", "parity"], stages=1)
    moves = truth[0].fit(positions).transform(positions)
    outcomes = (2 * moves[:, 0] - moves[:, 1] + 3).astype(np.float32)
    fitted = truth.fit(positions, outcomes)
    weights = weights_in(compiled_model(fitted))
    found = dict(zip(weights.columns, weights.weights[0].tolist(), strict=True))
    assert {"intercept": weights.intercept[0], **found} == pytest.approx(
        {"intercept": 3, "mobility_player": 2, "mobility_opponent": -1}
        | {"parity_odd_regions": 0, "parity_odd_empties": 0},
        abs=1e-3,
    )
    assert parameter_count(fitted) == 5

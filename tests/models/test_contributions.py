"""Why a position has its score: parts that add up to it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from samuel.common.errors import UserError
from samuel.features import Features, column_names, extract, features_named
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.models import compile_model, evaluate, load_evaluator, save
from samuel.models.contributions.contributions import (
    EXACT,
    contributions,
)
from samuel.models.contributions.parts import FEATURES, PIECES
from samuel.models.convert import compiled_model
from samuel.models.nnue.estimators import NNUERegressor
from samuel.models.patterns.estimators import PatternRegressor
from samuel.models.patterns.network_fit import PatternNetwork
from samuel.play.levels import erring
from tests.networks import random_network

OTHELLO, CHECKERS = game_named("othello"), game_named("checkers")


def positions_of(game, n, seed=3):
    for row in random_positions(game, n, seed=seed):
        yield Position(game, tuple(map(int, row)))


def adds_up(evaluator, n, game=OTHELLO, model=None):
    methods = set()
    for position in positions_of(game, n):
        if position.is_chance:
            continue
        found = contributions(evaluator, position, model=model)
        total = sum(part.value for part in found.parts) + found.rest
        assert total == pytest.approx(found.score, abs=1e-3)
        assert found.score == evaluate(evaluator, game, [position.words])[0]
        methods.add(found.method)
    return methods


@pytest.mark.parametrize("name", ["patterns", "classic", "wpc"])
def test_sums_are_taken_apart_exactly(name):
    """On two hundred positions."""
    assert adds_up(load_evaluator(name, OTHELLO), 200) == {EXACT}


@pytest.fixture(scope="module")
def fitted():
    """Positions and targets that are no sum of features."""
    X = random_positions(OTHELLO, 2000, seed=1)
    return X, evaluate("classic", OTHELLO, X).astype(float) ** 2 / 20


@pytest.mark.parametrize(
    "last",
    [
        GradientBoostingRegressor(n_estimators=20),
        MLPRegressor(hidden_layer_sizes=(8,), max_iter=50, random_state=0),
    ],
)
def test_other_models_over_features_have_the_change_by_each(fitted, last):
    pipeline = make_pipeline(Features(["mobility", "corners"]), StandardScaler(), last)
    pipeline.fit(*fitted)
    assert adds_up(compile_model(pipeline, "mine"), 30, model=compiled_model(pipeline)) == {
        FEATURES
    }


def test_a_change_by_a_feature_is_that_from_0_to_its_value(fitted):
    X, y = fitted
    last = GradientBoostingRegressor(n_estimators=5)
    pipeline = make_pipeline(Features(["mobility"]), last).fit(X, y)
    position = next(positions_of(OTHELLO, 1))
    form = compiled_model(pipeline)
    found = contributions(form.evaluator("mine"), position, model=form)
    here = pipeline[0].transform([position.words])
    without = [last.predict(here * keeps)[0] for keeps in ([0, 1], [1, 0])]
    expected = last.predict(here)[0] - without
    assert [part.value for part in found.parts] == pytest.approx(list(expected), abs=1e-4)


def test_a_network_over_patterns_is_one_part_beside_them():
    game = game_named("othello_4x4")
    X = random_positions(game, 1000, seed=1)
    y = evaluate("classic", game, X).astype(float)
    linear = PatternRegressor("tuples2", game.name, stages=2, max_iter=20)
    form = PatternNetwork(linear, "tuples2", game.name, epochs=1).fit(X, y**2 / 20).compiled()
    evaluator = form.evaluator("mine")
    assert adds_up(evaluator, 50, game, form) == {EXACT}
    (position,) = positions_of(game, 1)
    *parts, network = contributions(evaluator, position, model=form).parts
    plain = contributions(form.linear.evaluator("linear"), position, model=form.linear)
    assert parts == list(plain.parts) and network.name == "network" and network.value


@pytest.mark.parametrize("has_form", [True, False])
def test_pieces_are_named_by_the_squares_that_they_stand_on(has_form):
    """The words of a position turn the board for the second player, and names do not."""
    form = random_network(game_named("chess"), 16, king="K") if has_form else None
    evaluator = form.evaluator("mine") if form else load_evaluator("random", game_named("chess"))
    for moves, pieces in (("e4", {"e4 = P", "d8 = q"}), ("e4 e5", {"e4 = P", "e5 = p"})):
        position = Position.start("chess")
        for move in moves.split():
            position = position.play(move)
        for side in range(2):
            found = contributions(evaluator, position, model=form, side=side)
            assert found.method == PIECES
            named = {part.name: part for part in found.parts}
            assert pieces <= named.keys() and "e2 = P" not in named
            assert named["e4 = P"].squares == ("e4",)
    one, other = (
        contributions(evaluator, Position.start("chess").play(move), model=form, side=0)
        for move in ("e4", "e3")
    )
    assert {"e4", "e3"} <= {row.name for row in one.less(other).parts}


def test_a_network_beside_a_base_is_told_beside_it(fitted):
    X, y = fitted
    base = make_pipeline(Features(["mobility"]), LinearRegression())
    model = NNUERegressor("othello", base=base, units=16, epochs=1, random_state=1).fit(X, y)
    evaluator, form = compile_model(model, "mine"), compiled_model(model)
    assert adds_up(evaluator, 10, model=form) == {EXACT}
    position = Position.from_transcript("f5d6c3")
    mover = contributions(evaluator, position, model=form)
    other = contributions(evaluator, position, model=form, side=1 - position.side)
    assert [part.value for part in other.parts] == [-part.value for part in mover.parts]
    names = [{part.name.partition(" =")[0] for part in one.parts} for one in (mover, other)]
    assert names[0] == names[1] and {"mobility_player", "network"} <= names[0]


def test_what_is_only_known_by_its_scores_is_ablated():
    assert adds_up(load_evaluator("random", OTHELLO), 20) == {PIECES}
    position = Position.start("pig_20").play("roll").play("3")
    found = contributions(load_evaluator("zero", position.game), position)
    assert found.parts == () and found.rest == found.score


@pytest.mark.parametrize("name", ["backgammon", "chess", "othello"])
def test_pieces_that_no_position_lacks_are_not_ablated(name):
    game = game_named(name)
    evaluator = load_evaluator("zero", game)
    rows = [row for row in positions_of(game, 20) if not (row.is_terminal or row.is_chance)]
    assert rows
    for position in rows:
        found = contributions(evaluator, position)
        assert found.method == PIECES
        assert sum(part.value for part in found.parts) + found.rest == found.score


def test_what_scores_otherwise_than_its_form_is_ablated(tmp_path):
    """It errs, has the name and origin of another, or its folder holds another model by now."""
    shipped = load_evaluator("patterns", OTHELLO)
    assert adds_up(erring(shipped, OTHELLO, 1.0, seed=1), 3) == {PIECES}
    assert adds_up(replace(load_evaluator("random", OTHELLO), name="classic"), 3) == {PIECES}
    model = make_pipeline(Features(["mobility"]), LinearRegression())
    rows = random_positions(OTHELLO, 50)
    for worth, method in ((1.0, EXACT), (2.0, PIECES)):
        model.fit(rows, worth * extract(features_named(["mobility"], "othello"), rows)[:, 0])
        save(tmp_path / "model", model, name="model")
        if method == EXACT:
            evaluator = load_evaluator(tmp_path / "model", OTHELLO)
        assert adds_up(replace(evaluator), 3) == {method}


@pytest.mark.parametrize("name", ["patterns", "learned", "classic", "random"])
def test_two_moves_differ_by_their_parts_as_the_mover_sees_them(name):
    position = Position.from_transcript("f5d6c3d3")
    evaluator = load_evaluator(name, OTHELLO)
    places = [position.play(move) for move in position.legal_moves()[:2]]
    one, other = (contributions(evaluator, place, side=position.side) for place in places)
    scores = [-float(evaluate(evaluator, OTHELLO, [place.words])[0]) for place in places]
    assert [one.score, other.score] == scores and one.side == other.side == position.side
    rows = one.less(other).parts
    shown = repr(one.less(other)).splitlines()
    assert shown[0].startswith(f"Difference({scores[0] - scores[1]:+z.2f} (")
    assert f"for the {['first', 'second'][position.side]} player" in shown[0]
    values = [float(line.split()[0]) for line in shown[1:]]
    assert 0 not in values[:10] and len(values) <= 11
    assert sum(values) == pytest.approx(scores[0] - scores[1], abs=0.06)
    differing = sum(here - there for _, here, there in rows)
    assert differing == pytest.approx(scores[0] - scores[1], abs=1e-3)
    assert [abs(a - b) for _, a, b in rows] == sorted(
        (abs(a - b) for _, a, b in rows), reverse=True
    )
    with pytest.raises(ValueError, match="one side"):
        one.less(contributions(evaluator, position.play(position.legal_moves()[1])))


@pytest.mark.parametrize("depth", [None, 3])
@pytest.mark.parametrize("asks", [0, 1])
def test_names_say_whose_a_number_is(fitted, asks, depth):
    """Each number that is called the player's is that of the side asked, whoever is to move.

    It is read once more from the position with the sides exchanged.
    """
    X, y = fitted
    names = ["potential_mobility", "corners", "odd_quadrants"]
    last = LinearRegression() if depth is None else GradientBoostingRegressor(n_estimators=5)
    pipeline = make_pipeline(Features(names), last).fit(X, y)
    evaluator, form = compile_model(pipeline, "mine"), compiled_model(pipeline)
    features = features_named(names, "othello")
    for position in [*positions_of(OTHELLO, 5), Position.from_transcript("f5d6c3")]:
        found = contributions(evaluator, position, model=form, side=asks)
        total = sum(part.value for part in found.parts) + found.rest
        assert total == pytest.approx(found.score, abs=1e-3)
        words = position.words if position.side == asks else position.words[::-1]
        read = extract(features, OTHELLO.rows([words]))[0]
        expected = dict(zip(column_names(features), read, strict=True))
        told = {part.name.partition(" = ")[::2] for part in found.parts}
        for name, value in told:
            if name.endswith(("_player", "_opponent")):
                assert float(value) == pytest.approx(expected[name], rel=1e-4)
        seen = {name for name, _ in told if name.startswith("odd")}
        assert seen == {
            "odd_quadrants" if position.side == asks else "odd_quadrants seen by the opponent"
        }


@pytest.mark.parametrize("where", [Position.start("backgammon"), None])
def test_only_where_a_side_moves(where):
    if where is None:
        where = Position.parse("X" * 64 + " X")
    evaluator = load_evaluator("zero", where.game)
    with pytest.raises(
        UserError, match="here: contributions exist only for positions where a side"
    ):
        contributions(evaluator, where)

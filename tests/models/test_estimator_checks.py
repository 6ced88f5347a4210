"""Estimators whose file holds what no fit leaves are refused before compiled code follows it."""

import copy
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import skops.io
from sklearn.cluster import KMeans
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.linear_model import SGDRegressor
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, SplineTransformer
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeRegressor
from sklearn.tree._tree import Tree

from samuel.errors import UserError
from samuel.features import Patterns
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models import PatternNetwork, PatternRegressor
from samuel.models.saved.estimator_checks import UnsoundError, built, require_sound_estimator
from samuel.models.saved.skops_file import read_estimator
from samuel.models.sparse_network import SparseNetwork

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(80, 3))
y = X[:, 0] + 0.3 * X[:, 1] ** 2
WON = (y > 0).astype(int)
GAME = "othello_4x4"
POSITIONS = random_positions(game_named(GAME), 200, seed=1)
DISCS = np.bitwise_count(POSITIONS[:, 0]).astype(float)


def through_a_file(estimator: Any) -> Any:
    content = skops.io.dumps(estimator)
    return built(content, skops.io.get_untrusted_types(data=content))


def with_nodes(tree: Tree, change: Callable[[dict[str, Any]], Any]) -> Tree:
    """Return a copy of a tree whose state was changed."""
    state = copy.deepcopy(tree.__getstate__())
    change(state)
    made = Tree(*tree.__reduce__()[1])
    made.__setstate__(state)
    return made


def of_tree(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def changed(model: Any) -> None:
        made = with_nodes(model.tree_, lambda state: change(state["nodes"]))
        model.tree_ = made

    return changed


def set_state(thing: Any, place: int, change: Callable[[Any], Any]) -> None:
    state = list(copy.deepcopy(thing.__getstate__()))
    state[place] = change(state[place])
    thing.__setstate__(tuple(state))


def of_ball(place: int, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda model: set_state(model._tree, place, change)


def put(array: Any, place: Any, number: Any) -> Any:
    array[place] = number
    return array


def attribute(name: str, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda model: setattr(model, name, change(getattr(model, name)))


def sparse_beyond(model: Any) -> None:
    model._fit_X.indices[0] = 10**6


def ask_for_categories(model: Any) -> None:
    """Ask for the categories of a column that has none."""
    predictor = model._predictors[0][0]
    put(predictor.nodes["is_categorical"], 0, 1)
    predictor.raw_left_cat_bitsets = np.zeros((1, 8), np.uint32)


FITTED: dict[str, Any] = {
    "tree": lambda: DecisionTreeRegressor(max_depth=3).fit(X, y),
    "forest": lambda: RandomForestRegressor(3, max_depth=3).fit(X, y),
    "boosted": lambda: GradientBoostingRegressor(n_estimators=3).fit(X, y),
    "histogram": lambda: HistGradientBoostingRegressor(max_iter=2).fit(X, y),
    "categories": lambda: HistGradientBoostingRegressor(max_iter=2, categorical_features=[0]).fit(
        np.round(X), y
    ),
    "kd": lambda: KNeighborsRegressor(algorithm="kd_tree").fit(X, y),
    "ball": lambda: KNeighborsRegressor(algorithm="ball_tree", leaf_size=5).fit(X, y),
    "brute": lambda: KNeighborsClassifier(algorithm="brute").fit(X, WON),
    "sparse": lambda: KNeighborsRegressor().fit(scipy.sparse.csr_matrix(X), y),
    "svr": lambda: SVR().fit(X, y),
    "svc": lambda: SVC().fit(X, WON),
    "sparse svc": lambda: SVC().fit(scipy.sparse.csr_matrix(X), WON),
    "centres": lambda: KMeans(3).fit(X),
    "spline": lambda: SplineTransformer().fit(X),
    "network": lambda: MLPRegressor(
        hidden_layer_sizes=(4,), max_iter=3, random_state=np.random.RandomState(1)
    ).fit(X, y),
    "old random": lambda: SGDRegressor(random_state=np.random.RandomState(3)).fit(X, y),
    "patterns": lambda: Patterns(["a1 b1"], GAME).fit(POSITIONS),
    "regressor": lambda: PatternRegressor(
        ["a1 b1"], GAME, stages=2, tables=["mobility_player"], max_iter=5
    ).fit(POSITIONS, DISCS),
    "pattern network": lambda: PatternNetwork(
        PatternRegressor(["a1 b1"], GAME, stages=2, max_iter=5), game=GAME, random_state=0
    ).fit(POSITIONS, DISCS),
    "sparse network": lambda: SparseNetwork(4, epochs=1, random_state=0).fit(X, y),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", FITTED)
def test_what_a_fit_leaves_is_sound(name: str) -> None:
    through_a_file(make_pipeline(FITTED[name]()))


def of_random(pos: int) -> Callable[[Any], Any]:
    def changed(model: Any) -> None:
        state = model.random_state.get_state(legacy=False)
        state["state"]["pos"] = pos
        model.random_state.set_state(state)

    return changed


CRAFTED: list[tuple[str, Callable[[Any], Any]]] = [
    ("pattern network", attribute("squares_", lambda squares: squares[1:])),
    ("pattern network", attribute("squares_", lambda squares: squares.astype(float))),
    ("pattern network", attribute("squares_", lambda squares: -squares)),
    ("pattern network", attribute("squares_", lambda squares: squares * np.inf)),
    ("pattern network", attribute("squares_", lambda squares: None)),
    ("pattern network", attribute("rows_", np.asfortranarray)),
    ("pattern network", attribute("inner_", np.ma.array)),
    ("regressor", attribute("coef_", np.asfortranarray)),
    ("pattern network", attribute("rows_", lambda rows: rows[1:])),
    ("pattern network", attribute("steps_", lambda steps: np.stack([steps] * len(steps)))),
    ("sparse network", lambda m: put(m.coefs_, 0, m.coefs_[0][1:])),
    ("sparse network", lambda m: put(m.coefs_, 0, m.coefs_[0].astype(float))),
    ("sparse network", lambda m: put(m.coefs_, 1, m.coefs_[1][1:])),
    ("sparse network", lambda m: put(m.intercepts_, 0, m.intercepts_[0][1:])),
    ("sparse network", attribute("n_features_in_", lambda n: n + 1)),
    ("tree", of_tree(lambda nodes: put(nodes["left_child"], 0, 10**9))),
    ("tree", of_tree(lambda nodes: put(nodes["right_child"], 0, 0))),
    ("tree", of_tree(lambda nodes: put(nodes["left_child"], 1, 0))),
    ("tree", of_tree(lambda nodes: put(nodes["left_child"], 0, -5))),
    ("tree", of_tree(lambda nodes: put(nodes["feature"], 0, 3))),
    ("tree", of_tree(lambda nodes: put(nodes["feature"], 0, -(10**9)))),
    ("tree", attribute("tree_", lambda t: with_nodes(t, lambda s: s.update(node_count=-1)))),
    ("tree", attribute("tree_", lambda t: Tree(*t.__reduce__()[1]))),
    ("tree", attribute("n_features_in_", lambda n: n - 1)),
    ("tree", lambda model: delattr(model, "n_features_in_")),
    ("tree", lambda model: setattr(model, "_validate_X_predict", np.positive)),
    ("tree", lambda model: setattr(model, "criterion", Tree)),
    ("forest", lambda model: of_tree(lambda n: put(n["feature"], 0, 99))(model.estimators_[1])),
    ("boosted", lambda model: of_tree(lambda n: put(n["feature"], 0, 99))(model.estimators_[1, 0])),
    ("boosted", attribute("estimators_", lambda e: np.hstack([e, e, e]))),
    (
        "boosted",
        lambda model: put(model.estimators_, (1, 0), DecisionTreeRegressor().fit(X[:, :2], y)),
    ),
    (
        "boosted",
        lambda model: put(
            model.estimators_, (1, 0), DecisionTreeRegressor().fit(np.hstack([X, X]), y)
        ),
    ),
    ("histogram", lambda m: put(m._predictors[0][0].nodes["left"], 0, 2**32 - 1)),
    ("histogram", lambda m: put(m._predictors[1][0].nodes["right"], 0, 0)),
    ("histogram", lambda m: put(m._predictors[1][0].nodes["feature_idx"], 0, 3)),
    ("histogram", lambda m: put(m._predictors[1][0].nodes["is_categorical"], 0, 1)),
    ("histogram", ask_for_categories),
    ("histogram", attribute("n_features_in_", lambda n: n - 1)),
    ("histogram", lambda m: put(m._predictors, 0, [FITTED["tree"]()])),
    ("histogram", lambda m: setattr(m._bin_mapper, "is_categorical_", np.zeros(1, np.uint8))),
    (
        "categories",
        lambda m: (
            setattr(m._predictors[0][0], "raw_left_cat_bitsets", np.zeros((0, 8), "u4"))
            or put(m._predictors[0][0].nodes["is_categorical"], 0, 1)
        ),
    ),
    ("categories", lambda m: setattr(m, "_preprocessor", OneHotEncoder().fit(np.zeros((1, 1))))),
    ("kd", of_ball(1, lambda places: put(places, 0, 10**9))),
    ("kd", of_ball(1, lambda places: places[:-1])),
    ("kd", of_ball(2, lambda nodes: put(nodes, 0, (0, 10**6, 1, 1.0)))),
    ("kd", of_ball(2, lambda nodes: put(nodes, 0, (-5, 10, 1, 1.0)))),
    ("kd", of_ball(5, lambda levels: levels + 5)),
    ("kd", of_ball(6, lambda n: n + 100)),
    ("ball", of_ball(2, lambda nodes: put(nodes, len(nodes) - 1, (0, 1, 0, 1.0)))),
    ("ball", of_ball(3, lambda bounds: bounds[:, :2])),
    ("ball", of_ball(4, lambda leaf_size: 0)),
    ("kd", attribute("_fit_X", lambda known: known[:10])),
    ("brute", attribute("_fit_X", lambda known: known[:, :1])),
    ("brute", attribute("_y", lambda answers: answers[:5])),
    ("brute", attribute("_y", lambda answers: answers + 7)),
    ("sparse", sparse_beyond),
    ("svr", attribute("support_vectors_", lambda vectors: vectors[:2])),
    ("svr", attribute("support_vectors_", lambda vectors: vectors[:, :1])),
    ("svr", attribute("support_", lambda places: np.repeat(places, 100))),
    ("svr", attribute("_dual_coef_", lambda weights: weights[:, :2])),
    ("svc", attribute("_n_support", lambda counts: counts * 1000)),
    ("svc", attribute("_n_support", lambda counts: np.repeat(counts, 9))),
    ("svc", attribute("_intercept_", lambda one: one[:0])),
    ("svc", attribute("_probA", lambda one: np.zeros(7))),
    ("sparse svc", attribute("_dual_coef_", lambda weights: weights[:, :1])),
    ("centres", attribute("cluster_centers_", lambda centres: centres[:, :1].copy())),
    ("centres", attribute("_n_threads", lambda n: 10**9)),
    ("spline", lambda m: setattr(m.bsplines_[0], "k", 40)),
    ("spline", lambda m: setattr(m.bsplines_[0], "t", m.bsplines_[0].t[:3])),
    ("old random", of_random(10**6)),
    ("old random", of_random(-1)),
    ("patterns", lambda m: vars(m.patterns_).update(instances=((0, (10**6, 1)),))),
    ("patterns", lambda m: vars(m.patterns_).update(weight_of=np.zeros(1, np.int32))),
    ("patterns", lambda m: vars(m.patterns_.shapes[0]).update(squares=("a1", "z9"))),
    ("patterns", lambda m: vars(m.patterns_.shapes[0]).update(squares=("a1",) * 60)),
    ("patterns", attribute("game", lambda game: "othello")),
    ("patterns", attribute("knots_", lambda knots: (5, 4))),
    ("regressor", attribute("coef_", lambda weights: weights[:, :4].copy())),
    ("regressor", attribute("coef_", lambda weights: weights * np.float32(np.nan))),
    ("regressor", attribute("seen_", lambda seen: seen[:1].copy())),
    ("regressor", attribute("knots_", lambda knots: (0,))),
    ("regressor", lambda m: vars(m.terms_.tables[0]).update(sizes=(2**33,))),
    ("regressor", lambda m: vars(m.terms_).update(starts=np.array([0, 10**9]))),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("name", "craft"), CRAFTED, ids=[f"{n} {k}" for k, (n, _) in enumerate(CRAFTED)]
)
def test_what_no_fit_leaves_is_refused(name: str, craft: Callable[[Any], Any]) -> None:
    model = through_a_file(FITTED[name]())
    craft(model)
    with pytest.raises(UnsoundError, match="holds what no fit leaves"):
        require_sound_estimator(make_pipeline(model))


def with_schema(content: bytes, change: Callable[[str], str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(file, "w") as after:
        for name in before.namelist():
            text = before.read(name)
            after.writestr(name, change(text.decode()).encode() if name == "schema.json" else text)
    return file.getvalue()


@pytest.mark.parametrize("arguments", [(3, 10**8), (3, -1), (-(10**9), 1), (3, 0)])
def test_trees_that_cannot_be_made(arguments: tuple[int, int]) -> None:
    def change(text: str) -> str:
        schema = json.loads(text)
        made = schema["content"]["content"]["tree_"]["__reduce__"]["args"]["content"]
        for place, number in zip((0, 2), arguments, strict=True):
            # under a number of its own, or what else has this one would be taken for it
            made[place] |= {"content": str(number), "__id__": -1 - place}
        return json.dumps(schema)

    content = with_schema(skops.io.dumps(FITTED["tree"]()), change)
    with pytest.raises(UnsoundError, match="its Tree"):
        built(content, ["sklearn.tree._tree.Tree"])


def test_files_that_would_inflate() -> None:
    content = skops.io.dumps(FITTED["tree"](), compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(UserError, match=r"tree\.skops is damaged.*compressed"):
        read_estimator(content, "tree.skops")

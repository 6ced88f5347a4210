"""Estimators by name, each ready to be fitted to positions and to run inside the search.

A recipe is a scikit-learn pipeline that starts with `Features`, by default staged where the
model is linear: trees and networks find out by themselves how much of the game is left. Or it is a
model of patterns: the name of a set of shapes, or a file of shapes (NAME.txt), and one of _OVER.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
    SGDRegressor,
)
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from samuel.errors import UserError, unknown
from samuel.extras import extra
from samuel.features import Features, feature_names, features_named
from samuel.features.shapes import pattern_set, set_names
from samuel.features.terms import even_knots
from samuel.games.catalog import game_named
from samuel.games.interface import Game
from samuel.games.plugins import load_plugin, loaded_plugin, running
from samuel.learning.fitting.given import over_positions
from samuel.models.convert import takes_positions
from samuel.models.corrected import Corrected
from samuel.models.nnue.estimators import NNUERegressor
from samuel.models.outcome_networks import OutcomeNetworks
from samuel.models.patterns.estimators import PatternClassifier, PatternRegressor
from samuel.models.patterns.network_fit import PatternNetwork
from samuel.models.signature_tables import SignatureTables
from samuel.models.sparse_network import SparseNetwork
from samuel.models.staged import Staged
from samuel.models.tapered import TaperedLogistic

SQUARES_A_STAGE = 15
"""Stages stand this many squares apart by default."""
MOST_STAGES = 16
"""So many stages at most, by default."""


@dataclass(frozen=True)
class Recipe:
    """Recipe that makes an estimator.

    Attributes
    ----------
    about
        A line for people.
    kind, settings
        The estimator's class, and what it is made with.
    scaled
        Whether it learns better from columns of mean 0 and variance 1.
    staged
        Whether it is fitted by stage unless asked otherwise.
    sparse
        Whether it reads its columns as a sparse matrix.
    """

    about: str
    kind: Callable[..., Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    scaled: bool = False
    staged: bool = False
    sparse: bool = False


def _of_extra(package: str, kind: str) -> Callable[..., Any]:
    """Return what makes an estimator of a package that not everybody has."""
    return lambda **settings: getattr(extra(package, "this recipe"), kind)(**settings)


_UNITS = {
    "hidden_layer_sizes": (32,),
    "alpha": 1.0,
    "batch_size": 256,
    "learning_rate_init": 3e-3,
    "max_iter": 24,
    "tol": 0.0,
}
_RECIPES = {
    "linear": Recipe("least squares", LinearRegression, staged=True),
    # unscaled, so that a square that was seldom taken weighs little, whatever it is worth
    "ridge": Recipe("least squares, small weights preferred", Ridge, {"alpha": 100.0}, staged=True),
    "lasso": Recipe(
        "least squares, few weights preferred",
        Lasso,
        {"alpha": 0.02, "precompute": True},
        scaled=True,
        staged=True,
    ),
    "elasticnet": Recipe(
        "between lasso and ridge",
        ElasticNet,
        {"alpha": 0.02, "precompute": True},
        scaled=True,
        staged=True,
    ),
    "sgd": Recipe(
        "least squares by stochastic gradient descent",
        SGDRegressor,
        {"max_iter": 20, "eta0": 1e-3, "average": True, "tol": None},
        scaled=True,
        staged=True,
    ),
    "logistic": Recipe(
        "the probability of winning, by logistic regression",
        LogisticRegression,
        {"C": 0.1, "max_iter": 300},
        scaled=True,
        staged=True,
    ),
    "tree": Recipe(
        "one decision tree", DecisionTreeRegressor, {"max_depth": 12, "min_samples_leaf": 50}
    ),
    "forest": Recipe(
        "40 randomized trees, averaged",
        RandomForestRegressor,
        {
            "n_estimators": 40,
            "max_depth": 14,
            "min_samples_leaf": 10,
            "max_features": 0.4,
            "max_samples": 0.5,
            "n_jobs": -1,
        },
    ),
    "boosting": Recipe(
        "100 boosted trees over histograms",
        HistGradientBoostingRegressor,
        {"min_samples_leaf": 50, "early_stopping": False},
    ),
    "lightgbm": Recipe(
        "100 boosted trees of LightGBM (extra lightgbm)",
        _of_extra("lightgbm", "LGBMRegressor"),
        {"min_child_samples": 50, "verbose": -1},
    ),
    "xgboost": Recipe(
        "100 boosted trees of XGBoost (extra xgboost)",
        _of_extra("xgboost", "XGBRegressor"),
        {
            "max_leaves": 31,
            "max_depth": 0,
            "grow_policy": "lossguide",
            "learning_rate": 0.1,
            "min_child_weight": 50,
        },
    ),
    "gradient-boosting": Recipe(
        "100 boosted trees, the classic kind",
        GradientBoostingRegressor,
        {"max_depth": 4, "min_samples_leaf": 50, "subsample": 0.25, "max_features": 0.4},
    ),
    # a column that is seldom other than 0 weighs no more than the others
    "network": Recipe(
        "a neural network with 80 hidden units, over columns most of which are 0",
        SparseNetwork,
        {"learning_rate": 0.3, "warm_start": True},
        sparse=True,
    ),
    "signatures": Recipe(
        "signature tables in three levels (A. Samuel, 1967)", SignatureTables, staged=True
    ),
    "mlp": Recipe("a neural network with 32 hidden units", MLPRegressor, _UNITS, scaled=True),
    "mlp-classifier": Recipe(
        "the probability of winning, by a neural network",
        MLPClassifier,
        _UNITS,
        scaled=True,
    ),
}


TEXEL = "texel"
"""Recipe of Texel's method, which `linear` means in games whose score has a scale."""
NNUE, BESIDE = "nnue", "linear-nnue"
"""Recipes of efficiently updatable networks, in games with a board: alone, and beside a linear
model of features."""
_NNUE_BUCKETS = 4
OUTCOMES = "outcome-networks"
"""Recipe of networks over features that give the chance of each outcome."""
_OVER = {
    "": "linear, least squares",
    "-logistic": "the probability of winning, by logistic regression",
    "-tables": "linear, with tables of counts beside the patterns, such as of both sides' mobility",
    "-network": "a neural network over patterns, beside a linear model with the tables",
    "-wide-network": "a neural network with twice the units",
    "-boosting": "linear, corrected by boosted trees over features",
}
"""Endings of a name of a set of shapes, and the model for each."""

_NETWORKS: dict[str, dict[str, Any]] = {
    "-network": {},
    "-wide-network": {"units": 128, "epochs": 2, "warm_start": True},
}
_PATTERN_STAGES = 11
_PATTERN_DEFAULTS: dict[str, Any] = {
    "early_stopping": True,
    "tol": 1e-4,
    "warm_start": True,
    "n_jobs": -1,
}
"""A closer fit (1e-5) takes twice the passes and was worth no game (docs/results/notes.md)."""


def recipe_names(game: Game | str = "othello") -> dict[str, str]:
    """Return the names of the recipes, each with a line about it."""
    rules = game_named(game) if isinstance(game, str) else game
    found = {name: recipe.about for name, recipe in _RECIPES.items()}
    found[TEXEL] = "the probability of winning, all stages together (Texel's method)"
    found[OUTCOMES] = "the chance of each outcome, by a neural network for each class of positions"
    if rules.board is not None:
        found[NNUE] = "an efficiently updatable network (NNUE) over the pieces of the board"
        if feature_names(rules.name):
            found[BESIDE] = "a linear model of features, and an NNUE that adds to its score"
    sets = set_names(rules)
    found |= {name: f"patterns, {about}" for name, about in sets.items()}
    example = next(iter([*rules.defaults.shapes, *sets]), None)
    ends = {end: about for end, about in _endings(rules).items() if end}
    return found | ({f"{example}{end}": about for end, about in ends.items()} if example else {})


def _endings(game: Game) -> dict[str, str]:
    """Return those of _OVER that a game has the features for."""
    lacking = {"-tables": not game.defaults.tables, "-boosting": not feature_names(game.name)}
    return {end: about for end, about in _OVER.items() if not lacking.get(end)}


def is_recipe(name: str, game: Game) -> bool:
    """Return whether `name` is that of a recipe for a game, or has the form FILE.py:function."""
    return (
        name in (*_RECIPES, TEXEL, OUTCOMES, NNUE, BESIDE)
        or ".py:" in name
        or shapes_of(name, game) is not None
    )


def shapes_of(name: str, game: Game) -> tuple[str, str] | None:
    """Return the shapes that the name of a recipe starts with, and its ending, or None."""
    shapes, end = _parted(name)
    return (shapes, end) if shapes.endswith(".txt") or shapes in set_names(game) else None


def file_of(name: str) -> Path | None:
    """Return the file of the user's that the name of a recipe points to, or None."""
    if ".py:" in name:
        return Path(name.rpartition(":")[0])
    shapes, _ = _parted(name)
    return Path(shapes) if shapes.endswith(".txt") else None


def _parted(name: str) -> tuple[str, str]:
    """Return the name of a recipe without its ending (_OVER), and that."""
    end = max((end for end in _OVER if name.endswith(end)), key=len)
    return name.removesuffix(end), end


def _over_patterns(
    shapes: str, end: str, game: Game, features: list[str], stages: int | None
) -> Any:
    """Return a model of patterns."""
    pattern_set(shapes, game)  # what cannot be read is refused before the long work
    if end not in _endings(game):
        lacking = "tables" if end == "-tables" else "features"
        raise UserError(f"recipe {shapes}{end} needs {lacking}, which {game.name} does not have")
    tables = game.defaults.tables if end == "-tables" or end in _NETWORKS else ()
    settings: dict[str, Any] = {"stages": min(_PATTERN_STAGES, game.most_left + 1)}
    if stages is not None:
        settings["stages"] = len(stage_knots(game, stages))
    if end in _NETWORKS:
        linear = PatternRegressor(shapes, game.name, tables=tables, **settings, n_jobs=-1)
        return PatternNetwork(linear, shapes, game.name, **_NETWORKS[end])
    if end == "-logistic":
        return PatternClassifier(shapes, game.name, **settings, **_PATTERN_DEFAULTS)
    linear = PatternRegressor(shapes, game.name, tables=tables, **settings, **_PATTERN_DEFAULTS)
    if end != "-boosting":
        return linear
    linear.set_params(warm_start=False)  # what corrects it is fitted anew, too
    trees = HistGradientBoostingRegressor(
        max_iter=40, max_leaf_nodes=16, min_samples_leaf=500, early_stopping=False
    )
    return Corrected(linear, make_pipeline(Features(features, game.name), trees))


def default_features(game: Game) -> list[str]:
    """Return the names of the features that recipes read for a game."""
    known = feature_names(game.name)
    return [name for name in game.defaults.features if name in known] or known


def features_read(game: Game, named: Sequence[str] | None = None) -> list[str]:
    """Return the names of the features that a model reads where a user names some.

    Parameters
    ----------
    named
        Names in place of `default_features`; beside these where one begins with `+`, whichever
        it is. None for the defaults alone.

    Raises
    ------
    UserError
        The list is empty, or there is no such feature.
    """
    if named is not None and not named:
        raise UserError("features is empty; leave --features out to use the recipe's features")
    default, plain = default_features(game), [name.removeprefix("+") for name in named or ()]
    adds = named is None or plain != list(named)
    names = list(dict.fromkeys(default + plain)) if adds else plain
    if names:
        features_named(names, game.name)
    return names


def stage_knots(game: Game, stages: int | None = None) -> tuple[int, ...]:
    """Return the plies left at which stages stand, spread over the game.

    By default a stage every SQUARES_A_STAGE squares: five for Othello, three for Connect Four,
    one for tic-tac-toe; MOST_STAGES in long games.
    """
    if stages is None:
        stages = min(1 + game.most_left // SQUARES_A_STAGE, MOST_STAGES)
    if not 1 <= stages <= game.most_left + 1:
        raise UserError(
            f"stages must be from 1 to {game.most_left + 1} for {game.name} (got {stages})"
        )
    return even_knots(stages, game.most_left)


def recipe(
    name: str,
    game: Game,
    features: Sequence[str] | None = None,
    stages: int | None = None,
    random_state: int = 0,
) -> Any:
    """Return an unfitted estimator over positions; a file of the user's own is run for it.

    For names that a person typed, on the command line or in Python. Those that were read from
    anywhere else are for `known_recipe`.

    Parameters
    ----------
    name
        One of `recipe_names`, or FILE.py:function: that function, called with `game` and
        `features` as keywords where it takes them, returns an estimator (learning.fitting.given).
    features
        Names of features; see `features_read`. Models of patterns read none, but those whose name
        ends in -boosting.
    stages
        Into how many stages to divide the game; 1 for none, None for the recipe's own choice.
    random_state
        Seed of all that is random in it.

    Raises
    ------
    UserError
        There is no such recipe, feature, file or function, or it returns no such estimator.
    """
    if name.endswith(".py"):
        raise UserError(f"{name} is a file; give the name of its function, too: {name}:FUNCTION")
    run_code_of(name)
    return known_recipe(name, game, features, stages, random_state)


def run_code_of(name: str) -> None:
    """Run the file of a FILE.py:function that a person has named; other recipes have none."""
    if ".py:" in name:
        load_plugin(name.rpartition(":")[0])


def known_recipe(
    name: str,
    game: Game,
    features: Sequence[str] | None = None,
    stages: int | None = None,
    random_state: int = 0,
) -> Any:
    """Return what `recipe` does, and run no file: one that is named was run, or is refused."""
    over = shapes_of(name, game)
    if features is not None and over is not None and over[1] != "-boosting":
        raise UserError(f"recipe {name} reads patterns and no other features; leave --features out")
    names = features_read(game, features)
    if over is not None:
        estimator = _over_patterns(*over, game, names, stages)
        return seeded(estimator, random_state)
    if name in (NNUE, BESIDE):
        if game.board is None:
            others = ", ".join(recipe_names(game))
            raise UserError(
                f"recipe {name} reads a board, and {game.name} has no board; choose one of {others}"
            )
        if features is not None and name == NNUE:
            raise UserError(f"recipe {name} reads the board and no other features; leave them out")
        base = None
        if name == BESIDE:
            base = known_recipe(
                "linear" if game.scale else "ridge", game, features, stages, random_state
            )
        return _network_over_pieces(game, base, stages, random_state)
    if ".py:" in name:
        own = over_positions(_own(name, game, names), game, names)
        return seeded(in_stages(own, game, stages), random_state)
    if not names:
        raise UserError(
            f"{game.name} has no features; write some with "
            f"@samuel.feature(game={game.name!r}) and give their file with --plugin FILE"
        )
    if is_texel(name, game):
        knots = None if stages is None else stage_knots(game, stages)
        return TaperedLogistic(tuple(names), game.name, knots)
    if name == OUTCOMES:
        classes = game.defaults.classes if game.defaults.classes in names else None
        # targets that are mixed with scores lie between the ends of what a game is worth
        ends = (-game.max_utility, game.max_utility)
        outcomes = None if game.defaults.target == "outcome" else ends
        networks = OutcomeNetworks(
            names, game.name, classes=classes, outcomes=outcomes, warm_start=True
        )
        return in_stages(seeded(networks, random_state), game, stages)
    if name not in _RECIPES:
        more = "or a file of shapes (NAME.txt), or FILE.py:function for an estimator of your own"
        raise unknown("recipe", name, recipe_names(game), more)
    chosen = _RECIPES[name]
    steps = [StandardScaler()] if chosen.scaled else []
    reader = Features(names, game.name, sparse=chosen.sparse)
    estimator = make_pipeline(reader, *steps, chosen.kind(**chosen.settings))
    if stages is None and chosen.staged:
        stages = len(stage_knots(game))
    return seeded(in_stages(estimator, game, stages), random_state)


def _network_over_pieces(game: Game, base: Any, stages: int | None, seed: int) -> NNUERegressor:
    """Return the estimator of the recipes NNUE and BESIDE."""
    buckets = min(_NNUE_BUCKETS, game.most_left + 1) if stages is None else stages
    stage_knots(game, buckets)
    return NNUERegressor(
        game.name, base=base, buckets=buckets, warm_start=True, n_jobs=-1, random_state=seed
    )


def is_texel(name: Any, game: Game) -> bool:
    """Return whether a recipe is Texel's method."""
    return bool(name == TEXEL or (isinstance(name, str) and name == "linear" and game.scale))


def in_stages(estimator: Any, game: Game, stages: int | None) -> Any:
    """Return an estimator by stages of the game; as it is for one, and for None.

    Raises
    ------
    UserError
        There cannot be so many, or it has stages of its own.
    """
    if stages is None:
        return estimator
    if isinstance(estimator, Staged) or takes_positions(estimator):
        raise UserError(f"{type(estimator).__name__} has its own stages; leave stages out")
    knots = stage_knots(game, stages)
    return Staged(estimator, knots, game.name) if len(knots) > 1 else estimator


def _own(name: str, game: Game, features: list[str]) -> Any:
    """Return what the function of a user's file returns."""
    path, _, function_name = name.rpartition(":")
    module = loaded_plugin(path)
    function = getattr(module, function_name, None)
    if not callable(function):
        functions = inspect.getmembers(module, inspect.isfunction)
        known = [n for n, function in functions if function.__module__ == module.__name__]
        raise unknown("function", function_name, known, of=path)
    taken = inspect.signature(function).parameters
    offered = {"game": game, "features": features}
    with running(name):
        return function(**{key: value for key, value in offered.items() if key in taken})


def seeded(estimator: Any, seed: int) -> Any:
    """Seed every part of an estimator that takes a seed and has none."""
    free = {
        key: seed
        for key, value in estimator.get_params(deep=True).items()
        if key.rpartition("__")[2] == "random_state" and value is None
    }
    return estimator.set_params(**free) if free else estimator

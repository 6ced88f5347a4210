"""Estimators by name, each ready to be fitted to positions and to run inside the search.

A recipe is a scikit-learn pipeline that starts with `Features`, by default staged where the model
is linear: trees and networks learn by themselves how much of the game is left. Other recipes are
models of patterns (pattern_recipes.py), networks over positions, and FILE.py:function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn import ensemble
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from samuel import models
from samuel.common.errors import UserError, unknown
from samuel.features import Features, feature_names
from samuel.features.shapes import set_names
from samuel.games.catalog import game_named
from samuel.games.game import Game
from samuel.games.plugins import load_plugin, loaded_plugin, running
from samuel.learning.fitting.given import over_positions
from samuel.learning.fitting.pattern_recipes import endings_for, over_patterns, parted, shapes_of
from samuel.learning.fitting.reading import features_read, stage_knots
from samuel.models.convert import takes_positions
from samuel.models.staged import Staged

if TYPE_CHECKING:
    from samuel.models.nnue.estimators import NNUERegressor
    from samuel.models.outcome_networks import OutcomeNetworks


@dataclass(frozen=True)
class Recipe:
    """Recipe that makes an estimator."""

    about: str
    kind: Callable[..., Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    scaled: bool = False
    staged: bool = False
    sparse: bool = False


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
        ensemble.RandomForestRegressor,
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
        ensemble.HistGradientBoostingRegressor,
        {"min_samples_leaf": 50, "early_stopping": False},
    ),
    # a column that is seldom other than 0 weighs no more than the others
    "network": Recipe(
        "a neural network with 80 hidden units, over columns most of which are 0",
        lambda **settings: models.SparseNetwork(**settings),
        {"warm_start": True},
        sparse=True,
    ),
    "mlp": Recipe(
        "a neural network with 32 hidden units",
        MLPRegressor,
        {"hidden_layer_sizes": (32,), "alpha": 1.0, "batch_size": 256, "max_iter": 24, "tol": 0.0}
        | {"learning_rate_init": 3e-3},
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


def recipe_names(game: Game | str = "othello") -> dict[str, str]:
    """Return the names of the recipes, each with its description."""
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
    ends = {end: about for end, about in endings_for(rules).items() if end}
    return found | ({f"{example}{end}": about for end, about in ends.items()} if example else {})


def is_recipe(name: str, game: Game) -> bool:
    """Return whether a game has a recipe of this name, or the name is FILE.py:function."""
    return (
        name in (*_RECIPES, TEXEL, OUTCOMES, NNUE, BESIDE)
        or ".py:" in name
        or shapes_of(name, game) is not None
    )


def file_of(name: str) -> Path | None:
    """Return the user's file in the name of a recipe, or None."""
    if ".py:" in name:
        return Path(name.rpartition(":")[0])
    shapes, _ = parted(name)
    return Path(shapes) if shapes.endswith(".txt") else None


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
    """Return the estimator of `recipe` without running a file, which must have been run before."""
    over = shapes_of(name, game)
    if features is not None and over is not None:
        raise UserError(f"recipe {name} reads patterns and no other features; leave --features out")
    if over is not None:
        return seeded(over_patterns(*over, game, stages), random_state)
    names = features_read(game, features)
    if name in (NNUE, BESIDE):
        return _network_over_pieces(name, game, features, stages, random_state)
    if ".py:" in name:
        own = over_positions(_own(name, game, names), game, names)
        return seeded(in_stages(own, game, stages), random_state)
    if not names:
        raise UserError(
            f"{game.name} has no features; write some with "
            f"@samuel.feature(game={game.name!r}) and give their file with --plugin FILE"
        )
    if name == TEXEL or (name == "linear" and game.scores.scale):
        from samuel.models import TaperedLogistic

        knots = None if stages is None else stage_knots(game, stages)
        return TaperedLogistic(tuple(names), game.name, knots)
    if name == OUTCOMES:
        return seeded(in_stages(_networks_of_outcomes(game, names), game, stages), random_state)
    if name not in _RECIPES:
        more = "or a file of shapes (NAME.txt), or FILE.py:function for your own estimator"
        raise unknown("recipe", name, recipe_names(game), more)
    chosen = _RECIPES[name]
    steps = [StandardScaler()] if chosen.scaled else []
    reader = Features(names, game.name, sparse=chosen.sparse)
    estimator = make_pipeline(reader, *steps, chosen.kind(**chosen.settings))
    if stages is None and chosen.staged:
        stages = len(stage_knots(game))
    return seeded(in_stages(estimator, game, stages), random_state)


def _networks_of_outcomes(game: Game, names: Sequence[str]) -> OutcomeNetworks:
    from samuel.models.outcome_networks import OutcomeNetworks

    classes = game.defaults.classes if game.defaults.classes in names else None
    # targets that are mixed with scores lie between the ends of what a game is worth
    ends = (-game.scores.max_utility, game.scores.max_utility)
    outcomes = None if game.defaults.target == "outcome" else ends
    return OutcomeNetworks(names, game.name, classes=classes, outcomes=outcomes, warm_start=True)


def _network_over_pieces(
    name: str, game: Game, features: Sequence[str] | None, stages: int | None, seed: int
) -> NNUERegressor:
    """Return the estimator of the recipes NNUE and BESIDE."""
    from samuel.models.nnue.estimators import NNUERegressor

    if game.board is None:
        others = ", ".join(recipe_names(game))
        raise UserError(
            f"recipe {name} reads a board, and {game.name} has no board; choose one of {others}"
        )
    if features is not None and name == NNUE:
        raise UserError(f"recipe {name} reads the board and no other features; leave them out")
    linear = "linear" if game.scores.scale else "ridge"
    base = known_recipe(linear, game, features, stages, seed) if name == BESIDE else None
    buckets = min(_NNUE_BUCKETS, game.most_left + 1) if stages is None else stages
    stage_knots(game, buckets)
    return NNUERegressor(
        game.name, base=base, buckets=buckets, warm_start=True, n_jobs=-1, random_state=seed
    )


def in_stages(estimator: Any, game: Game, stages: int | None) -> Any:
    """Return an estimator by stages of the game; as it is for one, and for None."""
    if stages is None:
        return estimator
    if isinstance(estimator, Staged) or takes_positions(estimator):
        raise UserError(f"{type(estimator).__name__} has its own stages; leave stages out")
    knots = stage_knots(game, stages)
    return Staged(estimator, knots, game.name) if len(knots) > 1 else estimator


def _own(name: str, game: Game, features: list[str]) -> Any:
    """Return the estimator that the function in a user's file makes."""
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

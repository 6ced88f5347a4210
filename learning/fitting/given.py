"""Estimators that a person gives as objects: copied, and made to read positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline

from samuel.common.errors import UserError
from samuel.features import Features, Patterns, Positions, features_named
from samuel.games.game import Game
from samuel.models import Staged
from samuel.models.compiled.log_odds import FIRST_STEPS, first_step
from samuel.models.convert import game_of, takes_positions


def over_positions(
    estimator: Any, game: Game, default: Sequence[str], features: Sequence[str] | None = None
) -> Any:
    """Return an unfitted copy of an estimator that reads positions; the estimator stays as it is.

    One that starts with Features or Patterns, or reads positions itself, is taken as it is. Where
    parts of it do so inside, it is handed positions. Any other is handed features.
    """
    own = _copied(estimator)
    inner = own.estimator if isinstance(own, Staged) else own
    if takes_positions(inner) or isinstance(first_step(inner), FIRST_STEPS):
        reading = inner
    elif _reads_inside(inner):
        reading = make_pipeline(Positions(game.name), inner)
    elif any(isinstance(part, Staged) for part in inner.get_params().values()):
        raise UserError(
            f"Staged inside {_name(inner)} reads positions, so its estimator must begin with "
            f"features, as in Staged(make_pipeline(Features([...], {game.name!r}), ...), ...)"
        )
    else:
        reading = _over_features(inner, game, default if features is None else features)
        features = None
    if features is not None:
        raise UserError(f"{_name(inner)} begins with its own features; leave features out")
    if game_of(reading) != game.name:
        raise UserError(
            f"{_name(inner)} reads positions of {game_of(reading)}, but these are of "
            f"{game.name}; give the game where it is made, as in Features([...], "
            f"{game.name!r})"
        )
    return own.set_params(estimator=reading) if isinstance(own, Staged) else reading


def _copied(estimator: Any) -> Any:
    if isinstance(estimator, type):
        name = estimator.__name__
        raise UserError(f"{name} is a class; give an estimator, {name}()")
    tags = estimator.__sklearn_tags__() if hasattr(estimator, "__sklearn_tags__") else None
    kind = tags and tags.estimator_type
    learns = kind in ("regressor", "classifier") or (not kind and hasattr(estimator, "predict"))
    if not (learns and hasattr(estimator, "fit")):
        raise UserError(
            f"{_name(estimator)} is neither a regressor nor a classifier; give one, a "
            "pipeline that ends in one, or the name of a recipe"
        )
    if tags is not None and not tags.target_tags.single_output:
        raise UserError(f"{_name(estimator)} predicts several targets; a score is one number")
    if tags is not None and tags.target_tags.positive_only:
        raise UserError(
            f"{_name(estimator)} takes positive targets only, and scores can be negative; put "
            "TransformedTargetRegressor around it"
        )
    try:
        return clone(estimator)
    except (TypeError, RuntimeError) as error:
        raise UserError(
            f"{_name(estimator)} cannot be copied: {in_one_line(error)}; the constructor of a "
            "scikit-learn estimator must store its arguments and do nothing else"
        ) from error


def _reads_inside(estimator: Any) -> bool:
    parts = estimator.get_params(deep=True).values()
    return any(isinstance(part, Features | Patterns) or takes_positions(part) for part in parts)


def _over_features(estimator: Any, game: Game, names: Sequence[str]) -> Pipeline:
    if not names:
        raise UserError(
            f"{game.name} has no features; give a file of yours that defines some, with "
            "--plugin FILE"
        )
    features_named(names, game.name)
    steps = estimator.steps if isinstance(estimator, Pipeline) else make_pipeline(estimator).steps
    name = "features"
    while name in dict(steps):
        name += "_"
    return Pipeline([(name, Features(list(names), game.name)), *steps])


def _name(estimator: Any) -> str:
    return type(estimator).__name__


def in_one_line(error: BaseException) -> str:
    """Return what an error of somebody else's says, short and in one line."""
    text = " ".join(str(error).split()) or "no reason given"
    said = text if isinstance(error, ValueError) else f"{type(error).__name__}: {text}"
    return said if len(said) <= _MOST else f"{said[:_MOST]} ..."


_MOST = 300
"""Characters of somebody else's error."""

"""Features and stages that recipes read of a game."""

from __future__ import annotations

from collections.abc import Sequence

from samuel.common.errors import UserError
from samuel.features import feature_names, features_named
from samuel.features.shapes import set_names
from samuel.features.terms import even_knots
from samuel.games.game import Game

SQUARES_A_STAGE = 15
"""Distance of stages by default, in plies."""
MOST_STAGES = 16
"""Largest number of stages by default."""
_MODELS = ("tuples4", "tuples3", "tuples2")
"""Sets of shapes. The first that a game has is its default model; ridge if it has none."""


def default_features(game: Game) -> list[str]:
    """Return the names of the features that recipes read for a game."""
    known = feature_names(game.name)
    return [name for name in game.defaults.features if name in known] or known


def features_read(game: Game, named: Sequence[str] | None = None) -> list[str]:
    """Return the names of the features that a model reads, by those that a user names."""
    if named is not None and not named:
        raise UserError("features is empty; leave --features out to use the recipe's features")
    default, plain = default_features(game), [name.removeprefix("+") for name in named or ()]
    adds = named is None or plain != list(named)
    names = list(dict.fromkeys(default + plain)) if adds else plain
    if names:
        features_named(names, game.name)
    return names


def stage_knots(game: Game, stages: int | None = None) -> tuple[int, ...]:
    """Return the numbers of plies left at the stages, spread evenly over the game."""
    if stages is None:
        stages = min(1 + game.most_left // SQUARES_A_STAGE, MOST_STAGES)
    if not 1 <= stages <= game.most_left + 1:
        raise UserError(
            f"stages must be from 1 to {game.most_left + 1} for {game.name} (got {stages})"
        )
    return even_knots(stages, game.most_left)


def default_model(game: Game) -> str:
    """Return the default recipe of a game."""
    if game.defaults.recipe or feature_names(game.name):
        return game.defaults.recipe or "ridge"
    sets = set_names(game)
    return next((name for name in _MODELS if name in sets), "ridge")

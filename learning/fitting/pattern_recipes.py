"""Models of patterns by name: a set of shapes, or a file of them (NAME.txt), and one of _OVER."""

from __future__ import annotations

from typing import Any

from samuel.common.errors import UserError
from samuel.features.shapes import pattern_set, set_names
from samuel.games.game import Game
from samuel.learning.fitting.reading import stage_knots

_OVER = {
    "": "linear, least squares",
    "-logistic": "the probability of winning, by logistic regression",
    "-tables": "linear, with tables of counts beside the patterns, such as of both sides' mobility",
    "-network": "a neural network over patterns, beside a linear model with the tables",
    "-wide-network": "a neural network with twice the units",
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


def endings_for(game: Game) -> dict[str, str]:
    """Return the endings (_OVER) for which a game has the features."""
    return {end: about for end, about in _OVER.items() if end != "-tables" or game.defaults.tables}


def shapes_of(name: str, game: Game) -> tuple[str, str] | None:
    """Return the shapes and the ending in the name of a recipe; None if it has no shapes."""
    shapes, end = parted(name)
    return (shapes, end) if shapes.endswith(".txt") or shapes in set_names(game) else None


def parted(name: str) -> tuple[str, str]:
    """Return the name of a recipe without its ending, and the ending (_OVER)."""
    end = max((end for end in _OVER if name.endswith(end)), key=len)
    return name.removesuffix(end), end


def over_patterns(shapes: str, end: str, game: Game, stages: int | None) -> Any:
    """Return an unfitted model of patterns, by its shapes and its ending (_OVER)."""
    from samuel.models import PatternClassifier, PatternNetwork, PatternRegressor

    pattern_set(shapes, game)  # what cannot be read is refused before the long work
    if end not in endings_for(game):
        raise UserError(f"recipe {shapes}{end} needs tables, which {game.name} does not have")
    tables = game.defaults.tables if end == "-tables" or end in _NETWORKS else ()
    settings: dict[str, Any] = {"stages": min(_PATTERN_STAGES, game.most_left + 1)}
    if stages is not None:
        settings["stages"] = len(stage_knots(game, stages))
    if end in _NETWORKS:
        linear = PatternRegressor(shapes, game.name, tables=tables, **settings, n_jobs=-1)
        return PatternNetwork(linear, shapes, game.name, **_NETWORKS[end])
    if end == "-logistic":
        return PatternClassifier(shapes, game.name, **settings, **_PATTERN_DEFAULTS)
    return PatternRegressor(shapes, game.name, tables=tables, **settings, **_PATTERN_DEFAULTS)

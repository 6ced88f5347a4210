"""The evaluators that come with samuel, by name: learned, made by hand, or knowing nothing."""

from __future__ import annotations

import contextlib
from pathlib import Path

from samuel.errors import UserError, nearest, unknown
from samuel.games.catalog import is_of_the_package, known_game
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.models.handmade import handmade, handmade_names
from samuel.models.learned import learned_evaluator, learned_names


def evaluator_names(game: Game | str = "othello") -> dict[str, str]:
    """Return the evaluators of a game, each with a line about it; the usual one first."""
    rules = known_game(game) if isinstance(game, str) else game
    learned = learned_names(rules.name) if is_of_the_package(rules.name) else {}
    return learned | handmade_names(rules)


def named_evaluator(name: str, game: Game) -> Evaluator:
    """Return an evaluator by its name.

    Raises
    ------
    UserError
        There is none of that name for the game.
    """
    if name not in evaluator_names(game):
        raise no_evaluator(name, game)
    return handmade(name, game) if name in handmade_names(game) else learned_evaluator(name, game)


def usual_evaluator(game: Game) -> str:
    """Return the name of the evaluator that is meant where none is named."""
    return next(iter(evaluator_names(game)))


def usual_opponent(game: Game) -> str:
    """Return the name of the evaluator that others are held against: the first made by hand."""
    return next(iter(handmade_names(game)))


def no_evaluator(name: str, game: Game) -> UserError:
    """Return the error that no evaluator of a game has this name; it may have been a folder's."""
    beside: dict[str, str] = {}
    with contextlib.suppress(OSError, ValueError):
        folders = [one for one in Path(name).parent.iterdir() if (one / "model.json").is_file()]
        beside = {one.name: str(one) for one in folders}
    near = [beside[one] for one in nearest(Path(name).name, beside)]
    if len(Path(name).parts) > 1:
        hint = f"; did you mean {near[0]}?" if near else ""
        return UserError(f"there is no folder {name!r} of a model{hint}")
    known, more = [*evaluator_names(game), *near], "or give the folder of any model of yours"
    return unknown("evaluator", name, known, more, of=game.name)

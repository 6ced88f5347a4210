"""Evaluators by name: learned, made by hand, or knowing nothing; and a user's own."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from samuel.errors import UserError, nearest, unknown
from samuel.games.catalog import is_of_the_package, known_game, plugins_behind
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.models.handmade import handmade, handmade_names
from samuel.models.learned import learned_evaluator, learned_names

_NAME = re.compile(r"\w[\w .-]{0,99}")
"""What a command can take for one name, and tell from a folder's and an engine's."""
_MORE = "or give the folder of a model of yours, or with --plugin the file that registers it"
_own: dict[tuple[str, str], Evaluator] = {}
"""Those of a user, by game and name."""


def register_evaluator(evaluator: Evaluator) -> Evaluator:
    """Make a user's evaluator known to its game by its name; returns it.

    From then on the name stands for it wherever an evaluator is named: in commands that load
    the file as a plugin (`--plugin FILE`), in plans of self-play, and in other processes. One of
    the same name that was registered before is forgotten.

    Raises
    ------
    UserError
        Its game is not known, the package has an evaluator of that name, or it is no name.
    """
    rules, name = known_game(evaluator.game), evaluator.name
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{name!r} cannot name an evaluator: take letters, digits, blanks, dots, hyphens"
        )
    if name in _names_of_the_package(rules):
        raise UserError(f"{rules.name} has an evaluator {name} already; give yours another name")
    _own[rules.name, name] = evaluator
    return evaluator


def game_of_own(name: str) -> str | None:
    """Return the game of a user's evaluator of that name; None where there is none, or several."""
    games = [game for game, own in _own if own == name]
    return games[0] if len(games) == 1 else None


def _names_of_the_package(rules: Game) -> dict[str, str]:
    learned = learned_names(rules.name) if is_of_the_package(rules.name) else {}
    return learned | handmade_names(rules)


def evaluator_names(game: Game | str = "othello") -> dict[str, str]:
    """Return the evaluators of a game, each with a line about it; the usual one first."""
    rules = known_game(game) if isinstance(game, str) else game
    own = {name: judge.about for (of, name), judge in _own.items() if of == rules.name}
    return _names_of_the_package(rules) | own


def named_evaluator(name: str, game: Game) -> Evaluator:
    """Return an evaluator by its name.

    Raises
    ------
    UserError
        There is none of that name for the game.
    """
    if name not in evaluator_names(game):
        raise no_evaluator(name, game)
    if (game.name, name) in _own:
        return _own[game.name, name]
    return handmade(name, game) if name in handmade_names(game) else learned_evaluator(name, game)


def is_named_elsewhere(evaluator: Evaluator, game: Game) -> bool:
    """Return whether its name means it in a process that has loaded the same plugins, too."""
    if evaluator.name not in evaluator_names(game):
        return False
    named = named_evaluator(evaluator.name, game)
    is_own = (game.name, evaluator.name) in _own
    return named.is_like(evaluator) and not (is_own and not plugins_behind("", [named.module]))


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
    known, more = [*evaluator_names(game), *near], _MORE
    return unknown("evaluator", name, known, more, of=game.name)

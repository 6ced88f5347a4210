"""Game that is meant where evaluators are given and nobody names one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from samuel.common.errors import UserError
from samuel.common.json_files import read_record
from samuel.games.catalog import game_named, game_names, known_game
from samuel.games.game import Game
from samuel.models.named import evaluator_names, games_of_own

_DEFAULT = "othello"


def game_of_folder(folder: str | Path) -> str | None:
    """Return the name of the game that a saved model is for, or None where there is no model."""
    from samuel.models.saved.card import CARD

    try:
        game = read_record(Path(folder) / CARD, dict[str, Any], "", "").get("game")
    except UserError:
        return None
    return game if isinstance(game, str) else None


def game_for(game: Game | str | None, *evaluators: Any) -> Game:
    """Return the game that a person asks for, or else the one that their evaluators are for."""
    if game is not None:
        return game_named(game) if isinstance(game, str) else game
    said = [(who, name) for who in evaluators if (name := _said_by(who)) not in (None, "any")]
    if not said:
        return known_game(_DEFAULT)
    (first, name), *others = said
    for other, another in others:
        if another != name:
            raise UserError(
                f"{_called(first)} is for {name} and {_called(other)} for {another}; both "
                "must be for one game"
            )
    if isinstance(first, str | Path) and not _of_own(first):
        from samuel.models.saved.card import game_of_model

        return game_of_model(evaluator_alone(str(first)))
    return known_game(str(name))


def game_of_arguments(game: Game | str | None, others: Sequence[Any]) -> Game:
    """Return the game of a call of a public function (samuel.common.public)."""
    held = [own for one in others if isinstance(own := getattr(one, "game", None), Game)]
    flat = [who for one in others for who in (one if isinstance(one, list | tuple) else [one])]
    return held[0] if game is None and held else game_for(game, *flat)


def _said_by(who: Any) -> str | None:
    if not isinstance(who, str | Path):
        game = getattr(getattr(who, "evaluator", who), "game", None)
        return game if isinstance(game, str) else None
    if (own := _of_own(who)) is not None:
        return own
    # of a folder's name there may be a hand-made evaluator, which comes first
    game = game_of_folder(evaluator_alone(str(who)))
    return None if game and any(who in evaluator_names(name) for name in game_names()) else game


def _of_own(who: str | Path) -> str | None:
    """Return the game of a user's evaluator that is named, where one alone may be meant."""
    name = evaluator_alone(str(who))
    games = games_of_own(name)
    is_clear = len(games) == 1 and (_DEFAULT in games or name not in evaluator_names(_DEFAULT))
    return games[0] if is_clear else None


def _called(who: Any) -> str:
    return str(who if isinstance(who, str | Path) else getattr(who, "name", type(who).__name__))


STORE_SIGN = b"samuel: positions learned by rote, 1\n"
"""First bytes of a file of positions learned by rote."""


def name_and_file(text: str) -> tuple[str, str]:
    """Return the evaluator's name, or what stands before the last file, and that file."""
    readings = [(text[:k], text[k + 1 :]) for k, sign in enumerate(text) if sign == "+"]
    if not readings or os.path.isdir(text):
        return text, ""
    return max(
        readings, key=lambda one: (os.path.isfile(one[1]), os.path.isdir(one[0]), len(one[0]))
    )


def evaluator_alone(text: str) -> str:
    """Return the evaluator's name or folder without the files that are added to it."""
    base, file = name_and_file(text)
    return evaluator_alone(base) if file else base


def is_store(path: Path | str) -> bool:
    """Return whether a file says that it has positions learned by rote, whole or not."""
    with contextlib.suppress(OSError, ValueError):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read(len(STORE_SIGN)) == STORE_SIGN
    return False

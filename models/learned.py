"""Evaluators that were learned and come with samuel: folders of models without their estimators.

They are in shipped/GAME/NAME, with the settings of the runs that made them (recipe-1.toml and so
on, each from the best model of the run before) and their results (results.toml).
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, NotRequired, TypedDict

from msgspec import Meta

from samuel.common.json_files import as_record
from samuel.common.text_files import read_toml
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game

FOLDER = Path(__file__).parent / "shipped"


class MatchScore(TypedDict):
    """A match: the score, from 0 to 1, with its interval of 95 % confidence."""

    against: str
    limit: str
    score: float
    score_low: float
    score_high: float
    games: int
    after: NotRequired[str]


class Worth(TypedDict):
    """Games, time and matches of a learned evaluator, also in docs/results."""

    data: str
    time: str
    note: str
    curve: Annotated[list[MatchScore], Meta(min_length=1)]
    match: Annotated[list[MatchScore], Meta(min_length=1)]


@functools.lru_cache(maxsize=64)
def learned_names(game: str) -> dict[str, str]:
    """Return those of a game, each with a line about it."""
    from samuel.models.saved.card import CARD, read_card

    folders = sorted(card.parent for card in (FOLDER / game).glob(f"*/{CARD}"))
    return {folder.name: str(read_card(folder)["about"]) for folder in folders}


@functools.lru_cache(maxsize=8)
def learned_evaluator(name: str, game: Game) -> Evaluator:
    """Return one of `learned_names`."""
    from samuel.models.saved.loading import load

    return load(folder_of(name, game))


def folder_of(name: str, game: Game) -> Path:
    """Return the folder of one of `learned_names`."""
    return FOLDER / game.name / name


def recipes_of(name: str, game: Game) -> list[Path]:
    """Return the settings files of the runs that made one of `learned_names`, in their order."""
    return sorted(folder_of(name, game).glob("recipe-*.toml"))


def settings_path(path: str) -> Path:
    """Return the path of a settings file: a file of the user, or GAME/NAME/FILE of samuel."""
    shipped = FOLDER / path
    return shipped if shipped.is_file() and not Path(path).exists() else Path(path)


def worth_of(name: str, game: Game) -> Worth:
    """Return what one of `learned_names` is worth; UserError where its file is damaged."""
    path = folder_of(name, game) / "results.toml"
    return as_record(read_toml(path), Worth, str(path), "reinstall samuel")

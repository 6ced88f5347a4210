"""Evaluators that were learned and come with samuel: folders of models without their estimators.

They lie in shipped/GAME/NAME, with the runs that made them (recipe.toml), and what came of these
(results.toml).
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict, TypeVar

from msgspec import Meta

from samuel.common.json_files import as_record
from samuel.common.text_files import read_toml
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game

FOLDER = Path(__file__).parent / "shipped"
_REMEDY = "install samuel anew"
_T = TypeVar("_T")


class ProbCut(TypedDict):
    """Keyword arguments of `fit_probcut` for the parameters of ProbCut."""

    count: Annotated[int, Meta(ge=100, le=1_000_000)]
    max_depth: NotRequired[Annotated[int, Meta(ge=4, le=20)]]


class RecipeFile(TypedDict):
    """The runs of `samuel learn` that made an evaluator.

    `run` has their settings by name, and maybe how many `generations`; no `probcut` where it is
    not searched selectively.
    """

    about: str
    run: Annotated[list[dict[str, Any]], Meta(min_length=1)]
    probcut: NotRequired[ProbCut]


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
    """Games, time and matches of a learned evaluator, also in docs/results.

    `curve` has those after generations, which `after` names, `match` those of the evaluator itself;
    `note` says what else there is to say of them.
    """

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


def recipe_of(name: str, game: Game) -> RecipeFile:
    """Return how one of `learned_names` was made; UserError where its file is damaged."""
    return _read(name, game, "recipe.toml", RecipeFile)


def worth_of(name: str, game: Game) -> Worth:
    """Return what one of `learned_names` is worth; UserError where its file is damaged."""
    return _read(name, game, "results.toml", Worth)


def _read(name: str, game: Game, file: str, kind: type[_T]) -> _T:
    path = folder_of(name, game) / file
    return as_record(read_toml(path), kind, str(path), _REMEDY)

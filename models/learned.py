"""Evaluators that were learned and come with samuel: folders of models without their estimators.

They lie in shipped/GAME/NAME, with the recipe that made them (recipe.toml).
"""

from __future__ import annotations

import functools
from pathlib import Path

from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game

FOLDER = Path(__file__).parent / "shipped"


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

"""What decides the games of an event, as workers take it and as its folder keeps it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from samuel.arena.openings import Openings
from samuel.arena.players import Player
from samuel.errors import require_number, require_workers
from samuel.games.interface import Game
from samuel.games.origins import origins_of
from samuel.models.saved.carried import CarriedGame
from samuel.search.score import MOST_REMAINING, MOST_SECONDS

_SOLVED_SOON = 12
"""Squares beyond a game's `exact_from` from which its solver takes about a second: measured on
Othello (0.2 s from 20, 0.5 from 22, 3 from 24), its board of 6x6, and Connect Four."""


@dataclass(frozen=True)
class EventTerms:
    """What all games of an event have in common.

    Attributes
    ----------
    game
        The game, as it goes to workers.
    exact_from, adjudicate_from, patience
        As a Task has them (arena/duel.py).
    """

    game: CarriedGame
    exact_from: int
    adjudicate_from: int = 0
    patience: float = 60.0
    jobs: int = 1
    seed: int = 0


def terms_of(
    game: Game,
    exact_from: int | None,
    adjudicate_from: int,
    patience: float,
    jobs: int,
    seed: int = 0,
) -> EventTerms:
    """Return the terms of an event, the game's defaults filled in.

    Raises
    ------
    UserError
        A number is out of its range.
    """
    require_workers(jobs)
    require_number("patience", patience, 1e-3, MOST_SECONDS)
    require_number("exact_from", exact_from, 0, MOST_REMAINING)
    require_number("adjudicate_from", adjudicate_from, 0, MOST_REMAINING)
    solved = game.exact_from if exact_from is None else exact_from
    return EventTerms(
        CarriedGame(game),
        min(solved, game.most_plies),
        min(adjudicate_from, game.most_plies),
        patience,
        jobs,
        seed,
    )


def warn_of_adjudication(terms: EventTerms, players: Sequence[Player] = ()) -> None:
    """Warn where the solver decides no game of these players, or takes long for each."""
    game, asked = terms.game.game, terms.adjudicate_from
    if not asked:
        return
    soon = game.exact_from + _SOLVED_SOON
    if game.outcomes is not None or game.plies_left is None:
        said = f"no game is adjudicated: {game.name} is not solved"
    elif players and not any(one.is_engine for one in players):
        said = "no game is adjudicated: evaluators solve endings by themselves (--exact-from)"
    elif asked > soon:
        said = (
            f"adjudication from {asked} remaining squares on may take long: from {soon} on the "
            "solver takes about a second a game, and with every two squares more four times as long"
        )
    else:
        return
    warnings.warn(said, stacklevel=3)


def event_of(
    kind: str, players: Sequence[Player], openings: Openings, terms: EventTerms
) -> dict[str, Any]:
    """Return what decides the games of an event, for its journal, and `about`, what is said of it.

    The openings are among the latter: pairs know theirs, and a later run may have more of them.
    """
    game = terms.game.game
    return {
        "kind": kind,
        "game": game.name,
        "players": [
            {
                "name": one.name,
                "digest": one.digest(game),
                "engine": one.command,
                "allowances": [str(allowance) for allowance in one.allowances],
            }
            for one in players
        ],
        "seed": terms.seed,
        "about": {
            "openings": openings.name,
            "plugins": origins_of(
                game.name, evaluators=[one.evaluator.name for one in players if not one.is_engine]
            ),
        },
        "exact_from": terms.exact_from,
        "adjudicate_from": terms.adjudicate_from,
        "patience": terms.patience,
    }

"""Random games to check things on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samuel.games import Game, Position
from samuel.testing.failure import place_of, require

PLAYOUTS = 20
"""Random games that each check plays."""
SAMPLED = 16
"""Positions of them that the costlier checks look at."""


@dataclass(frozen=True)
class Playout:
    """A random game: every position from the start to the end, and what was played between them."""

    positions: list[Position]
    moves: list[int]


def random_playout(game: Game, random: np.random.Generator) -> Playout:
    """Play uniformly random moves to the end of a game; what chance brings is as random."""
    positions, moves = [Position.start(game)], []
    while not positions[-1].is_terminal:
        legal = game.playable_in(positions[-1].row)
        require(len(legal) > 0, place_of(positions[-1]), "there are no moves before the end")
        moves.append(int(random.choice(legal)))
        positions.append(positions[-1].play(moves[-1]))
        too_long = f"a game is longer than max_plies ({game.max_plies})"
        require(len(moves) <= game.max_plies, game.name, too_long)
    return Playout(positions, moves)


def random_playouts(game: Game, random: np.random.Generator) -> list[Playout]:
    """Play PLAYOUTS games."""
    return [random_playout(game, random) for _ in range(PLAYOUTS)]


def some_of(positions: list[Position], random: np.random.Generator) -> list[Position]:
    """Return at most SAMPLED of some positions."""
    chosen = random.choice(len(positions), min(SAMPLED, len(positions)), replace=False)
    return [positions[i] for i in chosen]

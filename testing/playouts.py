"""Random games to check things on."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from samuel.games import PASS, Game, Position
from samuel.games.board import MOVER, OPPONENT
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


def never_met(game: Game, seed: int = 0) -> list[str]:
    """Return what did not come up in the random games of `check_game`, which so looked at none."""
    playouts = random_playouts(game, np.random.default_rng(seed))
    drawn = [playout.positions[-1].utility() == 0 for playout in playouts]
    met = {"a draw": any(drawn), "a win (every game was a draw)": not all(drawn)}
    if game.notation.passes:
        met["a pass"] = any(PASS in playout.moves for playout in playouts)
    if game.chance is not None:
        met["a throw of dice"] = any(
            one.is_chance for playout in playouts for one in playout.positions
        )
    elif not game.alternates and not game.has_draws:  # draws by rule alone set `alternates`, too
        pairs = (pair for playout in playouts for pair in itertools.pairwise(playout.positions))
        met["a side that moves again"] = any(a.side == b.side for a, b in pairs)
    if game.board is not None and {MOVER, OPPONENT} <= {kind.whose for kind in game.board.kept}:
        both = "pieces of both sides on one board (does play swap the words of the sides?)"
        met[both] = any(map(_has_both_sides, playouts))
    return [what for what, is_met in met.items() if not is_met]


def _has_both_sides(playout: Playout) -> bool:
    """Return whether both sides have pieces in some position of a game on a board."""
    board = playout.positions[0].game.board
    assert board is not None
    words = {
        side: [
            kind.word + k
            for kind in board.kept
            for k in range(board.words_each)
            if kind.whose == side and kind.word is not None
        ]
        for side in (MOVER, OPPONENT)
    }
    return any(
        all(any(position.words[word] for word in of_side) for of_side in words.values())
        for position in playout.positions
    )

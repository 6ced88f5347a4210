"""Checks of a feature."""

from __future__ import annotations

import numpy as np

from samuel.common.errors import UserError
from samuel.features import Feature, extract
from samuel.games import Position, known_game
from samuel.games.feature import LARGEST_FEATURE
from samuel.games.rules import SAME
from samuel.testing.failure import ContractError, place_of, require, require_same
from samuel.testing.playouts import random_playouts


def check_feature(feature: Feature, seed: int = 0) -> None:
    """Check a feature on positions of random games, finished ones included.

    The feature must fill in each number that it names and no others. The numbers are finite, at
    most LARGEST_FEATURE in absolute value, and equal at every call and in any order. The position
    is left unchanged, and a feature that ignores chance does so.

    Parameters
    ----------
    feature
        Feature to check.
    seed
        Seed of every random choice.

    Raises
    ------
    ContractError
        The feature breaks a rule; the message names the feature, the position and the rule.

    Examples
    --------
    >>> import samuel
    >>> from samuel.testing import check_feature
    >>> @samuel.feature(game="tic_tac_toe")
    ... def centre_stone(position):
    ...     return (position[0] >> 4) & 1
    >>> check_feature(centre_stone)
    """
    game = known_game(feature.game)
    random = np.random.default_rng(seed)
    every = [place for playout in random_playouts(game, random) for place in playout.positions]
    rows = np.stack([position.row for position in every])
    try:
        found = extract([feature], rows.copy())
    except UserError as error:  # of outputs, or of code that cannot be compiled
        raise ContractError(f"{feature.name}: {error}") from None
    again = extract([feature], rows[::-1].copy())[::-1]
    for place, row, values, later in zip(every, rows, found, again, strict=True):
        where = f"{feature.name}, {place_of(place)}"
        for column, value in zip(feature.columns, values, strict=True):
            require(np.isfinite(value), where, f"{column} is {value}, not a finite number")
            far = f"{column} is {value}, farther from 0 than {LARGEST_FEATURE:.3g}"
            require(abs(value) <= LARGEST_FEATURE, where, far)
        changed = f"gives {values.tolist()} at first and {later.tolist()} later"
        require_same(values, later, where, changed)
        given = row[None].copy()
        extract([feature], given)
        require_same(given[0], row, where, "changes the position that it is given")
        if feature.ignores_chance:
            _check_chance(feature, place)


def _check_chance(feature: Feature, place: Position) -> None:
    """Make sure that no throw of the dice changes what is read off a position, or its progress."""
    game = place.game
    for outcome in game.outcomes_in(place.row)[0]:
        after, turn = game.after(place.row, int(outcome))
        where = f"{feature.name}, {place_of(place)}"
        one, other = extract([feature], np.stack([place.row, after]))
        require_same(one, other, where, "does not ignore chance")
        goes_on = turn == SAME and not game.is_over(after)
        same = goes_on and game.left_in(after) == game.left_in(place.row)
        require(same, where, f"chance changes more in {game.name} than a feature can ignore")

"""What a feature must keep to."""

from __future__ import annotations

import numpy as np

from samuel.errors import UserError
from samuel.features import Feature, extract
from samuel.features.feature import LARGEST_FEATURE
from samuel.games import known_game
from samuel.testing.failure import ContractError, place_of, require, require_same
from samuel.testing.playouts import random_playouts


def check_feature(feature: Feature, seed: int = 0) -> None:
    """Make sure that a feature gives numbers that can be learned from.

    On positions of random games, finished ones too: it fills in each number it names and none
    besides; the numbers are finite and at most LARGEST_FEATURE from 0, the same at every call and
    in whatever order; and the position is left as it was.

    Raises
    ------
    ContractError
        It does not; the message names the feature, the position and the rule.
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

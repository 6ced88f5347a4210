"""An evaluator of k in a row made by hand: lines that can still be filled, by what they miss."""

from __future__ import annotations

from samuel.games.defaults import Handmade

# By hand, in wins, of a line that misses 1, 2, ... stones: the player's, who is to move and can add
# one, and the opponent's.
_PLAYER, _OPPONENT = (0.6, 0.03, 0.008, 0.002), (-0.12, -0.02, -0.005, -0.0015)
# More of one that is free at both ends: who is to move has won with one that misses 2 stones.
_PLAYER_FREE, _OPPONENT_FREE = (0.2, 0.12, 0.006), (-0.4, -0.06, -0.004)


def classic_of(length: int) -> Handmade:
    """Return the evaluator of the game in which so many in a row win."""
    weights = {}
    for side, open_, free in (
        ("player", _PLAYER, _PLAYER_FREE),
        ("opponent", _OPPONENT, _OPPONENT_FREE),
    ):
        for stones in range(1, length):
            missing = min(length - stones, len(open_))
            weights[f"open_lines_{side}_{stones}"] = (open_[missing - 1],)
        for stones in range(2, length):
            missing = min(length - stones, len(free))
            weights[f"open_lines_{side}_free_{stones}"] = (free[missing - 1],)
    return Handmade("lines that can still be filled, weighted by hand", ("open_lines",), weights)

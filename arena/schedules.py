"""Schedules of a tournament: round robin, gauntlet, neighbours in the standings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from samuel.common.errors import UserError

Pairing: TypeAlias = tuple[int, int]


def round_robin(n: int) -> list[list[Pairing]]:
    """Return rounds in which each of n players meets each other once, and nobody plays twice."""
    # By the circle method: one player stays, the others go round. An odd n takes n rounds, with one
    # player free in each; an even n takes n - 1.
    _require_players(n)
    size = n + n % 2
    circle = list(range(size))
    rounds = []
    for _ in range(size - 1):
        facing = zip(circle[: size // 2], reversed(circle[size // 2 :]), strict=True)
        rounds.append([_pairing(i, j) for i, j in facing if max(i, j) < n])
        circle[1:] = [circle[-1], *circle[1:-1]]
    return rounds


def gauntlet(n: int, champions: int = 1) -> list[list[Pairing]]:
    """Return rounds in which the first players, the champions, meet each of the others once."""
    _require_players(n)
    if not 1 <= champions < n:
        raise UserError(f"champions must be from 1 to {n - 1} with {n} players (got {champions})")
    few, many = sorted([range(champions), range(champions, n)], key=len)
    return [
        [_pairing(player, many[(start + k) % len(many)]) for k, player in enumerate(few)]
        for start in range(len(many))
    ]


def neighbours(
    order: Sequence[int], met: Mapping[Pairing, int], byes: Mapping[int, int]
) -> list[Pairing]:
    """Pair players of like strength, those first who have met least often."""
    left = list(order)
    if len(left) % 2:
        left.remove(min(reversed(left), key=lambda player: byes.get(player, 0)))
    pairings = []
    while left:
        one = left.pop(0)
        other = min(left, key=lambda player: met.get(_pairing(one, player), 0))
        left.remove(other)
        pairings.append(_pairing(one, other))
    return pairings


def _pairing(i: int, j: int) -> Pairing:
    return min(i, j), max(i, j)


def _require_players(n: int) -> None:
    if n < 2:
        raise UserError(f"a tournament needs at least 2 players (got {n})")

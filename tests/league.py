"""Matches by the protocol of the Othello League, for tests."""

from __future__ import annotations

from typing import Any

from samuel.arena.match import match
from samuel.arena.results import MatchResult


def league(a: Any, b: Any, *, games: int = 2000, epsilon: float = 0.1, **more: Any) -> MatchResult:
    """Play games of one-ply players who now and then move at random, from the initial position."""
    its: dict[str, Any] = {"method": "greedy", "epsilon": epsilon, "openings": "start"}
    return match(a, b, pairs=games // 2, **its, **more)

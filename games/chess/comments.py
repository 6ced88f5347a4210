"""Scores in comments of PGN, as programs that run matches and servers of games write them.

cutechess and fastchess tell what the mover found before its move, `+0.31/12 0.5s` (pawns and
depth) or `-M6/20 1.2s` (plies to mate); Lichess what White may hope for after it, `[%eval 0.31]`
or `[%eval #-3]` (moves to mate).
"""

from __future__ import annotations

import re

_OWN = re.compile(
    r"\s*+([-+]?)(?:(?<=[-+])M(\d{1,4})|(\d{1,6}\.\d{1,4}|(?<=[-+])\d{1,6}))"
    r"/(\d{1,3})(?![\d/]|[.,]\d)"
)
"""A score has a sign or a decimal point: what has neither is a date, a share or a result."""
_EVAL = re.compile(
    r"\[%eval\s(?:#([-+]?\d{1,4})|([-+]?(?:\d{0,6}\.\d{1,4}|\d{1,6}\.?)))(?:,\d+)?\]"
)
_A_PLY, _MOST_PLIES = 1e-3, 120
"""Cost of a ply to mate, and the most plies that count (search/score.py)."""


def own_score(comment: str, most: float) -> float | None:
    """Return the score of the side that has moved, in pawns; a mate is `most` less its plies."""
    found = _OWN.match(comment)
    if found is None:
        return None
    sign, mate, pawns, depth = found.groups()
    if mate is None and float(pawns) == int(depth) == 0:
        return None
    score = min(float(pawns), most) if mate is None else _mate(int(mate), most)
    return -score if sign == "-" else score


def score_after(comment: str, side: int, most: float) -> float | None:
    """Return the score of the side that moves next, 0 for White, in the same way."""
    found = _EVAL.search(comment)
    if found is None:
        return None
    mate, pawns = found.groups()
    if mate is None:
        score = max(-most, min(float(pawns), most))
        return -score if side else score
    moves = -int(mate) if side else int(mate)
    if moves == 0:
        return None  # the game is over
    plies = 2 * moves - 1 if moves > 0 else -2 * moves
    return _mate(plies, most) if moves > 0 else -_mate(plies, most)


def _mate(plies: int, most: float) -> float:
    return most - _A_PLY * min(plies, _MOST_PLIES)

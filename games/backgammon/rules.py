"""Backgammon: money games without the cube; a gammon counts 2 points, a backgammon 3.

A move is a whole play of the dice; a position is four words of checkers and one of the dice
(games/backgammon/checkers.py), the larger one eight times and the smaller. The first player throws
first, as ever after, doubles too: the throw for who begins, which is no decision, is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64, uint64

from samuel.games.backgammon.checkers import (
    BAR,
    CHECKERS,
    DICE,
    HOME,
    MINE,
    MOST_PLAYS,
    OFF,
    POINTS,
    THEIRS,
    do_play,
    list_plays,
    mine_at,
    pips_of,
    theirs_at,
)
from samuel.games.backgammon.identifiers import words_of
from samuel.games.backgammon.notation import BackgammonNotation
from samuel.games.game import Game
from samuel.games.groups import Chance, Defaults, Handmade, OutsideEngine, Progress, Scores
from samuel.games.rules import CHANCE, OTHER, SAME, Row
from samuel.kernels.bits import ZERO
from samuel.kernels.jit import jit

EVALUATORS = {
    "pubeval": Handmade(
        "Tesauro's public benchmark of 1993, linear with contact; in races by the pips",
        ("pubeval",),
        {"pubeval": (1.0,)},
    ),
    # by hand: a lead of ten pips is worth about a quarter of a point
    "pips": Handmade(
        "the difference of the pips, a fortieth of a point each",
        ("pips",),
        {"pips_player": (-1 / 40,), "pips_opponent": (1 / 40,)},
    ),
}


FACES = 6
START = {24: 2, 13: 5, 8: 3, 6: 5}
PIPS = 2 * sum(point * checkers for point, checkers in START.items())
_FACE, _LARGER_AT = np.uint64(7), np.uint64(3)


@jit
def is_terminal(position: Row) -> bool:
    """Return whether a side has borne off all its checkers."""
    return theirs_at(position, OFF) == CHECKERS or mine_at(position, OFF) == CHECKERS


@jit
def _lost(low: Any, high: Any) -> int:
    """Return the points that a side loses, by where its checkers are at the end."""
    if low & uint64(CHECKERS) != ZERO:
        return 1
    # the bar and the winner's home are the places from 19 on
    return 3 if high >> uint64(4 * (POINTS - HOME + 1 - 16)) != ZERO else 2


@jit
def utility(position: Row) -> float:
    """Return the points won: 1, with none borne off 2, and one on the bar or far behind 3."""
    if theirs_at(position, OFF) == CHECKERS:
        return -float(_lost(position[MINE], position[MINE + 1]))
    return float(_lost(position[THEIRS], position[THEIRS + 1]))


@jit
def legal_moves(position: Row, moves: Any) -> int:
    """List the plays of the dice; none where they are to be thrown."""
    if position[DICE] == ZERO or is_terminal(position):
        return 0
    larger = int64(position[DICE] >> _LARGER_AT)
    return list_plays(position, larger, int64(position[DICE] & _FACE), moves)


@jit
def outcomes(position: Row, listed: Any, weights: Any) -> int:
    """List the 21 throws; two faces come twice as often as a double."""
    if position[DICE] != ZERO or is_terminal(position):
        return 0
    n = 0
    for larger in range(1, FACES + 1):
        for smaller in range(1, larger + 1):
            listed[n] = int32(larger << 3 | smaller)
            weights[n] = int32(1 if larger == smaller else 2)
            n += 1
    return n


@jit
def play(position: Row, move: int, child: Row) -> int:
    """Do a play, after which the other side throws; or throw."""
    if position[DICE] == ZERO:
        for word in range(DICE):
            child[word] = position[word]
        child[DICE] = uint64(move)
        return SAME
    do_play(position, move, child)
    child[DICE] = ZERO
    return OTHER if is_terminal(child) else OTHER | CHANCE


@jit
def progress(position: Row) -> int:
    """Return how many of the pips that both sides have at the start are gone."""
    pips = pips_of(position[MINE], position[MINE + 1])
    pips += pips_of(position[THEIRS], position[THEIRS + 1])
    return max(int64(0), PIPS - pips)


ENGINES = (
    OutsideEngine(
        "GNU Backgammon",
        "gnubg[depth={level}]:gnubg -t -q -r",
        "apt-get install gnubg",
        {"0-ply": "1", "1-ply": "2"},
    ),
)

GAME = Game(
    name="backgammon",
    start=(*words_of(START), *words_of(START), 0),
    legal_moves=legal_moves,
    play=play,
    is_terminal=is_terminal,
    utility=utility,
    plies_left=None,
    notation=BackgammonNotation(),
    max_moves=MOST_PLAYS,
    # throws too; no rule ends a game, but of 20,000 random ones none took more than 400 plays
    max_plies=4000,
    scores=Scores("points", 3.0),
    progress=Progress(progress, PIPS),
    chance=Chance(outcomes, FACES * FACES),
    defaults=Defaults(
        title="Backgammon",
        sides=("Black", "White"),
        features_in="samuel.games.backgammon.features",
        features=("tesauro", "shots", "escapes", "expert", "plan"),
        classes="plan",
        evaluators=EVALUATORS,
        engines=ENGINES,
        first="random",
        recipe="outcome-networks",
        target="outcome",
        depth=1,
        formats_in=("samuel.games.backgammon.mat",),
        learn={"epsilon": 0.0, "target": "outcome"},  # dice explore by themselves
    ),
)
assert GAME.words == DICE + 1
assert BAR == POINTS + 1

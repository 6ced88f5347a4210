"""The rules of xiangqi, or Chinese chess.

Who cannot move has lost, in check or not. The generals may not face each other on an open column.
The third time that a position stands, and 120 plies without a capture, are draws; but if one side
alone gave check with every move since the position first stood, that side has lost.

words: for each kind of piece (general, advisor, elephant, horse, chariot, cannon, soldier) the
mover's, then the opponent's, two words each (squares.py); the last is 1 where the second player is
to move, who sees the board turned by half, while moves are named as everybody names the squares.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samuel.games.defaults import Defaults
from samuel.games.interface import CHECK, OTHER, QUIET, Game, Row
from samuel.games.xiangqi.attacks import OPPONENT, WORDS_A_KIND, pieces_of
from samuel.games.xiangqi.handmade import EVALUATORS
from samuel.games.xiangqi.moves import (
    EVERYWHERE,
    SECOND_TO_MOVE,
    halves,
    is_in_check,
    list_legal,
    seen,
)
from samuel.games.xiangqi.notation import START, XiangqiNotation
from samuel.games.xiangqi.squares import BOARD, HIGH, KINDS, LOW, turned
from samuel.kernels.bits import ONE, ZERO, Word, popcount
from samuel.kernels.jit import jit

MOST_MOVES = 128
"""Two chariots and two cannons have 17 each at most, two horses 8, five soldiers 3, two advisors
and two elephants 4, and the general 4: 119."""
_PIECES = 32
_VALUES = np.array([0, 20, 20, 40, 90, 45, 10], np.int64)
"""In tenths of a soldier, for the order of captures."""

DEFAULTS = Defaults(
    title="Xiangqi",
    sides=("Red", "Black"),
    features_in="samuel.features.xiangqi",
    evaluators=EVALUATORS,
    recipe="ridge",
    first="classic",
    pieces="material",
    depth=2,
    games=3_000,
)


@jit
def legal_moves(position: Row, moves: Any) -> int:
    """List the moves that do not leave one's own general attacked."""
    return list_legal(position, EVERYWHERE, EVERYWHERE, moves)


@jit
def is_terminal(position: Row) -> bool:
    """Return whether the side to move cannot."""
    return list_legal(position, EVERYWHERE, EVERYWHERE, None) == 0


@jit
def utility(position: Row) -> float:
    """Return the result of a finished game: who cannot move has lost."""
    return -1.0


@jit
def play(position: Row, move: int, child: Row) -> int:
    """Move a piece, take what stands there, and turn the board."""
    start, end = seen(position, move)
    here, here_beyond = halves(start)
    there, there_beyond = halves(end)
    taken = ZERO
    for kind in KINDS:
        mine, theirs = WORDS_A_KIND * kind, WORDS_A_KIND * kind + OPPONENT
        low, high = position[mine + LOW], position[mine + HIGH]
        if (low & here) | (high & here_beyond) != ZERO:
            low, high = (low ^ here) | there, (high ^ here_beyond) | there_beyond
        child[theirs + LOW], child[theirs + HIGH] = turned(high), turned(low)
        low, high = position[theirs + LOW], position[theirs + HIGH]
        taken |= (low & there) | (high & there_beyond)
        child[mine + LOW], child[mine + HIGH] = (
            turned(high & ~there_beyond),
            turned(low & ~there),
        )
    child[SECOND_TO_MOVE] = ONE ^ position[SECOND_TO_MOVE]
    if taken != ZERO:
        return OTHER
    return OTHER | QUIET | CHECK if is_in_check(child) else OTHER | QUIET


@jit
def pending(position: Row, move: int, beyond: int, moves: Any) -> int:
    """List the captures; in check all moves, of which one has to be played."""
    if is_in_check(position):
        return -legal_moves(position, moves)
    theirs, theirs_beyond = pieces_of(position, OPPONENT)
    return list_legal(position, theirs, theirs_beyond, moves)


@jit
def progress(position: Row) -> int:
    """Return how many of the 32 pieces are gone."""
    low, high = pieces_of(position, 0)
    low_2, high_2 = pieces_of(position, OPPONENT)
    return _PIECES - popcount(low | low_2) - popcount(high | high_2)


@jit
def value_at(position: Row, side: int, low: Word, high: Word) -> int:
    """Return the value of what a side has on a square, in tenths of a soldier; 0 for nothing."""
    for kind in KINDS:
        word = WORDS_A_KIND * kind + side
        if (position[word + LOW] & low) | (position[word + HIGH] & high) != ZERO:
            return _VALUES[kind]
    return 0


@jit
def order(position: Row, moves: Any, n: int, hints: Any) -> None:
    """Rate captures by what is taken, and less by what takes it."""
    theirs, theirs_beyond = pieces_of(position, OPPONENT)
    for i in range(n):
        start, end = seen(position, moves[i])
        low, high = halves(end)
        hints[i] = 0
        if (low & theirs) | (high & theirs_beyond) != ZERO:
            by_low, by_high = halves(start)
            taken = value_at(position, OPPONENT, low, high)
            hints[i] = 100 + 10 * taken - value_at(position, 0, by_low, by_high)


GAME = Game(
    name="xiangqi",
    start=START,
    legal_moves=legal_moves,
    play=play,
    is_terminal=is_terminal,
    utility=utility,
    plies_left=None,
    notation=XiangqiNotation(BOARD, (), second_sees="rotated", players="wb"),
    max_moves=MOST_MOVES,
    max_plies=1000,
    repetitions=3,
    quiet_plies=120,
    side_word=SECOND_TO_MOVE,
    progress=progress,
    progress_max=_PIECES - 2,
    order=order,
    pending=pending,
    opening_plies=6,
    defaults=DEFAULTS,
)

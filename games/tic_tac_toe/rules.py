"""Tic-tac-toe: two words, the stones of the player and of the opponent; a1 is bit 0, b1 bit 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32

from samuel.common.errors import UserError
from samuel.games.board import Board
from samuel.games.feature import define_squares, feature
from samuel.games.game import Game
from samuel.games.grid_notation import GridNotation, require_turns
from samuel.games.groups import Defaults, Handmade, SearchRules
from samuel.games.lines import BOTH, count_forks, count_open, counts_of_sides, threats_of
from samuel.games.rules import Row, Words
from samuel.kernels.bits import ONE, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit

SQUARES = tuple(f"{column}{row}" for row in (1, 2, 3) for column in "abc")
LINES = tuple(np.uint64(b) for b in (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124))
_FULL = np.uint64(0o777)
# the centre lies on four lines, a corner on three, a side on two
_SQUARE_ORDER = np.array([3, 2, 3, 2, 4, 2, 3, 2, 3], np.int32)


@jit
def has_line(stones: Word) -> bool:
    """Return whether three stones are in a row."""
    for line in LINES:
        if stones & line == line:
            return True
    return False


@jit
def is_terminal(position: Row) -> bool:
    """Return whether the last stone made a line, or the board is full."""
    return position[0] | position[1] == _FULL or has_line(position[1])


@jit
def legal_moves(position: Row, moves: Any) -> int:
    """List the empty squares."""
    if has_line(position[1]):
        return 0
    empty = _FULL & ~(position[0] | position[1])
    n = 0
    while empty:
        moves[n] = int32(trailing_zeros(empty))
        empty &= empty - ONE
        n += 1
    return n


@jit
def play(position: Row, move: int, child: Row) -> None:
    """Put a stone on a square."""
    player = position[0]
    child[0], child[1] = position[1], player | bit(move)


@jit
def utility(position: Row) -> float:
    """Return -1 where the opponent has a line, else 0."""
    return -1.0 if has_line(position[1]) else 0.0


@jit
def plies_left(position: Row) -> int:
    """Return the number of empty squares."""
    return 9 - popcount(position[0] | position[1])


@jit
def order(position: Row, moves: Any, n: int, hints: Any) -> None:
    """Prefer squares on many lines."""
    for i in range(n):
        hints[i] = _SQUARE_ORDER[moves[i]]


def _check(words: Words, side: int) -> None:
    require_turns(words, side)
    if any(words[0] & int(line) == int(line) for line in LINES):
        raise UserError(f"{'XO'[side]} has three in a row and cannot be to move: the game was over")


# The side to move is a stone ahead of its count.
CLASSIC = Handmade(
    "open lines, weighted by hand",
    ("open_lines",),
    {
        "open_lines_player_1": (0.05,),
        "open_lines_player_2": (0.4,),
        "open_lines_opponent_1": (-0.05,),
        "open_lines_opponent_2": (-0.3,),
    },
)
GAME = Game(
    name="tic_tac_toe",
    start=(0, 0),
    legal_moves=legal_moves,
    play=play,
    is_terminal=is_terminal,
    utility=utility,
    plies_left=plies_left,
    notation=GridNotation(Board(3, 3, symmetric="all"), SQUARES, check=_check),
    max_moves=9,
    max_plies=9,
    search=SearchRules(order=order),
    defaults=Defaults(
        opening_plies=2,
        title="Tic-tac-toe",
        features_in="samuel.games.tic_tac_toe.rules",
        features=("squares", "open_lines"),
        evaluators={"classic": CLASSIC},
    ),
)


_THREES = np.array(LINES, np.uint64)
_CENTRE, _CORNER_CELLS = np.uint64(0o020), np.uint64(0o505)


def define(game: Game) -> None:
    """Define the features; the player's numbers come first."""
    if game is not GAME:  # a variant has none of them
        return
    define_squares(game)

    @feature(game=game.name, outputs=counts_of_sides(2))
    def open_lines(position: Row, values: Any) -> None:
        """Number of lines of three with 1 or 2 stones of the side and none of the other."""
        count_open(position, _THREES, 2, values)

    @feature(game=game.name)
    def empties(position: Row) -> float:
        """Number of empty cells."""
        return 9 - popcount(position[0] | position[1])

    @feature(game=game.name, outputs=BOTH)
    def middle(position: Row, values: Any) -> None:
        """Flag: 1 with a stone in the middle, else 0."""
        for side in range(2):
            values[side] = popcount(position[side] & _CENTRE)

    @feature(game=game.name, outputs=BOTH)
    def corners(position: Row, values: Any) -> None:
        """Number of corners that the side occupies."""
        for side in range(2):
            values[side] = popcount(position[side] & _CORNER_CELLS)

    @feature(game=game.name, outputs=BOTH)
    def winning_moves(position: Row, values: Any) -> None:
        """Number of empty cells that complete a line of the side."""
        for side in range(2):
            values[side] = popcount(threats_of(position[side], position[1 - side], _THREES, 3))

    @feature(game=game.name, outputs=BOTH)
    def forks(position: Row, values: Any) -> None:
        """Number of empty cells where a stone makes at least two new threats."""
        empty = _FULL & ~(position[0] | position[1])
        for side in range(2):
            values[side] = count_forks(position, side, empty, _THREES, 3)

"""Perft: counting the leaves of the full game tree, the test of every rule book.

A pass is a ply; a finished game is a leaf at once, at whatever depth.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import int32, int64, types

from samuel.errors import require_number
from samuel.games.interface import COUNT_REPLIES, LEGAL_MOVES, PLAY, ROWS, RULES, Game, Row, Rules
from samuel.games.position import Position
from samuel.kernels.compose import compose
from samuel.kernels.jit import jit
from samuel.kernels.pointers import INTS, WORDS, Pointer, at, offset, view

_SPLIT_FROM = 9
MOST_DEPTH = 1000
"""Nobody lives to see it; every game is over before."""


class _Counting(NamedTuple):
    """The rules that perft takes, which are few so that calls pass little."""

    legal_moves: Any
    play: Any
    count_replies: Any


_COUNTING = types.NamedTuple(
    [types.FunctionType(s) for s in (LEGAL_MOVES, PLAY, COUNT_REPLIES)], _Counting
)


@jit(int64(_COUNTING, WORDS, INTS, int64, int64, int64))
def _leaves(
    rules: _Counting, position: Pointer, moves: Pointer, words: int, width: int, depth: int
) -> int:
    """Count leaves; the next position and its moves stand `words` and `width` elements on."""
    if depth == 0:
        return 1
    if depth == 2:
        return rules.count_replies(position, moves)
    n = rules.legal_moves(position, moves)
    if n == 0:
        return 1
    if depth == 1:
        return n
    leaves = 0
    child, more = offset(position, words), offset(moves, width)
    for i in range(n):
        rules.play(position, moves[i], child)
        if depth == 3:  # as the recursion would, without its cost
            leaves += rules.count_replies(child, more)
        else:
            leaves += _leaves(rules, child, more, words, width, depth - 1)
    return leaves


@jit(int64(RULES, types.FunctionType(COUNT_REPLIES), ROWS, types.Array(int32, 2, "C"), int64))
def _count(rules: Rules, count_replies: Any, stack: Any, moves: Any, depth: int) -> int:
    words, width = stack.shape[1], moves.shape[1]
    counting = _Counting(rules.legal_moves, rules.play, count_replies)
    return _leaves(counting, at(stack, 0), at(moves, 0), words, width, depth)


@functools.lru_cache(maxsize=32)
def _replies_counter(game: Game) -> Any:
    """Return `count_replies` of a game over pointers: most of the time goes into the last plies.

    Where the game has none it is made of its other rules: called directly, not by pointers.
    """
    words, width = game.words, game.max_moves
    legal_moves, play = game.legal_moves, game.play
    own: Any = game.count_replies

    @jit
    def by_the_game(position: Row, moves: Any, child: Row, replies: Any) -> int:
        return own(position)

    @jit
    def by_listing(position: Row, moves: Any, child: Row, replies: Any) -> int:
        n = legal_moves(position, moves)
        leaves = 0 if n else 1
        for i in range(n):
            play(position, moves[i], child)
            leaves += max(1, legal_moves(child, replies))
        return leaves

    source = (
        "def count_replies(position, moves):\n"
        f"    child, replies = offset(position, {words}), offset(moves, {width})\n"
        f"    return rule(view(position, {words}), view(moves, {width}), view(child, {words}),"
        f" view(replies, {width}))"
    )
    rule = by_listing if own is None else by_the_game
    parts = {"rule": rule, "offset": offset, "view": view}
    return compose("count_replies", source, parts, COUNT_REPLIES)


def perft(position: Position, depth: int) -> int:
    """Return the number of leaves `depth` plies below a position.

    Deep counts are split over the moves, so that Ctrl-C is seen between them.
    """
    game = position.game
    require_number("depth", depth, 0, MOST_DEPTH)
    if min(depth, game.plies_left_in(position.row)) > _SPLIT_FROM and not position.is_terminal:
        return sum(divide(position, depth).values())
    stack = np.zeros((depth + 1, game.words), np.uint64)
    stack[0] = position.row
    moves = np.zeros((depth + 1, game.max_moves), np.int32)
    return int(_count(game.rules_of_play, _replies_counter(game), stack, moves, depth))


def divide(
    position: Position, depth: int, progress: Callable[[int], None] = lambda done: None
) -> dict[str, int]:
    """Return the perft of each move: leaves below it at `depth` plies from the position.

    `progress` is called with the number of moves done. A finished game has no moves to count.
    """
    require_number("depth", depth, 1, MOST_DEPTH)
    counts = {}
    for done, move in enumerate(position.legal_moves(), 1):
        counts[move] = perft(position.play(move), depth - 1)
        progress(done)
    return counts

"""Perft: counting the leaves of the full game tree, the test of every rule book.

A leaf is a sequence of exactly so many plies; where the published counts of a game have it so
(`PerftRules.counts_ended`: Othello), a game that ends before is a leaf too. A pass is a ply. An
outcome of chance is a branch, and no ply: before a side's move the dice are thrown, after the last
one they are not. Draws by rule (games/draws.py) are no matter: positions alone count.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numba import int32, int64, types

from samuel.common.errors import UserError, require_number
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.rules import COUNT_REPLIES, LEGAL_MOVES, PLAY, ROWS, RULES, Row, Rules
from samuel.kernels.jit import jit
from samuel.kernels.pointers import INTS, WORDS, Pointer, at, compose, offset, view
from samuel.kernels.records import array_type, entry, record

_SPLIT_FROM = 9
MOST_DEPTH = 1000
"""Nobody lives to see it; every game is over before."""
_ROWS_A_PLY = 16
"""Room for what chance brings before a side moves, one thing after another."""


@record
class _Counting(NamedTuple):
    """The rules that perft takes, which are few so that calls pass little."""

    legal_moves: Any = entry(LEGAL_MOVES, "lists the moves")
    play: Any = entry(PLAY, "makes a move")
    count_replies: Any = entry(COUNT_REPLIES, "counts the sequences of two plies")


_COUNTING = array_type(_Counting)


@jit(int64(_COUNTING, WORDS, INTS, int64, int64, int64, int64))
def _leaves(
    rules: _Counting,
    position: Pointer,
    moves: Pointer,
    words: int,
    width: int,
    ended: int,
    depth: int,
) -> int:
    """Count leaves; the next position and its moves stand `words` and `width` elements on."""
    if depth == 0:
        return 1
    if depth == 2:
        return rules.count_replies(position, moves)
    n = rules.legal_moves(position, moves)
    if n == 0:
        return ended
    if depth == 1:
        return n
    leaves = 0
    child, more = offset(position, words), offset(moves, width)
    for i in range(n):
        rules.play(position, moves[i], child)
        if depth == 3:  # as the recursion would, without its cost
            leaves += rules.count_replies(child, more)
        else:
            leaves += _leaves(rules, child, more, words, width, ended, depth - 1)
    return leaves


@jit(int64(RULES, types.FunctionType(COUNT_REPLIES), ROWS, int32[:, ::1], int64, int64))
def _count(rules: Rules, count_replies: Any, stack: Any, moves: Any, ended: int, depth: int) -> int:
    words, width = stack.shape[1], moves.shape[1]
    counting = _Counting(rules.legal_moves, rules.play, count_replies)
    return _leaves(counting, at(stack, 0), at(moves, 0), words, width, ended, depth)


@jit(int64(RULES, WORDS, INTS, INTS, int64, int64, int64, int64, int64))
def _leaves_with_dice(
    rules: Rules,
    position: Pointer,
    moves: Pointer,
    weights: Pointer,
    words: int,
    width: int,
    rows: int,
    ended: int,
    depth: int,
) -> int:
    """Count leaves where chance may be to move; -1 where that takes more than `rows` rows."""
    if depth == 0:
        return 1
    if rows == 0:
        return -1
    outcomes, leaves = rules.outcomes(position, moves, weights), int64(0)
    n = outcomes if outcomes > 0 else rules.legal_moves(position, moves)
    if n == 0:
        return ended
    child, more, below = offset(position, words), offset(moves, width), offset(weights, width)
    left = depth if outcomes > 0 else depth - 1
    for i in range(n):
        rules.play(position, int64(moves[i]), child)
        found = _leaves_with_dice(rules, child, more, below, words, width, rows - 1, ended, left)
        if found < 0:
            return found
        leaves += found
    return leaves


@jit(int64(RULES, ROWS, int32[:, ::1], int32[:, ::1], int64, int64))
def _count_with_dice(
    rules: Rules, stack: Any, moves: Any, weights: Any, ended: int, depth: int
) -> int:
    words, width, rows = stack.shape[1], moves.shape[1], int64(moves.shape[0])
    position, listed = at(stack, 0), at(moves, 0)
    below = at(weights, 0)
    return _leaves_with_dice(rules, position, listed, below, words, width, rows, ended, depth)


@functools.lru_cache(maxsize=32)
def _replies_counter(game: Game) -> Any:
    """Return `count_replies` of a game over pointers: most of the time goes into the last plies."""
    words, width = game.words, game.max_moves
    legal_moves, play = game.legal_moves, game.play
    own: Any = game.perft.count_replies
    ended = int(game.perft.counts_ended)

    @jit
    def by_the_game(position: Row, moves: Any, child: Row, replies: Any) -> int:
        return own(position)

    count: Any = game.perft.moves

    @jit
    def by_counting(position: Row, moves: Any, child: Row, replies: Any) -> int:
        n, leaves = count(position, moves), 0
        for i in range(n):
            play(position, int64(moves[i]), child)
            leaves += count(child, None)
        return leaves

    @jit
    def by_listing(position: Row, moves: Any, child: Row, replies: Any) -> int:
        n = legal_moves(position, moves)
        leaves = 0 if n else ended
        for i in range(n):
            play(position, moves[i], child)
            leaves += max(ended, legal_moves(child, replies))
        return leaves

    source = (
        "def count_replies(position, moves):\n"
        f"    child, replies = offset(position, {words}), offset(moves, {width})\n"
        f"    return rule(view(position, {words}), view(moves, {width}), view(child, {words}),"
        f" view(replies, {width}))"
    )
    rule = by_the_game if own else by_counting if count else by_listing
    parts = {"rule": rule, "offset": offset, "view": view}
    return compose("count_replies", source, parts, COUNT_REPLIES)


def perft(position: Position, depth: int) -> int:
    """Return the number of leaves `depth` plies below a position."""
    game = position.game
    require_number("depth", depth, 0, MOST_DEPTH)
    if min(depth, game.plies_left_in(position.row)) > _SPLIT_FROM and not game.is_over(
        position.row
    ):
        return sum(divide(position, depth).values())
    rows = depth + 1 if game.chance is None else _ROWS_A_PLY * (depth + 1)
    stack = np.zeros((rows + 1, game.words), np.uint64)
    stack[0] = position.row
    moves, weights = np.zeros((2, rows, game.max_moves), np.int32)
    rules, ended = game.rules_of_perft, int(game.perft.counts_ended)
    if game.chance is None:
        return int(_count(rules, _replies_counter(game), stack, moves, ended, depth))
    leaves = int(_count_with_dice(rules, stack, moves, weights, ended, depth))
    if leaves < 0:
        raise UserError(f"in {game.name} chance moves more than {_ROWS_A_PLY - 1} times in a row")
    return leaves


def divide(
    position: Position, depth: int, progress: Callable[[int], None] = lambda done: None
) -> dict[str, int]:
    """Return the perft of each move: leaves below it at `depth` plies from the position."""
    require_number("depth", depth, 1, MOST_DEPTH)
    position = replace(position, past=())
    outcomes = [outcome for outcome, _ in position.outcomes()]
    counts, below = {}, depth if outcomes else depth - 1
    for done, move in enumerate(outcomes or position.legal_moves(), 1):
        counts[move] = perft(position.play(move), below)
        progress(done)
    return counts

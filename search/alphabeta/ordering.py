"""Moves of a node that are searched, and their order: what is likely to cut, first.

Those that the game says are worth it (`candidates`); a search that goes to the end of the game
(MAX_PLY) leaves none out.

The move that the table knows, before the others are rated; then by the game's own order, in points,
less the static evaluation of what the move leads to where that pays. Where a game has no order: two
killers (S. Akl and M. Newborn, "The principal continuation and the killer heuristic", 1977), then
the history of cutoffs (J. Schaeffer, "The history heuristic", 1983); above the order of Othello
both cost nodes.
"""

from __future__ import annotations

from numba import int32, int64

from samuel.games.rules import SAME
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, offset
from samuel.search.alphabeta.context import thaw
from samuel.search.alphabeta.evaluation import leaf_score
from samuel.search.alphabeta.options import (
    CANDIDATES,
    EVALUATION_ORDER,
    GAME_ORDER,
    HISTORY,
    KILLERS,
)
from samuel.search.alphabeta.stack import (
    HISTORY_MOVES,
    SearchStack,
    hints_at,
    is_on,
    killers_at,
    moves_at,
    position_at,
    side_at,
)
from samuel.search.score import MAX_PLY

KILLER = 1 << 29
"""Rating of the first killer."""

EVALUATE_FROM = 4
"""Plies from which on a move's static evaluation is worth the asking."""
_MOST_HISTORY = KILLER - 2


@jit
def chooses(stack: SearchStack, ply: int, depth: int) -> bool:
    """Return whether a node's candidates alone are searched, where the game names some."""
    return is_on(stack, CANDIDATES) and ply + depth < MAX_PLY


@jit
def list_moves(context: Pointer, ply: int, depth: int) -> int:
    """List the moves of a ply that are to be searched, and return how many; 0 at a game's end."""
    rules, _, _, stack = thaw(context)
    listing = rules.candidates if chooses(stack, ply, depth) else rules.legal_moves
    return listing(position_at(stack, ply), moves_at(stack, ply))


@jit
def history_of(stack: SearchStack, ply: int, move: int) -> int:
    """Return the place of a move in the history, for the side to move at a ply."""
    return side_at(stack, ply) * HISTORY_MOVES + (move & (HISTORY_MOVES - 1))


@jit
def known_rating(stack: SearchStack, ply: int, move: int, first: int) -> int:
    """Return the rating of a move: `first` of the first killer, then the other, then history."""
    if is_on(stack, KILLERS):
        killers = killers_at(stack, ply, stack.same_side_parity[ply])
        if move == killers[0]:
            return int64(first)
        if move == killers[1]:
            return int64(first - 1)
    if is_on(stack, HISTORY):
        return int64(stack.history_scores[history_of(stack, ply, move)])
    return int64(0)


@jit
def rate_known(stack: SearchStack, ply: int, start: int, n: int) -> None:
    """Rate the moves `start` to n of a ply by killers and history."""
    moves, hints = moves_at(stack, ply), hints_at(stack, ply)
    for i in range(start, n):
        hints[i] = int32(known_rating(stack, ply, int64(moves[i]), int64(KILLER)))


@jit
def put_first(stack: SearchStack, ply: int, n: int, first: int) -> int:
    """Put the move `first` before the other moves of a ply; return 1, or 0 if it is not there."""
    moves, found = moves_at(stack, ply), int64(-1)
    for i in range(n):
        if moves[i] == first:
            found = int64(i)
            break
        if found < 0 and (moves[i] ^ first) & 0xFFFF == 0:
            found = int64(i)
    if found < 0:
        return int64(0)
    moves[0], moves[found] = moves[found], moves[0]
    return int64(1)


@jit
def rate_moves(context: Pointer, ply: int, depth: int, start: int, n: int) -> None:
    """Fill the hints of the moves `start` to n of a ply."""
    rules, _, _, stack = thaw(context)
    moves, hints = moves_at(stack, ply), hints_at(stack, ply)
    ordered = is_on(stack, GAME_ORDER)
    evaluated = depth >= EVALUATE_FROM and is_on(stack, EVALUATION_ORDER)
    if ordered:
        position = position_at(stack, ply)
        rules.order(position, offset(moves, start), n - start, offset(hints, start))
    elif not evaluated:
        rate_known(stack, ply, start, n)
    if evaluated:
        for i in range(start, n):
            turn = rules.play(position_at(stack, ply), moves[i], position_at(stack, ply + 1))
            hint, score = hints[i] if ordered else int32(0), leaf_score(context, ply + 1)
            hints[i] = hint + score if turn & SAME else hint - score


@jit
def bring_best(moves: Pointer, hints: Pointer, i: int, n: int) -> int:
    """Swap the best rated of the moves i to n to place i and return it."""
    best, highest = i, hints[i]
    for j in range(i + 1, n):
        if hints[j] > highest:
            best, highest = j, hints[j]
    move = moves[best]
    moves[best], hints[best] = moves[i], hints[i]
    moves[i], hints[i] = move, highest
    return int64(move)


@jit
def next_move(stack: SearchStack, ply: int, i: int, known: int, n: int) -> int:
    """Return the move that is searched at place i of the n of a ply; the first `known` stay."""
    if i < known:
        return int64(moves_at(stack, ply)[i])
    return bring_best(moves_at(stack, ply), hints_at(stack, ply), i, n)


@jit
def keep_killer(stack: SearchStack, ply: int, move: int) -> None:
    """Make a move the first killer of a ply."""
    killers = killers_at(stack, ply, stack.same_side_parity[ply])
    if killers[0] != move:
        killers[1] = killers[0]
        killers[0] = int32(move)


@jit
def keep_cutoff(stack: SearchStack, ply: int, depth: int, move: int) -> None:
    """Remember that a move made a cutoff."""
    if is_on(stack, KILLERS):
        keep_killer(stack, ply, move)
    if is_on(stack, HISTORY):
        at = history_of(stack, ply, move)
        stack.history_scores[at] = min(_MOST_HISTORY, stack.history_scores[at] + depth * depth)

"""Lines of moves from the initial position: drawn at random, played through, and all of them.

A line is the moves of a game's first plies, forced passes included. Positions are rows (K,) of
words, from the side to move.
"""

from __future__ import annotations

from typing import Any

from numba import int8, int32, int64, types, uint64

from samuel.games.interface import PASS, ROW, ROWS, RULES, Rules
from samuel.kernels.bits import ZERO, Word, mix
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at, copy
from samuel.kernels.random import STREAM, below, seed_stream

FINE, ILLEGAL, FINISHED = range(3)
"""What is wrong with a line: nothing, a move, or that it leaves no move to play."""

_INT8S, _INT32S = types.Array(int8, 1, "C"), types.Array(int32, 1, "C")
_INT64S, _WORDS = types.Array(int64, 1, "C"), types.Array(uint64, 1, "C")
_LINES = types.Array(int32, 2, "C")


@jit
def _draw_line(rules: Rules, stack: Any, legal: Any, stream: Any, line: Any) -> bool:
    """Play a random move for each place of `line` in stack[0]; tell whether the game goes on."""
    position, child = at(stack, 0), at(stack, 1)
    for ply in range(line.shape[0]):
        n = rules.legal_moves(position, at(legal, 0))
        if n == 0:
            return False
        line[ply] = legal[below(stream, n)]
        rules.play(position, int64(line[ply]), child)
        copy(position, child, stack.shape[1])
    return rules.legal_moves(position, at(legal, 0)) > 0


@jit(int64(RULES, ROW, uint64, int64, ROWS, _INT32S, STREAM, _LINES, ROWS))
def draw_lines(
    rules: Rules,
    start: Any,
    seed: Word,
    first: int,
    stack: Any,
    legal: Any,
    stream: Any,
    lines: Any,
    positions: Any,
) -> int:
    """Draw lines (n, plies) of uniformly random moves, numbers `first` and on of `seed`.

    What a number gives depends on nothing else; the lines after which the game is over are left
    out. `stack` (2, K), `legal` (max_moves,) and `stream` are scratch.

    Returns
    -------
    How many `lines` and `positions` after them are filled in.
    """
    found = int64(0)
    for i in range(lines.shape[0]):
        seed_stream(stream, seed, first + i)
        for k in range(start.shape[0]):
            stack[0, k] = start[k]
        if _draw_line(rules, stack, legal, stream, lines[found]):
            copy(at(positions, found), at(stack, 0), stack.shape[1])
            found += 1
    return found


@jit
def _is_among(legal: Any, n: int, move: int) -> bool:
    for i in range(n):
        if legal[i] == move:
            return True
    return False


@jit
def _follow_line(rules: Rules, stack: Any, legal: Any, moves: Any, played: Any) -> tuple[int, int]:
    """Play `moves` from stack[0] on; return (what is wrong, how many are in `played`)."""
    position, child = at(stack, 0), at(stack, 1)
    n, k, length = rules.legal_moves(position, at(legal, 0)), 0, 0
    while k < moves.shape[0]:
        move = int64(moves[k])
        if n == 1 and legal[0] == PASS and move != PASS:
            move = int64(PASS)  # which people leave out
        else:
            k += 1
        if not _is_among(legal, n, move):
            return ILLEGAL, length
        played[length] = move
        length += 1
        rules.play(position, move, child)
        copy(position, child, stack.shape[1])
        n = rules.legal_moves(position, at(legal, 0))
    return FINE if n > 0 else FINISHED, length


@jit(types.void(RULES, ROW, ROWS, _INT32S, _INT32S, _INT64S, _INT32S, _INT64S, ROWS, _INT8S))
def follow_lines(
    rules: Rules,
    start: Any,
    stack: Any,
    legal: Any,
    moves: Any,
    ends: Any,
    played: Any,
    lengths: Any,
    positions: Any,
    faults: Any,
) -> None:
    """Play n lines through: `moves` one after the other, each up to its place in `ends`.

    Fills in `played`, where the moves with the forced passes that were missing begin at twice the
    line's begin in `moves`; their `lengths` (n,); the `positions` (n, K) after them; and `faults`
    (n,): FINE, ILLEGAL or FINISHED.
    """
    for i in range(ends.shape[0]):
        first = int64(0) if i == 0 else ends[i - 1]
        for k in range(start.shape[0]):
            stack[0, k] = start[k]
        # at most one pass before each move: a game in which nobody can move is over
        own = played[2 * first : 2 * ends[i]]
        fault, length = _follow_line(rules, stack, legal, moves[first : ends[i]], own)
        faults[i], lengths[i] = fault, length
        copy(at(positions, i), at(stack, 0), stack.shape[1])


@jit(types.void(RULES, ROWS, _INT32S, _INT64S))
def count_moves(rules: Rules, positions: Any, legal: Any, counts: Any) -> None:
    """Fill in how many legal moves each of the positions (n, K) has: 0 where the game is over."""
    for i in range(positions.shape[0]):
        counts[i] = rules.legal_moves(at(positions, i), at(legal, 0))


@jit(types.void(RULES, ROWS, _INT32S, ROWS, _INT64S, _INT32S))
def list_children(
    rules: Rules, positions: Any, legal: Any, children: Any, parents: Any, moves: Any
) -> None:
    """List what each legal move of each position leads to: `children`, whose, by which move."""
    total = 0
    for i in range(positions.shape[0]):
        n = rules.legal_moves(at(positions, i), at(legal, 0))
        for k in range(n):
            rules.play(at(positions, i), int64(legal[k]), at(children, total))
            parents[total], moves[total] = i, legal[k]
            total += 1


@jit(types.void(uint64, _WORDS, _WORDS))
def mix_all(seed: Word, keys: Any, mixed: Any) -> None:
    """Fill in for each key a random number of its own: to sort by, so that no other key matters."""
    for i in range(keys.shape[0]):
        mixed[i] = mix(mix(ZERO, seed), keys[i])

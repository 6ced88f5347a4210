"""Lines of moves: drawn at random, and played through."""

from __future__ import annotations

from typing import Any

from numba import int8, int32, int64, types, uint64

from samuel.games.playing import (
    GAME_STATE,
    GameState,
    advance,
    begin,
    draw,
    is_among,
    is_chances_turn,
    listed,
    mover,
)
from samuel.games.rules import PASS, ROW, ROWS, RULES, Rules
from samuel.kernels.bits import ZERO, Word, below, mix, seed_stream
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at, copy
from samuel.kernels.records import to_pointers

FINE, ILLEGAL, FINISHED, AFTER_END = range(4)
"""Faults of a line: none, an illegal move, that it leaves no move to play, or moves after the end,
as after a third repetition."""


@jit
def _draw_line(rules: Rules, state: GameState, plies: int, line: Any) -> int:
    """Play so many random moves, dice between, into `line`; return its length, -1 at an end."""
    length = 0
    for _ in range(plies):
        while is_chances_turn(state):
            line[length] = draw(rules, state)
            advance(rules, state, int64(line[length]))
            length += 1
        n = listed(rules, state)
        if n == 0:
            return int64(-1)
        line[length] = state.moves[below(state.stream, n)]
        advance(rules, state, int64(line[length]))
        length += 1
    return length if listed(rules, state) > 0 else int64(-1)


@jit(int64(RULES, ROW, uint64, int64, int64, GAME_STATE, int32[:, ::1], int64[::1], ROWS))
def draw_lines(
    rules: Rules,
    start: Any,
    seed: Word,
    first: int,
    plies: int,
    arrays: GameState,
    lines: Any,
    lengths: Any,
    positions: Any,
) -> int:
    """Draw lines (n, P) of `plies` uniformly random moves, numbers `first` and on of `seed`."""
    state, found = to_pointers(arrays), int64(0)
    for i in range(lines.shape[0]):
        seed_stream(state.stream, seed, first + i)
        begin(rules, state, at(start, 0), int64(0))
        length = _draw_line(rules, state, plies, lines[found])
        if length >= 0:
            lengths[found] = length
            copy(at(positions, found), state.position, state.words)
            found += 1
    return found


@jit
def _follow_line(rules: Rules, state: GameState, moves: Any, played: Any) -> tuple[int, int]:
    """Play `moves` on; return (what is wrong, how many are in `played`)."""
    n, k, length = listed(rules, state), 0, 0
    while k < moves.shape[0]:
        if n == 0:
            return AFTER_END, length
        move = int64(moves[k])
        if n == 1 and state.moves[0] == PASS and move != PASS:
            move = int64(PASS)  # which people leave out
        else:
            k += 1
        if not is_among(state.moves, n, move):
            return ILLEGAL, length
        played[length] = move
        length += 1
        advance(rules, state, move)
        n = listed(rules, state)
    return FINE if n > 0 else FINISHED, length


@jit(
    types.void(
        *(RULES, ROWS, int8[::1], GAME_STATE, int32[::1], int64[::1], int32[::1], int64[::1], ROWS),
        *(int8[::1], int8[::1]),
    )
)
def follow_lines(
    rules: Rules,
    starts: Any,
    movers: Any,
    arrays: GameState,
    moves: Any,
    ends: Any,
    played: Any,
    lengths: Any,
    positions: Any,
    sides: Any,
    faults: Any,
) -> None:
    """Play n lines through: `moves` one after the other, each up to its place in `ends`."""
    state = to_pointers(arrays)
    for i in range(ends.shape[0]):
        first = int64(0) if i == 0 else ends[i - 1]
        k = i if starts.shape[0] > 1 else 0
        begin(rules, state, at(starts, k), int64(movers[k]))
        # at most one pass before each move: a game in which nobody can move is over
        own = played[2 * first : 2 * ends[i]]
        fault, length = _follow_line(rules, state, moves[first : ends[i]], own)
        faults[i], lengths[i], sides[i] = fault, length, mover(state)
        copy(at(positions, i), state.position, state.words)


@jit(types.void(uint64, uint64[::1], uint64[::1]))
def mix_all(seed: Word, keys: Any, mixed: Any) -> None:
    """Fill in for each key a random number of its own: to sort by, so that no other key matters."""
    for i in range(keys.shape[0]):
        mixed[i] = mix(mix(ZERO, seed), keys[i])

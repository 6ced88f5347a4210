"""Games given by their moves, played through by the rules inside one kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import float32, int8, int16, int32, int64, types
from numpy.typing import NDArray

from samuel.games.game import Game
from samuel.games.playing import (
    GAME_STATE,
    GameState,
    advance,
    begin,
    is_among,
    is_chances_turn,
    listed,
    mover,
    new_game_state,
    result_of,
)
from samuel.games.records import Records
from samuel.games.rules import NO_MOVE, PASS, ROWS, RULES, Rules
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.kernels.records import to_pointers
from samuel.selfplay.kernel import (
    POSITION_BUFFER,
    PositionBuffer,
    new_position_buffer,
    write_outcome,
)

REASONS = (
    "",
    "illegal move",
    "not finished",
    "moves after the end",
    "final score differs",
    "no moves",
    "finished games",
)
"""Why a game is refused, by the number that the kernel gives; 0 where it is not."""
_FINE, _ILLEGAL, _UNFINISHED, _AFTER_END, _DIFFERS, _NO_MOVES, _OVER = range(len(REASONS))


_SIGNATURE = int64(
    *(
        RULES,
        ROWS,
        int16[::1],
        int8[::1],
        int32[::1],
        int64[::1],
        float32[::1],
        float32[::1],
        types.boolean,
        types.boolean,
        GAME_STATE,
        POSITION_BUFFER,
        int8[::1],
    )
)


@jit
def _label(buffer: PositionBuffer, first: int, end: int, outcome: float) -> None:
    """Fill in the rows of a finished game: its outcome, and that nothing was searched here."""
    write_outcome(buffer, first, end, outcome)
    for row in range(first, end):
        buffer.depth[row] = 0
        buffer.exact[row] = False
        buffer.exploratory[row] = False


@jit
def _replay_game(
    rules: Rules,
    state: GameState,
    ply: int,
    moves: Any,
    scores: Any,
    result: float,
    may_stop: bool,
    is_position: bool,
    buffer: PositionBuffer,
    row: int,
) -> tuple[int, int]:
    """Play `moves` from where the table stands; return (reason, row after the last written)."""
    first, k = row, 0
    if len(moves) == 0:
        return _NO_MOVES, first
    while True:
        score = float32(np.nan)
        n = listed(rules, state)
        if n == 0:
            break
        if n == 1 and state.moves[0] == PASS and not (k < len(moves) and moves[k] == PASS):
            move = int64(PASS)  # which records leave out
        elif k == len(moves):
            if not may_stop or result != result:
                return _UNFINISHED, first
            _label(buffer, first, row, result)
            return _FINE, row
        else:
            move, score = int64(moves[k]), scores[k]
            k += 1
        is_legal = is_among(state.moves, n, move) or (is_position and move == NO_MOVE)
        if not is_legal or row == len(buffer.ply):  # room for what games last
            return _ILLEGAL, first
        if not is_chances_turn(state):
            for i in range(state.words):
                buffer.words[row, i] = state.position[i]
            buffer.ply[row] = ply + row - first
            buffer.side[row] = mover(state)
            buffer.move[row] = move
            buffer.score[row] = score
            row += 1
        if is_position:
            _label(buffer, first, row, result)
            return _FINE, row
        advance(rules, state, move)
    if is_position:
        return _OVER, first
    while k < len(moves) and moves[k] == PASS:  # some write one down when nobody can move
        k += 1
    if k < len(moves):
        return _AFTER_END, first
    outcome = result_of(rules, state)
    if result == result and result != outcome:
        return _DIFFERS, first
    _label(buffer, first, row, outcome)
    return _FINE, row


@jit(_SIGNATURE)
def replay_games(
    rules: Rules,
    starts: Any,
    plies: Any,
    sides: Any,
    moves: Any,
    ends: Any,
    scores: Any,
    results: Any,
    may_stop: bool,
    are_positions: bool,
    arrays: GameState,
    buffer: PositionBuffer,
    reasons: Any,
) -> int:
    """Play records through (see Records); return the rows written, those of games that are fine.

    Fills in `reasons` (n,), numbers of REASONS; in `buffer` a game has its place in the records as
    its number.
    """
    state, row = to_pointers(arrays), int64(0)
    for i in range(starts.shape[0]):
        begin(rules, state, at(starts, i), int64(sides[i]))
        start = 0 if i == 0 else ends[i - 1]
        own, its = moves[start : ends[i]], scores[start : ends[i]]
        result = results[i]
        reason, end = _replay_game(
            rules, state, plies[i], own, its, result, may_stop, are_positions, buffer, row
        )
        reasons[i] = reason
        for r in range(row, end):
            buffer.game[r] = i
        row = end
    return row


def replay(game: Game, records: Records) -> tuple[PositionBuffer, int, NDArray[np.int8]]:
    """Play records through."""
    n, room = len(records), len(records.moves)
    if game.notation.passes:  # which records leave out
        room = n * game.max_plies
    buffer, reasons = new_position_buffer(room + 1, game.words), np.zeros(n, np.int8)
    rows = replay_games(
        game.rules_of_play,
        records.starts,
        records.plies,
        records.sides,
        records.moves,
        records.ends,
        records.scores,
        records.results,
        records.may_stop,
        records.are_positions,
        new_game_state(game),
        buffer,
        reasons,
    )
    return buffer, rows, reasons

"""Games given by their moves, played through by the rules inside one kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import float32, int8, int32, int64, types
from numpy.typing import NDArray

from samuel.games.interface import PASS, ROWS, RULES, Game, Rules, Words
from samuel.games.playing import (
    ROOM,
    Room,
    Table,
    advance,
    begin,
    is_among,
    is_chances_turn,
    listed,
    mover,
    result_of,
    room_for,
    table_in,
)
from samuel.games.position import Position
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.selfplay.kernel import SHEET, Sheet, new_sheet, write_outcome

GAMES_AT_ONCE = 4096
"""Games that a file's reader hands on in one go."""

REASONS = (
    "",
    "illegal move",
    "not finished",
    "moves after the end",
    "final score differs",
)
"""Why a game is refused, by the number that the kernel gives; 0 where it is not."""
_FINE, _ILLEGAL, _UNFINISHED, _AFTER_END, _DIFFERS = range(len(REASONS))


class Start(NamedTuple):
    """Where a game begins: the position, the plies before it, and who is to move (0 or 1)."""

    words: Words
    ply: int
    side: int


@dataclass(frozen=True)
class Records:
    """Games as files have them.

    Attributes
    ----------
    starts
        uint64 (n, K), the positions they start from, from the side to move.
    plies
        int16 (n,), the ply of those.
    sides
        int8 (n,), who is to move there, 0 for the first player.
    moves
        int32, the moves of all games, one after the other, and what chance brought in its place
        among them. A pass that is forced may be missing.
    ends
        int64 (n,), where in `moves` each game ends.
    results
        float32 (n,), the recorded results for the first player, in the game's unit; NaN
        where there is none.
    refused
        how many games could not be read, by the reason.
    """

    starts: NDArray[np.uint64]
    plies: NDArray[np.int16]
    sides: NDArray[np.int8]
    moves: NDArray[np.int32]
    ends: NDArray[np.int64]
    results: NDArray[np.float32]
    refused: dict[str, int]

    def __len__(self) -> int:
        return len(self.ends)


def records_of(
    game: Game,
    moves: Sequence[Sequence[int]],
    starts: Sequence[Start] | None = None,
    results: Sequence[float] | None = None,
    refused: dict[str, int] | None = None,
) -> Records:
    """Return records of n games.

    Parameters
    ----------
    moves
        of each.
    starts
        of each; the initial position where None.
    results, refused
        as Records has them.
    """
    n = len(moves)
    words, plies, sides = zip(*(starts or [first_of(game)] * n), strict=True) if n else ((),) * 3
    return Records(
        np.array(words, np.uint64).reshape(n, game.words),
        np.array(plies, np.int16),
        np.array(sides, np.int8),
        np.array([move for game_moves in moves for move in game_moves], np.int32),
        np.cumsum([len(game_moves) for game_moves in moves], dtype=np.int64),
        np.full(n, np.nan, np.float32) if results is None else np.array(results, np.float32),
        refused or {},
    )


def first_of(game: Game) -> Start:
    """Return where games begin."""
    return Start(game.start, 0, 0)


def start_of(position: Position) -> Start:
    """Return a position with a ply for it: the squares filled, and a pass where sides alternate.

    How many passes came before cannot be seen; one at least where the side is not that of the ply.
    """
    game = position.game
    ply = game.most_left - game.left_in(position.row)
    passed = (ply + position.side) % 2 if game.alternates else 0
    return Start(position.words, ply + passed, position.side)


_INT32S, _INT64S = types.Array(int32, 1, "C"), types.Array(int64, 1, "C")
_INT8S, _INT16S = types.Array(int8, 1, "C"), types.Array(types.int16, 1, "C")
_FLOATS = types.Array(float32, 1, "C")


@jit
def _label(sheet: Sheet, first: int, end: int, outcome: float) -> None:
    """Fill in the rows of a finished game: its outcome, and that nothing was searched."""
    write_outcome(sheet, first, end, outcome)
    for row in range(first, end):
        sheet.score[row] = np.float32(np.nan)
        sheet.depth[row] = 0
        sheet.exact[row] = False
        sheet.exploratory[row] = False


@jit
def _replay_game(
    rules: Rules, table: Table, ply: int, moves: Any, result: float, sheet: Sheet, row: int
) -> tuple[int, int]:
    """Play `moves` from where the table stands; return (reason, row after the last written)."""
    first, k = row, 0
    while True:
        n = listed(rules, table)
        if n == 0:
            break
        if n == 1 and table.moves[0] == PASS and not (k < len(moves) and moves[k] == PASS):
            move = int64(PASS)  # which records leave out
        elif k == len(moves):
            return _UNFINISHED, first
        else:
            move = int64(moves[k])
            k += 1
        if not is_among(table.moves, n, move) or row == len(sheet.ply):  # room for what games last
            return _ILLEGAL, first
        if not is_chances_turn(table):
            for i in range(table.words):
                sheet.words[row, i] = table.position[i]
            sheet.ply[row] = ply + row - first
            sheet.side[row] = mover(table)
            sheet.move[row] = move
            row += 1
        advance(rules, table, move)
    while k < len(moves) and moves[k] == PASS:  # some write one down when nobody can move
        k += 1
    if k < len(moves):
        return _AFTER_END, first
    outcome = result_of(rules, table)
    if result == result and result != outcome:
        return _DIFFERS, first
    _label(sheet, first, row, outcome)
    return _FINE, row


@jit(int64(RULES, ROWS, _INT16S, _INT8S, _INT32S, _INT64S, _FLOATS, ROOM, SHEET, _INT8S))
def replay_games(
    rules: Rules,
    starts: Any,
    plies: Any,
    sides: Any,
    moves: Any,
    ends: Any,
    results: Any,
    room: Room,
    sheet: Sheet,
    reasons: Any,
) -> int:
    """Play records through (see Records); return the rows written, those of games that are fine.

    Fills in `reasons` (n,), numbers of REASONS; in `sheet` a game has its place in the records as
    its number.
    """
    table, row = table_in(room), int64(0)
    for i in range(starts.shape[0]):
        begin(rules, table, at(starts, i), int64(sides[i]))
        own = moves[(0 if i == 0 else ends[i - 1]) : ends[i]]
        reason, end = _replay_game(rules, table, int64(plies[i]), own, results[i], sheet, row)
        reasons[i] = reason
        for r in range(row, end):
            sheet.game[r] = i
        row = end
    return row


def replay(game: Game, records: Records) -> tuple[Sheet, int, NDArray[np.int8]]:
    """Play records through.

    Returns
    -------
    The sheet with the rows of the games that are fine, how many rows they are, and for each
    game (n,) its number in REASONS. In the sheet a game has its place in the records as number.
    """
    n = len(records)
    sheet, reasons = new_sheet(n * game.max_plies + 1, game.words), np.zeros(n, np.int8)
    rows = replay_games(
        game.rules_of_play,
        records.starts,
        records.plies,
        records.sides,
        records.moves,
        records.ends,
        records.results,
        room_for(game),
        sheet,
        reasons,
    )
    return sheet, rows, reasons

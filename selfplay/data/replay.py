"""Games given by their moves, played through by the rules inside one kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import float32, int8, int32, int64, types
from numpy.typing import NDArray

from samuel.games.interface import PASS, ROWS, RULES, Game, Rules, Words
from samuel.games.position import Position
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at, copy
from samuel.selfplay.kernel import SHEET, Sheet, new_sheet

AT_ONCE = 4096
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


@dataclass(frozen=True)
class Records:
    """Games as files have them.

    Attributes
    ----------
    starts
        uint64 (n, K), the positions they start from, from the side to move.
    plies
        int16 (n,), the ply of those; even where the first player is to move.
    moves
        int32, the moves of all games, one after the other. A pass that is forced may be missing.
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
    moves: NDArray[np.int32]
    ends: NDArray[np.int64]
    results: NDArray[np.float32]
    refused: dict[str, int]

    def __len__(self) -> int:
        return len(self.ends)


def records_of(
    game: Game,
    moves: Sequence[Sequence[int]],
    starts: Sequence[tuple[Words, int]] | None = None,
    results: Sequence[float] | None = None,
    refused: dict[str, int] | None = None,
) -> Records:
    """Return records of n games.

    Parameters
    ----------
    game
        their game.
    moves
        of each.
    starts
        the words and the ply at the start of each; the initial position where None.
    results, refused
        as Records has them.
    """
    n = len(moves)
    words, plies = zip(*(starts or [(game.start, 0)] * n), strict=True) if n else ((), ())
    return Records(
        np.array(words, np.uint64).reshape(n, game.words),
        np.array(plies, np.int16),
        np.array([move for game_moves in moves for move in game_moves], np.int32),
        np.cumsum([len(game_moves) for game_moves in moves], dtype=np.int64),
        np.full(n, np.nan, np.float32) if results is None else np.array(results, np.float32),
        refused or {},
    )


def start_of(position: Position) -> tuple[Words, int]:
    """Return the words of a position, and a ply for it: the squares filled, made to fit its side.

    How many passes came before cannot be seen.
    """
    game = position.game
    ply = game.most_left - game.left_in(position.row)
    return position.words, ply + (ply + position.side) % 2


_INT32S, _INT64S = types.Array(int32, 1, "C"), types.Array(int64, 1, "C")
_INT8S, _INT16S = types.Array(int8, 1, "C"), types.Array(types.int16, 1, "C")
_FLOATS = types.Array(float32, 1, "C")


@jit
def _find(moves: Any, n: int, move: int) -> bool:
    for i in range(n):
        if moves[i] == move:
            return True
    return False


@jit
def _label(sheet: Sheet, first: int, end: int, outcome: float) -> None:
    """Fill in the rows of a finished game: its outcome, and that nothing was searched."""
    for row in range(end - 1, first - 1, -1):
        outcome = -outcome  # the sides alternate, a pass being a ply
        sheet.outcome[row] = outcome
        sheet.score[row] = np.float32(np.nan)
        sheet.depth[row] = 0
        sheet.exact[row] = False
        sheet.exploratory[row] = False


@jit
def _replay_game(
    rules: Rules,
    stack: Any,
    legal: Any,
    ply: int,
    moves: Any,
    result: float,
    sheet: Sheet,
    row: int,
) -> tuple[int, int]:
    """Play `moves` from stack[0] on; return (reason, row after the last), written from `row` on."""
    words, first, k = stack.shape[1], row, 0
    position, child = at(stack, 0), at(stack, 1)
    while True:
        n = rules.legal_moves(position, at(legal, 0))
        if n == 0:
            break
        if n == 1 and legal[0] == PASS and not (k < len(moves) and moves[k] == PASS):
            move = int64(PASS)  # which records leave out
        elif k == len(moves):
            return _UNFINISHED, first
        else:
            move = int64(moves[k])
            k += 1
        if not _find(legal, n, move) or row == len(sheet.ply):  # room for what games can last
            return _ILLEGAL, first
        for i in range(words):
            sheet.words[row, i] = stack[0, i]
        sheet.ply[row] = ply + row - first
        sheet.move[row] = move
        row += 1
        rules.play(position, move, child)
        copy(position, child, words)
    while k < len(moves) and moves[k] == PASS:  # some write one down when nobody can move
        k += 1
    if k < len(moves):
        return _AFTER_END, first
    outcome = rules.utility(position)
    if result == result and result != (outcome if (ply + row - first) % 2 == 0 else -outcome):
        return _DIFFERS, first
    _label(sheet, first, row, outcome)
    return _FINE, row


@jit(
    int64(
        *(RULES, ROWS, _INT16S, _INT32S, _INT64S, _FLOATS),
        *(ROWS, _INT32S, SHEET, _INT8S),
    )
)
def replay_games(
    rules: Rules,
    starts: Any,
    plies: Any,
    moves: Any,
    ends: Any,
    results: Any,
    stack: Any,
    legal: Any,
    sheet: Sheet,
    reasons: Any,
) -> int:
    """Play records through (see Records); return the rows written, those of games that are fine.

    Fills in `reasons` (n,), numbers of REASONS; in `sheet` a game has its place in the records as
    its number. `stack` (2, K) and `legal` (max_moves,) are scratch.
    """
    row = int64(0)
    for i in range(starts.shape[0]):
        for k in range(starts.shape[1]):
            stack[0, k] = starts[i, k]
        own = moves[(0 if i == 0 else ends[i - 1]) : ends[i]]
        reason, end = _replay_game(
            rules, stack, legal, int64(plies[i]), own, results[i], sheet, row
        )
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
        records.moves,
        records.ends,
        records.results,
        np.zeros((2, game.words), np.uint64),
        np.zeros(game.max_moves, np.int32),
        sheet,
        reasons,
    )
    return sheet, rows, reasons

"""WTHOR, the game database of the French Othello federation.

A file is a header of 16 bytes and one record of 68 bytes a game, all numbers little-endian; passes
are not stored. The format is described at https://www.ffothello.org/wthor/Format_WThor.pdf
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.files import read_bytes
from samuel.games.interface import NO_MOVE, Game
from samuel.games.records import GAMES_AT_ONCE, RecordFormat, Records, records_of

_HEADER = np.dtype(
    [
        *[(name, "u1") for name in ("century", "year", "month", "day")],
        *[("games", "<u4"), ("others", "<u2"), ("year_of_games", "<u2")],
        *[(name, "u1") for name in ("size", "type", "empties", "reserved")],
    ]
)
_RECORD = np.dtype(
    [
        *[(name, "<u2") for name in ("tournament", "black", "white")],
        *[("discs", "u1"), ("theoretical", "u1"), ("moves", "u1", 60)],
    ]
)


def is_wthor(start: bytes) -> bool:
    """Return whether a file that starts so may be a WTHOR file."""
    if len(start) < _HEADER.itemsize:
        return False
    header = np.frombuffer(start, _HEADER, 1)[0]
    dated = header["century"] in (19, 20) and header["month"] <= 12 and header["day"] <= 31
    return bool(dated and header["size"] in (0, 8, 10) and header["type"] in (0, 1))


def read_wthor(path: Path, game: Game) -> Iterator[Records]:
    """Yield the games of a WTHOR file; the result is Black's final discs, empties to the winner.

    Raises
    ------
    UserError
        The file is cut off, or no WTHOR file.
    """
    content = read_bytes(path)
    if not is_wthor(content[: _HEADER.itemsize]):
        raise UserError(f"{path} is no WTHOR file: it does not begin with a header of that format")
    header = np.frombuffer(content, _HEADER, 1)[0]
    number, rest = int(header["games"]), len(content) - _HEADER.itemsize
    if rest != number * _RECORD.itemsize:
        raise UserError(
            f"{path} is cut off or no WTHOR file: its header says {number:,} games, "
            f"{number * _RECORD.itemsize:,} bytes, and {rest:,} follow; fetch it anew"
        )
    if (header["size"] or 8) != 8 or game.shape != (8, 8):
        yield records_of(game, [], refused={"wrong board size": number})
        return
    games = np.frombuffer(content, _RECORD, number, _HEADER.itemsize)
    for start in range(0, number, GAMES_AT_ONCE):
        yield _records(games[start : start + GAMES_AT_ONCE], game)


def _records(games: NDArray[np.void], game: Game) -> Records:
    n, codes = len(games), games["moves"]
    played = np.logical_and.accumulate(codes != 0, axis=1)
    return Records(
        np.tile(game.row(game.start), (n, 1)),
        np.zeros(n, np.int16),
        np.zeros(n, np.int8),
        _MOVES[codes[played]],
        np.cumsum(played.sum(axis=1), dtype=np.int64),
        2 * games["discs"].astype(np.float32) - 64,
        {},
    )


def _moves() -> NDArray[np.int32]:
    """Return the move of each code: row * 10 + column, both from 1; else NO_MOVE, never legal."""
    moves = np.full(256, NO_MOVE, np.int32)
    for row in range(8):
        for column in range(8):
            moves[10 * (row + 1) + column + 1] = 8 * row + column
    return moves


_MOVES = _moves()
FORMAT = RecordFormat("wthor", "wtb", is_wthor, read_wthor)

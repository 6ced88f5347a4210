"""WTHOR, the game database of the French Othello federation.

A file is a header of 16 bytes and one record of 68 bytes a game, all numbers little-endian; passes
are not stored. The format is described at https://www.ffothello.org/wthor/Format_WThor.pdf
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.common.files import MOST_BYTES, require_readable
from samuel.common.text_files import content_of
from samuel.games.game import Game
from samuel.games.records import (
    GAMES_AT_ONCE,
    GameRecord,
    RecordFormat,
    Records,
    Refusals,
    records_of,
)
from samuel.games.rules import NO_MOVE, PASS

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
    dated = header["century"] in (19, 20, 21) and header["month"] <= 12 and header["day"] <= 31
    return bool(dated and _is_kind(header))


def _is_kind(header: np.void) -> bool:
    return bool(header["size"] in (0, 8, 10) and header["type"] in (0, 1))


def read_wthor(path: Path, game: Game) -> Iterator[Records]:
    """Yield the games of a WTHOR file; the result is Black's final discs, empties to the winner.

    Games that the header tells of and that are not there are cut off; those that are there and that
    it does not tell of are left out.
    """
    require_readable(path)
    content = content_of(path, MOST_BYTES)
    rest = len(content) - _HEADER.itemsize
    header = np.frombuffer(content, _HEADER, 1)[0] if rest >= 0 else None
    is_sized = header is not None and rest == int(header["games"]) * _RECORD.itemsize
    if header is None or not (is_wthor(content) or (is_sized and rest and _is_kind(header))):
        raise UserError(f"{path} is not a WTHOR file: its header is not of that format")
    told, there, refused = int(header["games"]), rest // _RECORD.itemsize, Refusals()
    number = min(told, there)
    if told > there:
        refused.add("cut-off record", 1 + there, told - there)
    if there > told:
        refused.add("not in the header's number of games", 1 + told, there - told)
    if (header["size"] or 8) != 8 or game.shape != (8, 8):
        refused.add("wrong board size", 1, number)
        number = 0
    yield records_of(game, [], refused, place="game")
    games = np.frombuffer(content, _RECORD, number, _HEADER.itemsize)
    for start in range(0, number, GAMES_AT_ONCE):
        yield _records(games[start : start + GAMES_AT_ONCE], game, 1 + start)


def _records(games: NDArray[np.void], game: Game, first: int) -> Records:
    n, codes = len(games), games["moves"]
    # up to the last one: a gap within is an illegal move
    played = np.logical_or.accumulate(codes[:, ::-1] != 0, axis=1)[:, ::-1]
    return Records(
        np.tile(game.row(game.start), (n, 1)),
        np.zeros(n, np.int16),
        np.zeros(n, np.int8),
        _MOVES[codes[played]],
        np.cumsum(played.sum(axis=1), dtype=np.int64),
        2 * games["discs"].astype(np.float32) - 64,
        {},
        lines=range(first, first + n),
        place="game",
    )


def write_wthor(path: Path, games: Iterator[GameRecord], game: Game) -> int:
    """Write games into a WTHOR file; return how many do not begin as games of that base do."""
    if game.shape != (8, 8):
        raise UserError(
            f"WTHOR files are for the 8x8 board, not for {game.name}; export transcripts"
        )
    written = left_out = 0
    today = datetime.date.today()
    with open(path, "wb") as file:
        file.write(bytes(_HEADER.itemsize))
        for played in games:
            moves = [move for move in played.moves if move != PASS]
            if played.start.words != game.start or played.start.side or math.isnan(played.result):
                left_out += 1
                continue
            record = np.zeros(1, _RECORD)
            record["discs"] = record["theoretical"] = round((played.result + 64) / 2)
            record["moves"][0, : len(moves)] = [10 * (m // 8 + 1) + m % 8 + 1 for m in moves]
            file.write(record.tobytes())
            written += 1
        header = np.zeros(1, _HEADER)
        header["century"], header["year"] = divmod(today.year, 100)
        header["month"], header["day"] = today.month, today.day
        header["games"], header["year_of_games"], header["size"] = written, today.year, 8
        file.seek(0)
        file.write(header.tobytes())
    return left_out


_MOVES = np.full(256, NO_MOVE, np.int32)
"""The move of each code: row * 10 + column, both from 1; else NO_MOVE, never legal."""
_MOVES[[10 * (square // 8 + 1) + square % 8 + 1 for square in range(64)]] = range(64)
FORMATS = (RecordFormat("wthor", "wtb", is_wthor, read_wthor, store=write_wthor),)

"""Positions in CSV files, whose columns the first line names."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.csv

from samuel.common.errors import UserError, one_line
from samuel.common.text_files import open_text
from samuel.games.game import Game
from samuel.selfplay.data.positions.columns import Columns
from samuel.selfplay.data.positions.tables import named_columns, of_fields

_LONGEST_HEADER = 1 << 14
"""Bytes of the first line of a CSV file."""
_OWN = {"position", "side", "score", "outcome", "game_id", "ply", "move"}
"""Columns of the CSV files that datasets are exported to."""


def _read_header(stream: IO[bytes], path: Path) -> list[str]:
    line = stream.readline(_LONGEST_HEADER)
    if len(line) == _LONGEST_HEADER:
        raise UserError(
            f"{path} is not a CSV file (its first line has more than {_LONGEST_HEADER:,} bytes)"
        )
    try:
        return [name.strip() for name in next(csv.reader([line.decode().strip()]), [])]
    except (csv.Error, UnicodeDecodeError):  # a character is cut off
        raise UserError(
            f"{path} is not a CSV file (its first line does not name columns)"
        ) from None


def read_csv(path: Path, game: Game, named: Mapping[str, str]) -> Iterator[Columns]:
    """Yield what the rows of a CSV file tell; `named` has names of columns by field."""
    with open_text(path) as stream:
        header = _read_header(stream, path)
        columns = named_columns(header, named, path)
        if stream.peek(1):  # type: ignore[attr-defined]
            yield from _csv_rows(stream, header, columns, named, path, game)


def _csv_rows(
    stream: IO[bytes],
    header: list[str],
    columns: Mapping[str, str],
    named: Mapping[str, str],
    path: Path,
    game: Game,
) -> Iterator[Columns]:
    """Yield what the rows behind the header of a CSV file tell."""
    is_own = not named and set(header) >= _OWN
    columns = {**columns, "outcome": "outcome"} if is_own else columns
    places = {name: str(header.index(column)) for name, column in columns.items()}
    texts = {place: pa.string() for place in places.values()}
    convert = pa.csv.ConvertOptions(include_columns=list(texts), column_types=texts)
    skipped: list[int] = []

    def skip(row: pa.csv.InvalidRow) -> str:
        skipped.append(1 + (row.number or 0))
        return "skip"

    parse = pa.csv.ParseOptions(invalid_row_handler=skip)
    names = [str(k) for k in range(len(header))]
    reading = pa.csv.ReadOptions(block_size=1 << 24, column_names=names, use_threads=False)
    number = 2
    try:
        for batch in pa.csv.open_csv(stream, reading, parse, convert):
            by_field = {name: batch.column(place) for name, place in places.items()}
            lines = np.arange(number, number + len(batch) + len(skipped))
            lines = np.setdiff1d(lines, skipped)[: len(batch)]
            yield of_fields(by_field, lines, path, game, is_own=is_own)
            number = int(lines[-1]) + 1 if len(lines) else number
        if skipped:
            nothing = pa.nulls(len(skipped), pa.string())
            yield Columns(nothing, np.array(skipped, np.int64))
    except pa.ArrowException as error:
        raise UserError(f"{path} is not a CSV file ({one_line(error)[:80]})") from None

"""Positions in Parquet and CSV files, whose columns have names: of CSV on the first line."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from samuel.common.errors import UserError, one_line
from samuel.common.text_files import open_text, tell_read
from samuel.games.game import Game
from samuel.selfplay.data.positions.columns import Columns, named_columns, of_fields

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


MAGIC = "PAR1"
"""First bytes of a Parquet file."""
_ROWS, _MOST_BYTES = 1 << 15, 1 << 12
"""Rows of a batch, and bytes of a row in the columns that are read."""
_TEXTS = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())


def read_parquet(path: Path, game: Game, named: Mapping[str, str]) -> Iterator[Columns]:
    """Yield what the rows of a Parquet file tell; `named` has names of columns by field."""
    try:
        schema = pq.read_schema(path)
        columns = named_columns(schema.names, named, path)
        texts = [one for one in columns.values() if schema.field(one).type in _TEXTS]
        checks: dict[str, Any] = {"buffer_size": 1 << 20, "page_checksum_verification": True}
        with pq.ParquetFile(path, read_dictionary=texts, **checks) as file:
            _require_small(file, columns, path)
            size, rows, number = path.stat().st_size, file.metadata.num_rows, 1
            for batch in file.iter_batches(_ROWS, columns=[*columns.values()], use_threads=False):
                batch.validate(full=True)
                by_field = {
                    field: _plain(batch.column(name), path) for field, name in columns.items()
                }
                lines = np.arange(number, number + len(batch))
                yield of_fields(by_field, lines, path, game, place="row")
                number += len(batch)
                tell_read(size * len(batch) // max(1, rows))
    except (pa.ArrowException, OSError, OverflowError) as error:
        raise UserError(
            f"{path} is not a Parquet file, or is damaged or cut off ({one_line(error)[:80]}); "
            "copy it again"
        ) from None


def _require_small(file: pq.ParquetFile, columns: Mapping[str, str], path: Path) -> None:
    """Raise UserError where a file says that its rows unpack to more than positions can."""
    for k in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(k)
        parts = [group.column(j) for j in range(group.num_columns)]
        sizes = [p.total_uncompressed_size for p in parts if p.path_in_schema in columns.values()]
        if not all(0 <= size <= _MOST_BYTES * (group.num_rows + 256) for size in sizes):
            raise _too_long(path)


def _plain(column: pa.Array, path: Path) -> pa.Array:
    """Return a column without dictionary, whose long texts would unpack to more than memory."""
    if not pa.types.is_dictionary(column.type):
        return column
    if (pc.max(pc.binary_length(column.dictionary)).as_py() or 0) > _MOST_BYTES:
        raise _too_long(path)
    return column.dictionary_decode()


def _too_long(path: Path) -> UserError:
    return UserError(f"{path} has rows of more than {_MOST_BYTES:,} bytes")

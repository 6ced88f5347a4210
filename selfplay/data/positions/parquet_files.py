"""Positions in Parquet files, whose columns have names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from samuel.common.errors import UserError, one_line
from samuel.common.text_files import tell_read
from samuel.games.game import Game
from samuel.selfplay.data.positions.columns import Columns
from samuel.selfplay.data.positions.tables import named_columns, of_fields

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

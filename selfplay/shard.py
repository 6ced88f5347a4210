"""Shards of a dataset: Parquet files, whose columns are defined and checked here.

Columns of a row, one position of one game:

    word_0 ...   uint64, the position's words, from the side to move
    game_id      int64, the number of the game; the rows of a game stand together
    ply          int16, plies from the initial position
    score        float32, what the search found, for the side to move, in the game's unit; NaN
                 where nothing was searched
    depth        int8, plies searched; what was left to play where `exact`
    exact        bool, whether `score` is the true value
    outcome      float32, how the game ended, for the side to move, in the game's unit; NaN where
                 that says nothing of the position
    exploratory  bool, whether the move played here was not the search's, or, where rows were left
                 out of a game, one that is left out after it was not
    move         int32, the move played (-1 a pass)
    source       string, the evaluator that played, or the file that the game came from
    weight       float32, how many rows were merged into this one; the column may be missing

A shard is written under a temporary name and renamed when whole; the manifest lists the shards
with their digests, so a cut-off or altered file is noticed. What is read of one is as this page
says, whoever made the file: kernels take it without a further look.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.files import whole
from samuel.games.abi import MAX_MOVE, PASS, Game
from samuel.games.possible import are_legal, are_possible
from samuel.search.score import INFINITY, POINTS
from samuel.selfplay.kernel import Sheet
from samuel.selfplay.manifest import Shard, file_digest

_AGAIN = "delete it and run the same command that made it again: it makes what is missing anew"
_LABELS = [
    ("game_id", pa.int64()),
    ("ply", pa.int16()),
    ("score", pa.float32()),
    ("depth", pa.int8()),
    ("exact", pa.bool_()),
    ("outcome", pa.float32()),
    ("exploratory", pa.bool_()),
    ("move", pa.int32()),
    ("source", pa.dictionary(pa.int32(), pa.string())),
]
_WEIGHT = pa.field("weight", pa.float32())
_MOST_GAMES = 1 << 48
_MOST_BYTES_A_ROW = 1 << 12
"""Uncompressed: what a file says of itself is compared with it before any row is read."""


def word_columns(game: Game) -> list[str]:
    """Return the names of the columns that hold a position."""
    return [f"word_{k}" for k in range(game.words)]


def schema_of(game: Game) -> pa.Schema:
    """Return the columns that every dataset of a game has, with their types."""
    words = [(name, pa.uint64()) for name in word_columns(game)]
    return pa.schema([*words, *_LABELS])


def columns_of(game: Game) -> list[str]:
    """Return the names of the columns that every dataset of a game has."""
    return list(schema_of(game).names)


def words_in(table: pa.Table | pd.DataFrame, game: Game) -> NDArray[np.uint64]:
    """Return the positions (n, K) of a table that has the columns of words."""
    return game.rows(np.column_stack([np.asarray(table[name]) for name in word_columns(game)]))


def table_of(sheet: Sheet, rows: int, game: Game, source: str) -> pa.Table:
    """Return the first `rows` rows of a sheet as an Arrow table."""
    columns = {name: sheet.words[:rows, k] for k, name in enumerate(word_columns(game))}
    columns |= {
        "game_id": sheet.game[:rows],
        "ply": sheet.ply[:rows],
        "score": sheet.score[:rows],
        "depth": sheet.depth[:rows],
        "exact": sheet.exact[:rows],
        "outcome": sheet.outcome[:rows],
        "exploratory": sheet.exploratory[:rows],
        "move": sheet.move[:rows],
    }
    table = pa.table(columns)
    names = pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), pa.array([source]))
    return table.append_column("source", names)


def write_shard(path: Path, table: pa.Table) -> str:
    """Write a shard, whole or not at all, and return the digest of its file."""
    with whole(path) as partial:
        pq.write_table(table, partial, compression="zstd", write_page_checksum=True)
        return file_digest(partial)


def games_in(table: pa.Table) -> int:
    """Return how many games the rows of a table are of."""
    return len(np.unique(table["game_id"].to_numpy()))


def column_names(path: Path, shard: Shard, game: Game) -> list[str]:
    """Return the names of the columns of a shard, once it is clear that they are as they should be.

    Raises
    ------
    UserError
        As `read_shard`, of all but the rows.
    """
    with _opened(path, shard, game) as file:
        return list(file.schema_arrow.names)


def read_shard(path: Path, shard: Shard, game: Game, columns: Sequence[str] | None) -> pa.Table:
    """Read a shard, or some of its columns, after comparing it with what the manifest says.

    Raises
    ------
    UserError
        It is missing, cut off or altered; or its columns, rows or values are none of a dataset.
    """
    try:
        with _opened(path, shard, game) as file:
            table = file.read(None if columns is None else list(columns))
            table.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} cannot be read ({_first_line(error)}); {_AGAIN}") from None
    fault = next((what for what, is_so in _faults(table, shard, game) if is_so), None)
    if fault is not None:
        raise UserError(f"{path} is damaged: {fault}; {_AGAIN}")
    return table if columns is None else table.select(columns)


def _opened(path: Path, shard: Shard, game: Game) -> pq.ParquetFile:
    """Return the open file of a shard whose digest, columns and size are as they should be."""
    if not path.exists():
        raise UserError(f"{path} is missing; {_AGAIN.removeprefix('delete it and ')}")
    if file_digest(path) != shard["sha256"]:
        raise UserError(
            f"{path} is cut off or altered (its digest is not the manifest's); {_AGAIN}"
        )
    try:
        names = pq.read_metadata(path).schema
        texts = {"source"} & {names.column(k).path for k in range(len(names))}
        file = pq.ParquetFile(path, read_dictionary=[*texts], page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} cannot be read ({_first_line(error)}); {_AGAIN}") from None
    fault = next((what for what, is_so in _faults_outside(file, shard, game) if is_so), None)
    if fault is not None:
        file.close()
        raise UserError(f"{path} is damaged: {fault}; {_AGAIN}")
    return file


def _faults_outside(file: pq.ParquetFile, shard: Shard, game: Game) -> Iterator[tuple[str, bool]]:
    """Yield what may be wrong with a file before its rows are read, and whether it is."""
    schema, about = file.schema_arrow.remove_metadata(), file.metadata
    types = {field.name: field.type for field in schema}
    wanted = {field.name: field.type for field in schema_of(game)}
    optional = {_WEIGHT.name: _WEIGHT.type}
    for name in types.keys() - wanted.keys() - optional.keys():
        yield f"a dataset of {game.name} has no column {name!r}", True
    yield "two of its columns have one name", len(types) < len(schema)
    for name, kind in (wanted | optional).items():
        yield f"the column {name!r} is missing", name in wanted and name not in types
        yield f"the column {name!r} is {types.get(name)}", types.get(name, kind) != kind
    rows = shard["rows"]
    yield f"it has {about.num_rows:,} rows, not {rows:,}", about.num_rows != rows
    parts = [about.row_group(k).total_byte_size for k in range(about.num_row_groups)]
    yield "it would not fit in memory", not 0 <= sum(parts) <= _MOST_BYTES_A_ROW * (rows + 16)


def _faults(table: pa.Table, shard: Shard, game: Game) -> Iterator[tuple[str, bool]]:
    """Yield what may be wrong with the columns of a shard that were read, and whether it is."""
    names, rows = set(table.column_names), shard["rows"]
    yield f"it has {len(table):,} rows, not {rows:,}", len(table) != rows
    yield "a value is missing", any(column.null_count for column in table.columns)
    values = {
        name: table[name].to_numpy() for name in names - {"source"} if not name.startswith("word_")
    }
    for name, least, most in (
        ("game_id", 0, _MOST_GAMES),
        ("ply", 0, None),
        ("depth", 0, None),
        ("move", PASS, MAX_MOVE),
    ):
        if name in names:
            yield f"a {name} is out of range", _is_outside(values[name], least, most)
    for name, what, largest in (
        ("score", "a score", INFINITY / POINTS),
        ("outcome", "an outcome", game.max_utility),
    ):
        if name in names:
            known = np.abs(values[name][~np.isnan(values[name])])
            yield f"{what} is larger than any can be", bool((known > np.float32(largest)).any())
    if "weight" in names:
        fine = (values["weight"] > 0) & (values["weight"] <= _MOST_GAMES)
        yield "a weight is no positive number", not fine.all()
    if "game_id" in names:
        yield (
            "its games are not in one piece, or not so many",
            not _are_whole(values["game_id"], shard["games"]),
        )
    if names.issuperset(word_columns(game)):
        positions = words_in(table, game)
        yield f"a position is none of {game.name}", not are_possible(game, positions).all()
        if "move" in names:
            legal = are_legal(game, positions, values["move"])
            yield "a move is not legal in its position", not legal.all()


def _is_outside(values: NDArray[Any], least: int, most: int | None) -> bool:
    too_many = np.inf if most is None else most
    return bool(len(values)) and (values.min() < least or values.max() > too_many)


def _are_whole(games: NDArray[np.int64], number: int) -> bool:
    """Return whether there are so many games, the rows of each in one piece."""
    runs = games[np.append(True, games[1:] != games[:-1])] if len(games) else games
    return len(runs) == len(np.unique(runs)) == number


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]

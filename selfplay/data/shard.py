"""Shards of a dataset: Parquet files, whose columns are defined and checked here.

Columns of a row, one position of one game:

    word_0 ...   uint64, the position's words, from the side to move
    game_id      int64, the number of the game; the rows of a game stand together
    ply          int16, plies from the initial position; what chance brings is none
    side         int8, who is to move: 0 for the side that began the game, 1 for the other; files
                 without it are of games whose sides alternate
    score        float32, what the search found, for the side to move, in the game's unit; NaN
                 where nothing was searched
    depth        int8, plies searched; what was left to play where `exact`
    exact        bool, whether `score` is the true value
    outcome      float32, how the game ended, for the side to move, in the game's unit; NaN where
                 that says nothing of the position
    exploratory  bool, whether the move played here has a lower score than the search's, or, where
                 rows were left out of a game, one that is left out after it has
    move         int32, the move played (-1 a pass); -2 where none is known
    source       string, the evaluator that played, or the file that the game came from
    weight       float32, how many rows were merged into this one
    visits       list<int32>, how often the search that played visited each legal move, in the
                 game's order; none where that is not known

Files may lack the last two: each weight is then 1, and no visits are known. Numbers that are
float64 there are read as float32.

A shard is written under a temporary name and renamed when whole; the manifest lists the shards
with their digests, so a cut-off or altered file is noticed. Rows that are read are as this page
says, whoever made the file: kernels take it without a further look.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from samuel.common.errors import UserError, one_line
from samuel.common.files import whole
from samuel.games.interface import MAX_MOVE, NO_MOVE, Game
from samuel.games.rows import are_legal, are_possible, count_moves
from samuel.search.score import INFINITY, SCORE_UNIT
from samuel.selfplay.data.manifest import Shard, file_digest
from samuel.selfplay.kernel import PositionBuffer

_AGAIN = "delete it and run the same command that made it again: it makes what is missing anew"
_LABELS = [
    ("game_id", pa.int64()),
    ("ply", pa.int16()),
    ("side", pa.int8()),
    ("score", pa.float32()),
    ("depth", pa.int8()),
    ("exact", pa.bool_()),
    ("outcome", pa.float32()),
    ("exploratory", pa.bool_()),
    ("move", pa.int32()),
    ("source", pa.dictionary(pa.int32(), pa.string())),
]
OPTIONAL = {"weight": pa.float32(), "visits": pa.list_(pa.int32())}
"""The columns that only some datasets have, with their types."""
_MAY_BE_MISSING = ("side", *OPTIONAL)
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


def table_of(buffer: PositionBuffer, rows: int, game: Game, source: str) -> pa.Table:
    """Return the first `rows` rows of a buffer as an Arrow table."""
    columns = {name: buffer.words[:rows, k] for k, name in enumerate(word_columns(game))}
    labels = ("ply", "side", "score", "depth", "exact", "outcome", "exploratory", "move")
    columns |= {"game_id": buffer.game[:rows]} | {n: getattr(buffer, n)[:rows] for n in labels}
    table = pa.table(columns)
    names = pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), pa.array([source]))
    table = table.append_column("source", names)
    if not buffer.offsets[rows]:
        return table
    visits = pa.array(buffer.visits[: buffer.offsets[rows]].copy())  # its room is much larger
    offsets = pa.array(buffer.offsets[: rows + 1])
    return table.append_column("visits", pa.ListArray.from_arrays(offsets, visits))


def write_shard(path: Path, table: pa.Table) -> str:
    """Write a shard, whole or not at all, and return the digest of its file."""
    with whole(path) as partial:
        pq.write_table(table, partial, compression="zstd", write_page_checksum=True)
        return file_digest(partial)


def games_in(table: pa.Table) -> int:
    """Return how many games the rows of a table are of."""
    return len(np.unique(table["game_id"].to_numpy()))


def shard_columns(path: Path, shard: Shard, game: Game) -> list[str]:
    """Return the names of the columns of a shard, once it is clear that they are as they should be.

    Raises
    ------
    UserError
        As `read_shard`, of all but the rows.
    """
    with _opened(path, shard, game)[0] as file:
        stored = file.schema_arrow.names
        return [*columns_of(game), *(name for name in OPTIONAL if name in stored)]


def read_shard(path: Path, shard: Shard, game: Game, columns: Sequence[str]) -> pa.Table:
    """Read columns of a shard, after comparing it with what the manifest says.

    A file that this process has found right is not compared again until it changes. The
    columns that a file may lack are made where it has none.

    Raises
    ------
    UserError
        It is missing, cut off or altered; or its columns, rows or values are none of a dataset.
    """
    file, passed = _opened(path, shard, game)
    try:
        with file:
            lacking = {*columns} & {*_MAY_BE_MISSING} - {*file.schema_arrow.names}
            table = file.read([*{*columns, "ply"} - lacking] if lacking else [*columns])
        table = _narrowed(table)
        for name in table.column_names:
            if name not in passed:
                table[name].validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} cannot be read ({one_line(error)}); {_AGAIN}") from None
    names = set(table.column_names)
    tests = [one for one in _tests(shard, game) if names.issuperset(one[0])]
    for needed, what, is_wrong in tests:
        if " ".join(needed) not in passed and is_wrong(*(table[name] for name in needed)):
            raise UserError(f"{path} is damaged: {what}; {_AGAIN}")
    passed.update(names, (" ".join(needed) for needed, _, _ in tests))
    for name in lacking:
        table = table.append_column(name, _made(name, table["ply"].to_numpy()))
    return table.select(columns)


def _narrowed(table: pa.Table) -> pa.Table:
    """Return a table whose numbers are float32 where they are float64, as other programs write."""
    fields = [f.with_type(pa.float32()) if f.type == pa.float64() else f for f in table.schema]
    return table.cast(pa.schema(fields))


def _made(name: str, plies: NDArray[np.int16]) -> pa.Array:
    """Return a column that a file lacks."""
    if name == "side":
        return pa.array((plies % 2).astype(np.int8))
    if name == "weight":
        return pa.array(np.ones(len(plies), np.float32))
    return pa.ListArray.from_arrays(np.zeros(len(plies) + 1, np.int32), pa.array([], pa.int32()))


_Passed = set[str]
"""The columns of a file whose values are as they should be, and those that fit each other."""
_known: dict[Path, tuple[tuple[Any, ...], _Passed]] = {}
"""By file what it was when its digest was taken, with what it was compared with."""


def _opened(path: Path, shard: Shard, game: Game) -> tuple[pq.ParquetFile, _Passed]:
    """Return the open file of a shard whose digest, columns and size are as they should be."""
    try:
        about = path.stat()
    except FileNotFoundError:
        raise UserError(f"{path} is missing; {_AGAIN.removeprefix('delete it and ')}") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error})") from None
    times = (about.st_mtime_ns, about.st_ctime_ns)  # the latter cannot be set back
    state = (about.st_dev, about.st_ino, about.st_size, *times, *sorted(shard.items()), game)
    place = path.absolute()
    then, passed = _known.get(place, (None, set()))
    if then != state:
        passed = set()
        if file_digest(path) != shard["sha256"]:
            raise UserError(
                f"{path} is cut off or altered (its digest is not the manifest's); {_AGAIN}"
            )
    try:
        file = _opened_file(path)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} cannot be read ({one_line(error)}); {_AGAIN}") from None
    fault = next((what for what, is_so in _faults_outside(file, shard, game) if is_so), None)
    if fault is not None:
        file.close()
        raise UserError(f"{path} is damaged: {fault}; {_AGAIN}")
    _known[place] = state, passed
    return file, passed


def _opened_file(path: Path) -> pq.ParquetFile:
    footer = pq.read_metadata(path)
    paths = {footer.schema.column(k).path for k in range(footer.num_columns)}
    names = sorted(paths & {"source"})  # pyarrow knows no others: KeyError
    return pq.ParquetFile(
        path, metadata=footer, read_dictionary=names, page_checksum_verification=True
    )


def _faults_outside(file: pq.ParquetFile, shard: Shard, game: Game) -> Iterator[tuple[str, bool]]:
    """Yield what may be wrong with a file before its rows are read, and whether it is."""
    schema, about = file.schema_arrow.remove_metadata(), file.metadata
    types = {field.name: field.type for field in schema}
    wanted = {field.name: field.type for field in schema_of(game)} | OPTIONAL
    for name in types.keys() - wanted.keys():
        yield f"a dataset of {game.name} has no column {name!r}", True
    yield "two of its columns have one name", len(types) < len(schema)
    for name, kind in wanted.items():
        yield f"the column {name!r} is missing", name not in {*types, *_MAY_BE_MISSING}
        may_be = (kind, pa.float64()) if kind == pa.float32() else (kind,)
        yield f"the column {name!r} is {types.get(name)}", types.get(name, kind) not in may_be
    rows = shard["rows"]
    yield f"it has {about.num_rows:,} rows, not {rows:,}", about.num_rows != rows
    parts = [about.row_group(k) for k in range(about.num_row_groups)]
    size, most = sum(part.total_byte_size for part in parts), _MOST_BYTES_A_ROW + 8 * game.max_moves
    yield "it would not fit in memory", not 0 <= size <= most * (rows + 16)
    paths = [about.schema.column(k).path for k in range(about.num_columns)]
    lists = [k for k, name in enumerate(paths) if name.startswith("visits.")]
    counts = sum(part.column(k).num_values for part in parts for k in lists)
    yield "its visits are of more moves than there are", not 0 <= counts <= rows * game.max_moves


_Test = tuple[tuple[str, ...], str, Callable[..., Any]]


def _tests(shard: Shard, game: Game) -> Iterator[_Test]:
    """Yield columns, what may be wrong with their values, and what finds out whether it is."""
    rows, words = shard["rows"], word_columns(game)
    wanted = [*columns_of(game), *OPTIONAL]
    for name in wanted:
        yield (name,), f"it has no {rows:,} rows", lambda column: len(column) != rows
        yield (name,), "a value is missing", lambda column: column.null_count
    for name, least, most in (
        ("game_id", 0, _MOST_GAMES),
        ("ply", 0, np.inf),
        ("side", 0, 1),
        ("depth", 0, np.inf),
        ("move", NO_MOVE, MAX_MOVE),
    ):
        yield (name,), f"a {name} is out of range", functools.partial(_is_outside, least, most)
    for name, what, largest in (
        ("score", "a score", INFINITY / SCORE_UNIT),
        ("outcome", "an outcome", game.max_utility),
    ):
        yield (name,), f"{what} is larger than any can be", functools.partial(_is_larger, largest)
    yield ("weight",), "a weight is no positive number", lambda column: not _are_weights(column)
    yield (
        ("game_id",),
        "its games are not in one piece, or not so many",
        lambda column: not _are_whole(column.to_numpy(), shard["games"]),
    )
    yield (
        (*words,),
        f"a position is none of {game.name}",
        lambda *columns: not are_possible(game, np.column_stack(columns)).all(),
    )
    yield (
        (*words, "move"),
        "a move is not legal in its position",
        lambda *columns: not _are_legal(game, np.column_stack(columns[:-1]), columns[-1]),
    )
    yield (
        ("visits",),
        "a number of visits is missing or negative",
        lambda column: not _are_visits(column),
    )
    yield (
        (*words, "visits"),
        "visits are not as many as legal moves",
        lambda *columns: not _are_of_moves(game, np.column_stack(columns[:-1]), columns[-1]),
    )


def _is_larger(largest: float, column: pa.ChunkedArray) -> bool:
    """Return whether a value that is known is larger than any can be, or smaller."""
    values = column.to_numpy()
    return bool((np.abs(values[~np.isnan(values)]) > np.float32(largest)).any())


def _are_legal(game: Game, positions: NDArray[np.uint64], column: pa.ChunkedArray) -> bool:
    """Return whether all moves that are known are legal."""
    moves = column.to_numpy()
    known = moves != NO_MOVE
    return bool(are_legal(game, positions[known], moves[known]).all())


def _are_weights(column: pa.ChunkedArray) -> bool:
    values = column.to_numpy()
    return bool(((values > 0) & (values <= _MOST_GAMES)).all())


def _are_visits(column: pa.ChunkedArray) -> bool:
    numbers = pc.list_flatten(column)
    return not numbers.null_count and bool((numbers.to_numpy() >= 0).all())


def _are_of_moves(game: Game, positions: NDArray[np.uint64], column: pa.ChunkedArray) -> bool:
    """Return whether there are as many visits as legal moves in each position, or none."""
    lengths = pc.list_value_length(column).to_numpy()
    return bool(((lengths == 0) | (lengths == count_moves(game, positions))).all())


def _is_outside(least: float, most: float, column: pa.ChunkedArray) -> bool:
    values = column.to_numpy()
    return bool(values.min() < least or values.max() > most)


def _are_whole(games: NDArray[np.int64], number: int) -> bool:
    """Return whether there are so many games, the rows of each in one piece."""
    runs = games[np.append(True, games[1:] != games[:-1])] if len(games) else games
    return len(runs) == len(np.unique(runs)) == number

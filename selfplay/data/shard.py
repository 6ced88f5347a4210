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
with their digests, so a cut-off or altered file is noticed. Numbers that are read are in range, and
positions and moves are those of the game: kernels take them without a further look.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator, Sequence
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
from samuel.games.game import Game
from samuel.games.rows import are_legal, are_possible, count_moves
from samuel.games.rules import NO_MOVE
from samuel.search.score import INFINITY, SCORE_UNIT
from samuel.selfplay.data.manifest import Shard, file_digest, write_manifest
from samuel.selfplay.kernel import PositionBuffer

_AGAIN = "delete it and run the same command that made it again: it makes what is missing"
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


def write_shard(path: Path, table: pa.Table) -> Shard:
    """Write a shard, whole or not at all, and return its entry of the manifest."""
    with whole(path) as partial:
        pq.write_table(table, partial, compression="zstd", write_page_checksum=True)
        digest = file_digest(partial)
    _digests[path.absolute()] = _state_of(path), digest
    games = len(np.unique(table["game_id"].to_numpy()))
    return {"games": games, "rows": len(table), "sha256": digest}


def write_parts(
    out: Path, manifest: dict[str, Any], parts: Generator[tuple[str, pa.Table], None, None]
) -> None:
    """Write the shards that a dataset lacks, each at once with its entry in the manifest."""
    before, began = manifest["seconds"], time.perf_counter()
    with contextlib.closing(parts):
        for name, table in parts:
            manifest["shards"][name] = write_shard(out / name, table)
            if without := int(np.isnan(table["score"].to_numpy()).sum()):
                counts = manifest.setdefault("counts", {})
                counts["without_score"] = counts.get("without_score", 0) + without
            manifest["seconds"] = round(before + time.perf_counter() - began, 3)
            write_manifest(out, manifest)
    if not manifest["complete"]:
        manifest["complete"] = True
        write_manifest(out, manifest)


def shard_columns(path: Path, shard: Shard, game: Game) -> list[str]:
    """Return the names of the columns of a shard, checked."""
    with _opened(path, shard, game)[0] as file:
        stored = file.schema_arrow.names
        return [*columns_of(game), *(name for name in OPTIONAL if name in stored)]


def read_shard(path: Path, shard: Shard, game: Game, columns: Sequence[str]) -> pa.Table:
    """Read columns of a shard, after comparing it with what the manifest says."""
    file, passed = _opened(path, shard, game)
    try:
        with file:
            lacking = {*columns} & {*_MAY_BE_MISSING} - {*file.schema_arrow.names}
            table = file.read([*{*columns, "ply"} - lacking] if lacking else [*columns])
        table = _narrowed(table)
        table.select([name for name in table.column_names if name not in passed]).validate(
            full=True
        )
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} cannot be read ({one_line(error)}); {_AGAIN}") from None
    fault = _fault_in(table, passed, shard, game)
    if fault is not None:
        raise UserError(f"{path} is damaged: {fault}; {_AGAIN}")
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
"""The columns of a file whose values are as they should be, `positions` and `moves`."""
_passed: dict[tuple[Any, ...], _Passed] = {}
"""By shard and game what was found right of it."""


def _opened(path: Path, shard: Shard, game: Game) -> tuple[pq.ParquetFile, _Passed]:
    """Return the open file of a shard whose digest, columns and size are as they should be."""
    if _digest_of(path) != shard["sha256"]:
        raise UserError(
            f"{path} is cut off or altered (its digest is not the manifest's); {_AGAIN}"
        )
    try:
        file = pq.ParquetFile(path, read_dictionary=["source"], page_checksum_verification=True)
    except (pa.ArrowException, OSError, KeyError) as error:  # KeyError: it has no `source`
        raise UserError(f"{path} cannot be read ({one_line(error)}); {_AGAIN}") from None
    fault = _fault_outside(file, shard["rows"], game)
    if fault is not None:
        file.close()
        raise UserError(f"{path} is damaged: {fault}; {_AGAIN}")
    return file, _passed.setdefault((*sorted(shard.items()), game), set())


_digests: dict[Path, tuple[tuple[int, ...], str]] = {}
"""By shard its digest, and what the file was when it was taken."""


def _digest_of(path: Path) -> str:
    """Return the SHA-256 of a shard, taken once until the file changes."""
    try:
        place, state = path.absolute(), _state_of(path)
    except FileNotFoundError:
        raise UserError(f"{path} is missing; {_AGAIN.removeprefix('delete it and ')}") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error})") from None
    if _digests.get(place, ((), ""))[0] != state:
        _digests[place] = state, file_digest(path)
    return _digests[place][1]


def _state_of(path: Path) -> tuple[int, ...]:
    about = path.stat()
    times = about.st_mtime_ns, about.st_ctime_ns  # the latter cannot be set back
    return about.st_dev, about.st_ino, about.st_size, *times


def _fault_outside(file: pq.ParquetFile, rows: int, game: Game) -> str | None:
    """Return what is wrong with the columns or the size of a file, before its rows are read."""
    schema, about = file.schema_arrow, file.metadata
    types = {field.name: field.type for field in schema}
    wanted = {field.name: field.type for field in schema_of(game)} | OPTIONAL
    for name in types | dict.fromkeys(wanted.keys() - {*_MAY_BE_MISSING}):
        kind = wanted.get(name)
        if types.get(name) not in ((kind, pa.float64()) if kind == pa.float32() else (kind,)):
            return f"the column {name!r} is missing, or not as a dataset of {game.name} has it"
    if len(types) < len(schema) or about.num_rows != rows:
        return f"it has {len(schema)} columns and {about.num_rows:,} rows, not {rows:,}"
    parts = [about.row_group(k) for k in range(about.num_row_groups)]
    size = sum(part.total_byte_size for part in parts)
    values = sum(part.column(k).num_values for part in parts for k in range(about.num_columns))
    if not 0 <= size <= (_MOST_BYTES_A_ROW + 8 * game.max_moves) * (rows + 16):
        return "it would not fit in memory"
    if not 0 <= values <= (len(schema) + game.max_moves) * rows:
        return "it has more values than its rows can"
    return None


def _fault_in(table: pa.Table, passed: _Passed, shard: Shard, game: Game) -> str | None:
    """Return what is wrong with rows; what is right is added to `passed`."""
    largest, words = INFINITY / SCORE_UNIT, word_columns(game)
    limits: dict[str, tuple[float, float]] = {
        **{name: (0, np.inf) for name in ("ply", "depth")},
        **{"game_id": (0, _MOST_GAMES), "side": (0, 1), "score": (-largest, largest)},
        "outcome": (-game.scores.max_utility, game.scores.max_utility),
        "weight": (float(np.finfo(np.float32).tiny), _MOST_GAMES),
    }
    for name in [name for name in table.column_names if name not in passed]:
        column = table[name]
        if len(column) != shard["rows"] or column.null_count:
            return f"the column {name!r} lacks a value"
        least, most = limits.get(name, (0, 0))
        values = column.to_numpy() if name in limits else np.zeros(0)
        if name in ("score", "outcome"):  # NaN where none is known
            values = values[~np.isnan(values)]
        if not ((values >= least) & (values <= most)).all():
            return f"the column {name!r} has a number out of range"
        if name == "game_id":
            runs = values[np.append(True, values[1:] != values[:-1])] if len(values) else values
            if not len(np.unique(runs)) == len(runs) == shard["games"]:
                return "its games are not in one piece, or not so many"
        passed.add(name)
    if not {*words} <= {*table.column_names}:
        return None
    if "positions" not in passed and not are_possible(game, words_in(table, game)).all():
        return f"a position is none of {game.name}"
    passed.add("positions")
    if "move" in table.column_names and "moves" not in passed:
        moves = table["move"].to_numpy()
        known = moves != NO_MOVE
        if not are_legal(game, words_in(table, game)[known], moves[known]).all():
            return "a move is not legal in its position"
        passed.add("moves")
    if "visits" in table.column_names and "of moves" not in passed:
        numbers, lengths = pc.list_flatten(table["visits"]), pc.list_value_length(table["visits"])
        if numbers.null_count or (numbers.to_numpy() < 0).any():
            return "a number of visits is missing or negative"
        counts, moves = lengths.to_numpy(), count_moves(game, words_in(table, game))
        if not ((counts == 0) | (counts == moves)).all():
            return "visits are not as many as legal moves"
        passed.add("of moves")
    return None

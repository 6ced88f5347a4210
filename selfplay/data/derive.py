"""Datasets made of others, or of files: written as a whole, and told in their history.

A generator yields tables with whole games, which go on disk in shards of about `SHARD_ROWS` rows.
The manifest names them when the last is written: a run that fails before removes its files, and
the same command starts a killed run again. Runs that take long (`write_parts`) write part by part
instead, and go on after a kill.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.game import Game
from samuel.selfplay.data.dataset import (
    Dataset,
    Progress,
    clean_outcomes,
    no_progress,
    with_columns,
)
from samuel.selfplay.data.manifest import (
    MANIFEST,
    begin_manifest,
    file_digest,
    hold,
    write_manifest,
)
from samuel.selfplay.data.shard import write_parts, write_shard
from samuel.selfplay.workers import run_tasks

SHARD_ROWS = 1 << 17


def made_of(
    datasets: Sequence[Dataset],
    command: str,
    settings: dict[str, Any],
    evaluator_digest: str | None = None,
) -> dict[str, Any]:
    """Return the manifest's entries that say how a dataset came from others of one game."""
    if not datasets:
        raise UserError("give at least one dataset")
    game = datasets[0].game
    for other in datasets:
        if other.game.name != game.name:
            raise UserError(
                f"all datasets must be of one game: {other.folder} is of {other.game.name}, "
                f"{datasets[0].folder} of {game.name}"
            )
    inputs = [
        {
            "name": data.folder.name,
            "sha256": data.digest,
            "positions": len(data),
            "settings": data.manifest["settings"],
        }
        for data in datasets
    ]
    step = {"command": command, "settings": settings, "inputs": inputs}
    history = [earlier for data in datasets for earlier in data.manifest.get("history", [])]
    return _entries(game, step, history, evaluator_digest)


def made_of_files(
    files: Sequence[Path], game: Game, command: str, settings: dict[str, Any]
) -> dict[str, Any]:
    """Return the manifest's entries that say how a dataset came from files."""
    inputs = [{"name": file.name, "sha256": file_digest(file)} for file in files]
    return _entries(game, {"command": command, "settings": settings, "inputs": inputs}, [], None)


def _entries(
    game: Game, step: dict[str, Any], history: list[Any], evaluator_digest: str | None
) -> dict[str, Any]:
    return {
        "game": game.name,
        "settings": {"command": step["command"], **step["settings"]},
        "evaluator_digest": evaluator_digest,
        "history": [*history, step],
    }


def write_dataset(
    out: Path | str, made: dict[str, Any], tables: Callable[[dict[str, Any]], Iterable[pa.Table]]
) -> Dataset:
    """Write a dataset, or return the one at `out` where the same run has made it already."""
    out = Path(out)
    with hold(out):
        manifest = begin_manifest(out, made, None)
        if manifest["complete"]:
            return Dataset(out, manifest)
        _remove(out, manifest["shards"])
        began = time.perf_counter()
        shards: dict[str, Any] = {}
        counts: dict[str, Any] = {}
        try:
            for leftover in out.glob("part-*.parquet"):
                leftover.unlink()
            for number, table in enumerate(_gathered(tables(counts))):
                name = f"part-{number:06d}.parquet"
                shards[name] = None  # to be removed, should the writing be interrupted
                shards[name] = write_shard(out / name, table)
            if not shards:
                raise UserError(f"no rows remain for {out}; use weaker conditions")
        except BaseException:
            _remove(out, [*shards, MANIFEST])
            raise
        games = sum(shard["games"] for shard in shards.values())
        manifest |= {"games": games, "complete": True, "counts": counts, "shards": shards}
        manifest["seconds"] = round(time.perf_counter() - began, 3)
        write_manifest(out, manifest)
        return Dataset(out, manifest)


def parts_of(
    dataset: Dataset, cut: Callable[[pa.Table], Iterable[pa.Table]]
) -> Iterator[tuple[str, pa.Table]]:
    """Yield what each shard is cut into, with the names of new shards, for `write_labelled`."""
    for number, table in enumerate(dataset.arrow_tables()):
        for place, part in enumerate(cut(table)):
            yield f"part-{number:06d}{place:04d}.parquet", part


def write_labelled(
    out: Path | str,
    made: dict[str, Any],
    games: int,
    parts: Iterable[tuple[str, pa.Table]],
    label: Callable[[pa.Table, Progress], pa.Table],
    progress: Progress = no_progress,
) -> Dataset:
    """Write parts of a dataset with new labels, each at once, so many games in all."""
    out = Path(out)

    def missing(manifest: dict[str, Any]) -> Generator[tuple[str, pa.Table], None, None]:
        for name, part in parts:
            if name not in manifest["shards"]:
                done = sum(shard["rows"] for shard in manifest["shards"].values())
                yield name, label(part, lambda rows: progress(done + rows))  # noqa: B023

    with hold(out):
        manifest = begin_manifest(out, made, games)
        write_parts(out, manifest, missing(manifest))
        return Dataset(out, manifest)


def joined_results(
    calls: Iterable[Any],
    jobs: int,
    progress: Progress,
    table_of: Callable[[Any], pa.Table] = lambda table: table,
) -> pa.Table:
    """Return the tables of calls by several workers as one, in order."""
    parts: list[pa.Table] = []
    with contextlib.closing(run_tasks(calls, jobs)) as results:
        for part in map(table_of, results):
            parts.append(part)
            progress(sum(map(len, parts)))
    return pa.concat_tables(parts).unify_dictionaries()


def _remove(folder: Path, names: Iterable[str]) -> None:
    for name in names:
        with contextlib.suppress(OSError):
            (folder / name).unlink()


def _gathered(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield the rows of `tables` in tables of about SHARD_ROWS rows."""
    parts: list[pa.Table] = []
    for table in tables:
        parts += [table] * (len(table) > 0)
        if sum(map(len, parts)) >= SHARD_ROWS:
            yield _joined(parts)
            parts = []
    if parts:
        yield _joined(parts)


def _joined(parts: list[pa.Table]) -> pa.Table:
    return pa.concat_tables(parts).unify_dictionaries().combine_chunks()


def keep_rows(table: pa.Table, keep: NDArray[np.bool_]) -> pa.Table:
    """Return the rows to keep (n,) of whole games.

    An exploratory move that is left out would make outcomes before it look clean: the last row
    kept before it is marked in its place.
    """
    if not keep.any():
        return table.slice(0, 0)
    columns = table.select(["game_id", "ply", "exploratory"]).to_pandas()
    clean = clean_outcomes(columns)[keep]
    kept = table.filter(pa.array(keep))
    games = columns["game_id"].to_numpy()[keep]
    is_last = np.append(games[1:] != games[:-1], True)
    next_clean = np.append(clean[1:], True)
    marks = columns["exploratory"].to_numpy(bool)[keep] | (~clean & (is_last | next_clean))
    return with_columns(kept, {"exploratory": marks})


def by_games(table: pa.Table, games: int) -> list[pa.Table]:
    """Return a table in pieces of so many games."""
    return _cut(table, _starts_of_games(table)[::games])


def by_rows(table: pa.Table, rows: int) -> list[pa.Table]:
    """Return a table in pieces of about so many rows, each of whole games."""
    starts = _starts_of_games(table)
    later = np.searchsorted(starts, np.arange(0, starts[-1] + 1, rows))
    return _cut(table, starts[np.unique(later)])


def _starts_of_games(table: pa.Table) -> NDArray[np.int64]:
    return np.append(0, np.flatnonzero(np.diff(table["game_id"].to_numpy())) + 1)


def _cut(table: pa.Table, starts: NDArray[np.int64]) -> list[pa.Table]:
    ends = np.append(starts[1:], len(table))
    return [table.slice(start, end - start) for start, end in zip(starts, ends, strict=True)]

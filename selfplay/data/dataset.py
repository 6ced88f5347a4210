"""Datasets on disk: a folder of Parquet shards and a manifest.

selfplay/data/shard.py describes the columns of a row.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from samuel.common.displayable import Displayable, counted
from samuel.common.errors import UserError, unknown
from samuel.games.game import Game
from samuel.games.origins import game_from
from samuel.selfplay.data.manifest import read_manifest
from samuel.selfplay.data.shard import (
    OPTIONAL,
    columns_of,
    read_shard,
    shard_columns,
    word_columns,
    words_in,
)

Progress = Callable[[int], None]
"""Called with the rows (of files: the bytes) that are done."""


def no_progress(done: int) -> None:
    """Show nothing."""


class Part(NamedTuple):
    """One of the datasets that are read as one (selfplay.data.combine.joined)."""

    folder: Path  # its folder
    first_game: int = 0  # what is added to the numbers of its games
    scale: float = 1.0  # what its scores that are not exact are multiplied by


@dataclass(frozen=True, repr=False)
class Dataset(Displayable):
    """Dataset: positions with labels, in a folder.

    Attributes
    ----------
    folder
        Folder of the dataset.
    manifest
        Origin of the rows: game, settings, seed, evaluator, counts, shards.
    parts
        Datasets that it joins; a shard is then called NUMBER/NAME, by the number of its part. Empty
        for a dataset with its own folder.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.Dataset.open("data/games")
    >>> data.game.name, data.positions.dtype
    ('tic_tac_toe', dtype('uint64'))
    """

    folder: Path
    manifest: dict[str, Any]
    parts: tuple[Part, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        parts = tuple(part._replace(folder=part.folder.absolute()) for part in self.parts)
        return Dataset, (self.folder.absolute(), self.manifest, parts)  # the rows stay on disk

    @classmethod
    def open(cls, folder: Path | str) -> Dataset:
        """Open a dataset.

        Parameters
        ----------
        folder
            Folder of a dataset.

        Returns
        -------
        Dataset
            Dataset in the folder.

        Raises
        ------
        UserError
            There is no such folder, it is no dataset, or it has no complete shard yet.
        """
        folder = Path(folder)
        if folder.is_file():
            raise UserError(
                f"{folder} is a file, not the folder of a dataset; samuel dataset import {folder} "
                "--out FOLDER makes one of it"
            )
        if not folder.is_dir():
            raise UserError(
                f"there is no dataset at {folder}: the folder does not exist; samuel selfplay "
                "makes one"
            )
        manifest = read_manifest(folder)
        if not manifest["shards"]:
            raise UserError(
                f"{folder} contains no positions yet; run the command that makes it again"
            )
        return cls(folder, manifest)

    @functools.cached_property
    def columns(self) -> list[str]:
        """The names of the columns that its rows have, or those of any part."""
        first = {self._place(name)[0]: name for name in reversed(self.manifest["shards"])}
        found = {column for name in first.values() for column in self._columns_in(name)}
        return [*columns_of(self.game), *(name for name in OPTIONAL if name in found)]

    @property
    def digest(self) -> str:
        """Digest of all rows."""
        digests = [shard["sha256"] for shard in self.manifest["shards"].values()]
        return hashlib.sha256(" ".join(digests).encode()).hexdigest()

    @functools.cached_property
    def game(self) -> Game:
        """The game."""
        return game_from(str(self.folder), self.manifest["game"], self.manifest.get("plugins", []))

    def require_game(self, game: Game) -> None:
        """Raise UserError if the dataset is of another game."""
        if game.name != self.game.name:
            raise UserError(f"{self.folder} contains games of {self.game.name}, not {game.name}")

    def __repr__(self) -> str:
        games, positions = counted(self.games, "game"), counted(len(self), "position")
        return f"Dataset({str(self.folder)!r}: {games} of {self.manifest['game']}, {positions})"

    def __len__(self) -> int:
        return int(sum(shard["rows"] for shard in self.manifest["shards"].values()))

    @property
    def games(self) -> int:
        """Number of games."""
        return int(sum(shard["games"] for shard in self.manifest["shards"].values()))

    def some(self, names: Sequence[str]) -> Dataset:
        """Return some shards as a dataset."""
        shards = {name: self.manifest["shards"][name] for name in names}
        return replace(self, manifest=self.manifest | {"shards": shards})

    def batches(
        self, columns: Sequence[str] | None = None, size: int = 1 << 18
    ) -> Iterator[pd.DataFrame]:
        """Return frames of at most `size` rows, in order, with one shard in memory at a time.

        If the dataset lacks them, the column `weight` is 1 and `visits` is empty.

        Parameters
        ----------
        columns
            Names of the columns; by default all.
        size
            Largest number of rows of a frame.

        Returns
        -------
        Iterator[pd.DataFrame]
            Frames, one after the other.
        """
        return (
            table.slice(start, size).to_pandas()
            for table in self.arrow_tables(columns)
            for start in range(0, table.num_rows, size)
        )

    def frame(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return all rows as a pandas frame; `batches` describes missing columns.

        Parameters
        ----------
        columns
            Names of the columns; by default all.

        Returns
        -------
        pd.DataFrame
            Frame with one row per position.
        """
        return _frame_of(self.arrow_tables(columns))

    @functools.cached_property
    def positions(self) -> NDArray[np.uint64]:
        """All positions, (n, K)."""
        return self.labelled(())[1]

    def labelled(self, columns: Sequence[str]) -> tuple[pd.DataFrame, NDArray[np.uint64]]:
        """Return columns of all rows, and their positions (n, K), in one pass."""
        for name in self.manifest["shards"]:
            self._columns_in(name)  # that it has so many rows
        positions, done = np.empty((len(self), self.game.words), np.uint64), 0
        parts: list[pa.Table] = []
        for table in self.arrow_tables([*word_columns(self.game), *columns]):
            positions[done : done + len(table)] = words_in(table, self.game)
            done += len(table)
            parts.append(table.select(list(columns)))
        return _frame_of(parts), positions

    def arrow_tables(
        self, columns: Sequence[str] | None = None, progress: Progress = no_progress
    ) -> Iterator[pa.Table]:
        """Return the shards as Arrow tables, in order; `batches` describes missing columns.

        All rows of a game are in one table.
        """
        known = [*columns_of(self.game), *OPTIONAL]
        for name in columns or ():
            if name not in known:
                raise unknown("column", name, known, of=f"a dataset of {self.game.name}")
        return self._tables(columns, progress)

    def _tables(self, columns: Sequence[str] | None, progress: Progress) -> Iterator[pa.Table]:
        done = 0
        for name, shard in self.manifest["shards"].items():
            chosen = self.columns if columns is None else list(columns)
            part, file = self._place(name)
            helpers = ["exact"] if part.scale != 1 and "score" in chosen else []
            table = read_shard(
                part.folder / file, shard, self.game, list(dict.fromkeys([*chosen, *helpers]))
            )
            if part.first_game and "game_id" in chosen:
                games = table["game_id"].to_numpy() + part.first_game
                table = with_columns(table, {"game_id": games})
            if helpers:
                score, exact = table["score"].to_numpy(), table["exact"].to_numpy()
                scaled = np.where(exact, score, np.float32(part.scale) * score)
                table = with_columns(table, {"score": scaled}).select(chosen)
            yield table
            progress(done := done + len(table))

    def _place(self, name: str) -> tuple[Part, str]:
        """Return the part that a shard is of, and the name of its file."""
        if not self.parts:
            return Part(self.folder), name
        number, _, file = name.partition("/")
        return self.parts[int(number)], file

    def _columns_in(self, name: str) -> list[str]:
        part, file = self._place(name)
        return shard_columns(part.folder / file, self.manifest["shards"][name], self.game)


def _frame_of(tables: Iterable[pa.Table]) -> pd.DataFrame:
    table = pa.concat_tables(tables).unify_dictionaries()
    return table.to_pandas(self_destruct=True, split_blocks=True)


def dataset_of(given: Dataset | Path | str) -> Dataset:
    """Return a dataset that is given as it is, or by its folder (`Dataset.open`)."""
    return given if isinstance(given, Dataset) else Dataset.open(given)


def clean_outcomes(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which rows have an outcome that no exploratory move separates from them.

    The outcome of a game says little of a position before a random move. Needs the columns
    game_id, ply and exploratory, games in one piece; where there is `outcome`, NaN is none.
    """
    games, exploratory = frame["game_id"].to_numpy(), frame["exploratory"].to_numpy(bool)
    if not len(games):
        return exploratory
    last = np.append(np.flatnonzero(games[1:] != games[:-1]), len(games) - 1)
    so_far = np.cumsum(exploratory, dtype=np.int32)
    clean = ~exploratory & (np.repeat(so_far[last], np.diff(last, prepend=-1)) == so_far)
    return clean & frame["outcome"].notna().to_numpy() if "outcome" in frame else clean


LABEL_COLUMNS = ("game_id", "ply", "side", "score", "exact", "outcome", "exploratory")
"""The columns that say what a position is worth."""


def score_scale(frame: pd.DataFrame, clean: NDArray[np.bool_] | None = None) -> float:
    """Return the number that brings the scores that are not exact nearest to the outcomes."""
    clean = clean_outcomes(frame) if clean is None else clean
    score, outcome = (frame[name].to_numpy(np.float32) for name in ("score", "outcome"))
    known = ~frame["exact"].to_numpy(bool) & clean & ~np.isnan(score)
    squares = float(score[known].astype(np.float64) @ score[known])
    products = float(score[known].astype(np.float64) @ outcome[known])
    return products / squares if squares > 0 and products > 0 else 1.0


def within(values: NDArray[Any], bounds: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which values are from the least to the most of the bounds."""
    return (bounds[0] <= values) & (values <= bounds[1])


def with_columns(table: pa.Table, columns: dict[str, NDArray[Any]]) -> pa.Table:
    """Return a table with columns replaced, or added at the end."""
    for name, values in columns.items():
        column = pa.array(values)
        if name in table.column_names:
            table = table.set_column(table.column_names.index(name), name, column)
        else:
            table = table.append_column(name, column)
    return table

"""Datasets on disk: a folder of Parquet shards and a manifest.

What the columns of a row are, selfplay/data/shard.py says.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from samuel.errors import UserError, unknown
from samuel.games.interface import Game
from samuel.games.origins import game_from
from samuel.games.symmetry import canonical_keys
from samuel.selfplay.data.manifest import Shard, read_manifest
from samuel.selfplay.data.shard import (
    OPTIONAL,
    columns_of,
    read_shard,
    shard_columns,
    word_columns,
)
from samuel.shown import Shown

_TOO_FEW = 4
"""By what factor held-out rows may fall short of their share before positions are split."""


@dataclass(frozen=True, repr=False)
class Dataset(Shown):
    """Positions labelled by play.

    Attributes
    ----------
    manifest
        what made it: game, settings, seed, evaluator, counts, shards.
    """

    folder: Path
    manifest: dict[str, Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return Dataset, (self.folder.absolute(), self.manifest)  # the rows stay in their folder

    @classmethod
    def open(cls, folder: Path | str) -> Dataset:
        """Open a dataset.

        Raises
        ------
        UserError
            The folder is not there, is no dataset, or has no whole shard yet.
        """
        folder = Path(folder)
        if not folder.is_dir():
            raise UserError(
                f"there is no dataset at {folder}: no such folder; samuel selfplay makes one"
            )
        manifest = read_manifest(folder)
        if not manifest["shards"]:
            raise UserError(f"{folder} holds no positions yet; run what makes it to the end")
        return cls(folder, manifest)

    @functools.cached_property
    def columns(self) -> list[str]:
        """The names of the columns that its rows have.

        Raises
        ------
        UserError
            The first shard is missing or damaged.
        """
        name, shard = next(iter(self.manifest["shards"].items()))
        return shard_columns(self.folder / name, shard, self.game)

    @property
    def digest(self) -> str:
        """A digest of all rows."""
        digests = [shard["sha256"] for shard in self.manifest["shards"].values()]
        return hashlib.sha256(" ".join(digests).encode()).hexdigest()

    @property
    def lineage(self) -> set[str]:
        """Its digest, and those of the datasets and files that it was made of."""
        steps = self.manifest.get("history", [])
        return {self.digest, *(one["sha256"] for step in steps for one in step["inputs"])}

    @functools.cached_property
    def game(self) -> Game:
        """The game."""
        return game_from(str(self.folder), self.manifest["game"], self.manifest.get("plugins", []))

    def require_game(self, game: Game) -> None:
        """Raise UserError where it holds games of another game."""
        if game.name != self.game.name:
            raise UserError(f"{self.folder} holds games of {self.game.name}, not {game.name}")

    def __repr__(self) -> str:
        return (
            f"Dataset({str(self.folder)!r}: {self.games:,} games of {self.manifest['game']}, "
            f"{len(self):,} positions)"
        )

    def __len__(self) -> int:
        return int(sum(shard["rows"] for shard in self.manifest["shards"].values()))

    @property
    def games(self) -> int:
        """The number of games."""
        return int(sum(shard["games"] for shard in self.manifest["shards"].values()))

    def batches(
        self, columns: Sequence[str] | None = None, size: int = 1 << 18
    ) -> Iterator[pd.DataFrame]:
        """Return frames of at most `size` rows, in order; one shard is in memory at a time.

        Where they are asked for and missing, the column `weight` is 1 and `visits` is empty.
        """
        return (
            table.slice(start, size).to_pandas()
            for table in self.tables(columns)
            for start in range(0, table.num_rows, size)
        )

    def frame(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return all rows as a pandas frame; for columns that are missing see `batches`."""
        table = pa.concat_tables(self.tables(columns)).unify_dictionaries()
        return table.to_pandas(self_destruct=True, split_blocks=True)

    @functools.cached_property
    def positions(self) -> NDArray[np.uint64]:
        """All positions, (n, K)."""
        for name, shard in self.manifest["shards"].items():
            shard_columns(self.folder / name, shard, self.game)  # that it has so many rows
        words, done = word_columns(self.game), 0
        positions = np.empty((len(self), self.game.words), np.uint64)
        for table in self.tables(words):
            for k, name in enumerate(words):
                positions[done : done + len(table), k] = table[name]
            done += len(table)
        return positions

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Return the shards as Arrow tables, in order; for columns that are missing see `batches`.

        The rows of a game are never in two of them.

        Raises
        ------
        UserError
            There is no such column; when a table is drawn, its shard is missing or damaged.
        """
        known = [*columns_of(self.game), *OPTIONAL]
        for name in columns or ():
            if name not in known:
                raise unknown("column", name, known, of=f"a dataset of {self.game.name}")

        def read(name: str, shard: Shard) -> pa.Table:
            chosen = self.columns if columns is None else columns
            return read_shard(self.folder / name, shard, self.game, chosen)

        return (read(name, shard) for name, shard in self.manifest["shards"].items())


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


def split_by_game(
    frame: pd.DataFrame, positions: NDArray[np.uint64], game: Game, share: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split rows into training and held-out, whole games to a side, no position on both.

    Parameters
    ----------
    frame
        with the column game_id.
    positions
        of the same rows, (n, K).
    game
        for its symmetries.
    share
        of the games to hold out.

    Returns
    -------
    The indices of the rows for training, and of those held out whose canonical position no
    training row has. In a game so small that hardly one is left (tic-tac-toe), canonical
    positions are held out in place of games, with all their rows.
    """
    return split_keys(frame["game_id"].to_numpy(), canonical_keys(game, positions), share, seed)


def split_keys(
    games: NDArray[np.int64], keys: NDArray[np.uint64], share: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split rows by their games (n,) and canonical keys (n,); see `split_by_game`."""
    train, held = split_games(games, share, seed)
    test = unseen(keys, train, held)
    if len(test) >= share * len(games) / _TOO_FEW:
        return train, test
    few = (
        "the games hold one position over and over; play more games, or with more random "
        "opening plies"
    )
    return _split_by(keys, share, seed, few)


def split_games(
    games: NDArray[np.int64], share: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the indices of the rows of most games (n,), and of a share of them, all rows each."""
    few = "{} games are too few to hold some out; play at least 2, better 1,000"
    return _split_by(games, share, seed, few)


def unseen(
    keys: NDArray[np.uint64], train: NDArray[np.int64], test: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return those rows of `test` whose key no row of `train` has."""
    known = np.sort(keys[train])
    place = np.minimum(np.searchsorted(known, keys[test]), len(known) - 1)
    return test[known[place] != keys[test]]


def _split_by(
    labels: NDArray[Any], share: float, seed: int, few: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of most labels (n,), and of a share of them; `few` says that that is all."""
    different = np.unique(labels)
    order = np.random.default_rng(seed).permutation(len(different))
    held = max(1, round(share * len(different)))
    if held >= len(different):
        raise UserError(few.format(len(different)))
    is_held = np.isin(labels, different[order[:held]])
    return np.flatnonzero(~is_held), np.flatnonzero(is_held)

"""Datasets on disk: a folder of Parquet shards and a manifest.

Columns of a row, one position of one game:

    word_0 ...   uint64, the position's words, from the side to move
    game_id      int64, the number of the game
    ply          int16, plies from the initial position
    score        float32, what the search found, for the side to move, in the game's unit
    depth        int8, plies searched; what was left to play where `exact`
    exact        bool, whether `score` is the true value
    outcome      float32, how the game ended, for the side to move, in the game's unit
    exploratory  bool, whether the move played here was not the search's
    move         int32, the move played (-1 a pass)
    source       string, the evaluator that played

A shard is written under a temporary name and renamed when whole; the manifest lists the shards
with their digests, so a cut-off or altered file is noticed.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from errors import UserError
from files import whole
from games.abi import Game
from games.catalog import game_named
from games.symmetry import canonical_keys
from selfplay.kernel import Sheet
from selfplay.manifest import file_digest, read_manifest

_TOO_FEW = 4
"""By what factor held-out rows may fall short of their share before positions are split."""


def word_columns(game: Game) -> list[str]:
    """Return the names of the columns that hold a position."""
    return [f"word_{k}" for k in range(game.words)]


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


@dataclass(frozen=True, repr=False)
class Dataset:
    """Positions labelled by play.

    Attributes
    ----------
    folder
        where it is.
    manifest
        what made it: game, settings, seed, evaluator, counts, shards.
    """

    folder: Path
    manifest: dict[str, Any]

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
            raise UserError(f"{folder} holds no positions yet; let its self-play run to the end")
        return cls(folder, manifest)

    @functools.cached_property
    def game(self) -> Game:
        """The game."""
        return game_named(self.manifest["game"])

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
        """Yield frames of at most `size` rows, in order; one shard is in memory at a time."""
        for table in self._tables(columns):
            for start in range(0, table.num_rows, size):
                yield table.slice(start, size).to_pandas()

    def frame(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return all rows as a pandas frame."""
        return pa.concat_tables(self._tables(columns)).to_pandas()

    @functools.cached_property
    def positions(self) -> NDArray[np.uint64]:
        """All positions, (n, K)."""
        frame = self.frame(word_columns(self.game))
        return np.ascontiguousarray(frame.to_numpy(np.uint64))

    def _tables(self, columns: Sequence[str] | None) -> Iterator[pa.Table]:
        for name, shard in self.manifest["shards"].items():
            yield read_shard(self.folder / name, shard, columns)


def read_shard(path: Path, shard: dict[str, Any], columns: Sequence[str] | None) -> pa.Table:
    """Read a shard after comparing its digest with the manifest's.

    Raises
    ------
    UserError
        It is missing, cut off or altered.
    """
    again = "delete it and run the same self-play command again: it makes what is missing anew"
    if not path.exists():
        raise UserError(f"{path} is missing; {again.removeprefix('delete it and ')}")
    if file_digest(path) != shard["sha256"]:
        raise UserError(f"{path} is cut off or altered (its digest is not the manifest's); {again}")
    try:
        return pq.read_table(path, columns=None if columns is None else list(columns))
    except (pa.ArrowInvalid, OSError) as error:
        raise UserError(f"{path} cannot be read ({error}); {again}") from None


def clean_outcomes(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which rows no exploratory move separates from their outcome.

    The outcome of a game says little of a position before a random move. Needs the columns
    game_id, ply and exploratory, games in one piece.
    """
    disturbed = frame.iloc[::-1].groupby("game_id", sort=False)["exploratory"].cummax()
    return ~disturbed.iloc[::-1].to_numpy(bool)


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
    seed
        of the choice.

    Returns
    -------
    The indices of the rows for training, and of those held out whose canonical position no
    training row has. In a game so small that hardly one is left (tic-tac-toe), canonical
    positions are held out in place of games, with all their rows.
    """
    games = frame["game_id"].to_numpy()
    numbers = np.unique(games)
    order = np.random.default_rng(seed).permutation(len(numbers))
    held = max(1, round(share * len(numbers)))
    if held >= len(numbers):
        raise UserError(
            f"{len(numbers)} games are too few to hold some out; play at least 2, better 1,000"
        )
    is_held = np.isin(games, numbers[order[:held]])
    keys = canonical_keys(game, positions)
    is_new = ~np.isin(keys, keys[~is_held])
    train, test = np.flatnonzero(~is_held), np.flatnonzero(is_held & is_new)
    few = len(test) < share * len(games) / _TOO_FEW
    return _split_by_position(keys, share, seed) if few else (train, test)


def _split_by_position(
    keys: NDArray[np.uint64], share: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    different = np.unique(keys)
    order = np.random.default_rng(seed).permutation(len(different))
    held = max(1, round(share * len(different)))
    if held >= len(different):
        raise UserError(
            "the games hold one position over and over; play more games, or with more random "
            "opening plies"
        )
    is_held = np.isin(keys, different[order[:held]])
    return np.flatnonzero(~is_held), np.flatnonzero(is_held)

"""Datasets on disk: a folder of Parquet shards and a manifest.

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
with their digests, so a cut-off or altered file is noticed.
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
import pyarrow.parquet as pq
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.files import whole
from samuel.games.abi import Game
from samuel.games.catalog import game_named
from samuel.games.symmetry import canonical_keys
from samuel.selfplay.kernel import Sheet
from samuel.selfplay.manifest import file_digest, read_manifest

_AGAIN = "delete it and run the same command that made it again: it makes what is missing anew"
_TOO_FEW = 4
"""By what factor held-out rows may fall short of their share before positions are split."""


def word_columns(game: Game) -> list[str]:
    """Return the names of the columns that hold a position."""
    return [f"word_{k}" for k in range(game.words)]


def columns_of(game: Game) -> list[str]:
    """Return the columns that every dataset of a game has."""
    labels = "game_id ply score depth exact outcome exploratory move source"
    return [*word_columns(game), *labels.split()]


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
        name = next(iter(self.manifest["shards"]))
        try:
            return list(pq.read_schema(self.folder / name).names)
        except (pa.ArrowInvalid, OSError) as error:
            raise UserError(
                f"{self.folder / name} is missing or damaged ({error}); {_AGAIN}"
            ) from None

    @property
    def digest(self) -> str:
        """A digest of all rows."""
        digests = [shard["sha256"] for shard in self.manifest["shards"].values()]
        return hashlib.sha256(" ".join(digests).encode()).hexdigest()

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
        """Yield frames of at most `size` rows, in order; one shard is in memory at a time.

        The column `weight` is 1 where it is asked for and missing.
        """
        for table in self.tables(columns):
            for start in range(0, table.num_rows, size):
                yield table.slice(start, size).to_pandas()

    def frame(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return all rows as a pandas frame; for `weight` see `batches`."""
        table = pa.concat_tables(self.tables(columns)).unify_dictionaries()
        return table.to_pandas(self_destruct=True, split_blocks=True)

    @functools.cached_property
    def positions(self) -> NDArray[np.uint64]:
        """All positions, (n, K)."""
        positions = np.empty((len(self), self.game.words), np.uint64)
        start = 0
        for table in self.tables(word_columns(self.game)):
            positions[start : start + table.num_rows] = words_in(table, self.game)
            start += table.num_rows
        return positions

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the shards as Arrow tables, in order; for `weight` see `batches`.

        The rows of a game are never in two of them.
        """
        is_asked_for = columns is not None and "weight" in columns
        is_added = is_asked_for and "weight" not in self.columns
        stored = [name for name in columns or () if name != "weight"] if is_added else columns
        for name, shard in self.manifest["shards"].items():
            table = read_shard(self.folder / name, shard, stored)
            if is_added:
                weight = pa.array(np.ones(shard["rows"], np.float32))
                table = table.append_column("weight", weight).select(columns)
            yield table


def read_shard(path: Path, shard: dict[str, Any], columns: Sequence[str] | None) -> pa.Table:
    """Read a shard after comparing its digest with the manifest's.

    Raises
    ------
    UserError
        It is missing, cut off or altered.
    """
    if not path.exists():
        raise UserError(f"{path} is missing; {_AGAIN.removeprefix('delete it and ')}")
    if file_digest(path) != shard["sha256"]:
        raise UserError(
            f"{path} is cut off or altered (its digest is not the manifest's); {_AGAIN}"
        )
    try:
        return pq.read_table(path, columns=None if columns is None else list(columns))
    except (pa.ArrowInvalid, OSError) as error:
        raise UserError(f"{path} cannot be read ({error}); {_AGAIN}") from None


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
    seed
        of the choice.

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
    few = len(test) < share * len(games) / _TOO_FEW
    return _split_by_position(keys, share, seed) if few else (train, test)


def split_games(
    games: NDArray[np.int64], share: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the indices of the rows of most games (n,), and of a share of them, all rows each."""
    numbers = np.unique(games)
    order = np.random.default_rng(seed).permutation(len(numbers))
    held = max(1, round(share * len(numbers)))
    if held >= len(numbers):
        raise UserError(
            f"{len(numbers)} games are too few to hold some out; play at least 2, better 1,000"
        )
    is_held = np.isin(games, numbers[order[:held]])
    return np.flatnonzero(~is_held), np.flatnonzero(is_held)


def unseen(
    keys: NDArray[np.uint64], train: NDArray[np.int64], test: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return those rows of `test` whose key no row of `train` has."""
    known = np.sort(keys[train])
    place = np.minimum(np.searchsorted(known, keys[test]), len(known) - 1)
    return test[known[place] != keys[test]]


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

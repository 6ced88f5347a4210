"""Reference sets: positions of games by how much is left of them, searched as deep as one can wait.

What an evaluator says of them is measured against what was found (learning.comparison.reference).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from samuel.errors import UserError, require_number
from samuel.games.interface import Game
from samuel.games.progress import left_of
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.derive import Progress, by_games, no_progress
from samuel.selfplay.generate import SelfplayPlan
from samuel.selfplay.relabel import search_parts

STAGES = 10
_GAMES_PER_SHARD = 64
"""A kill loses what was searched of one; deep searches take seconds each."""


def reference_set(
    dataset: Dataset,
    out: Path | str,
    evaluator: str,
    *,
    depth: int,
    exact_from: int | None = None,
    left: Sequence[int] | None = None,
    count: int = 100,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress = no_progress,
) -> Dataset:
    """Draw positions of a dataset, each of a game of its own, and search them.

    Parameters
    ----------
    left
        at how much that is left (`Game.left`) they are drawn; None for `usual_left`.
    count
        how many at each; fewer where there are no more games.
    evaluator, depth, exact_from, jobs
        of the search, as for `relabel`.

    Warns
    -----
    UserWarning
        There are fewer positions than asked for.

    Raises
    ------
    UserError
        A setting is out of range, no position fits, or the folder holds something else.
    """
    require_number("count", count, 1, 1_000_000)
    left = usual_left(dataset.game) if left is None else sorted(set(left))
    plan = SelfplayPlan(dataset.game.name, evaluator, depth, exact_from=exact_from).checked()
    rows = _drawn(dataset, left, count, seed)
    if len(rows) < len(left) * count:
        note = f"{len(rows)} positions in the place of {len(left)} times {count}, as each is of a"
        warnings.warn(f"{note} game of its own and has just so much left", stacklevel=2)
    table = _rows_of(dataset, rows)
    parts = (
        (f"part-{k:06d}.parquet", part) for k, part in enumerate(by_games(table, _GAMES_PER_SHARD))
    )
    chosen = {"left": list(left), "count": count, "seed": seed}
    return search_parts(out, "reference", dataset, len(rows), parts, plan, chosen, jobs, progress)


def usual_left(game: Game) -> list[int]:
    """Return STAGES counts of what is left, evenly from a fifth of a game to four fifths."""
    stages = np.linspace(game.most_left / 5, 4 * game.most_left / 5, STAGES)
    return sorted({round(at) for at in stages.tolist()})


def _drawn(dataset: Dataset, left: Sequence[int], count: int, seed: int) -> NDArray[np.int64]:
    """Return the rows that are drawn, in order."""
    frame = dataset.frame(["game_id"]).assign(left=left_of(dataset.game, dataset.positions))
    rows = pd.RangeIndex(len(frame))[frame["left"].isin(left)]
    shuffled = frame.loc[np.random.default_rng(seed).permutation(rows)]
    drawn = shuffled.drop_duplicates("game_id").groupby("left").head(count)
    if drawn.empty:
        wanted = ", ".join(map(str, left))
        raise UserError(f"no position of {dataset.folder} has {wanted} left; name other counts")
    return np.sort(drawn.index.to_numpy(np.int64))


def _rows_of(dataset: Dataset, rows: NDArray[np.int64]) -> pa.Table:
    def parts() -> Iterator[pa.Table]:
        first = 0
        for table in dataset.tables():
            own = rows[(rows >= first) & (rows < first + len(table))] - first
            yield table.take(pa.array(own))
            first += len(table)

    return pa.concat_tables(parts()).unify_dictionaries().combine_chunks()

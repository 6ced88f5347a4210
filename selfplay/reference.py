"""Reference sets: positions of games by how much is left of them, searched as deep as one can wait.

The scores of an evaluator are measured against the scores found (learning.comparison.reference).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.common.options import Argument, Range, Text, counts_in
from samuel.common.public import public
from samuel.games.interface import Game
from samuel.games.rows import left_of
from samuel.models.named import usual_evaluator
from samuel.search.score import MOST_DEPTH, MOST_REMAINING
from samuel.selfplay.data.dataset import Dataset, Progress, no_progress
from samuel.selfplay.data.derive import by_games
from samuel.selfplay.data.shard import word_columns, words_in
from samuel.selfplay.generate import SelfplayPlan
from samuel.selfplay.relabel import search_parts

STAGES, COUNT = 10, 100
_GAMES_PER_SHARD = 64
"""A kill loses what was searched of one; deep searches take seconds each."""


@public
def reference_set(
    dataset: Annotated[Dataset, Argument()],
    out: Path | str,
    evaluator: str | None = None,
    *,
    depth: Annotated[int, Range(1, MOST_DEPTH)] = 12,
    exact_from: Annotated[int | None, Range(0, MOST_REMAINING)] = None,
    left: Annotated[Sequence[int] | None, Text(counts_in, "44,32,20")] = None,
    count: Annotated[int, Range(1, 1_000_000)] = COUNT,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress = no_progress,
) -> Dataset:
    """Make a reference set: draw positions at each stage of the games and search them deep.

    `samuel evaluate --reference` and `samuel compare --reference` measure evaluators against it.
    Each position comes from a different game. Use the best evaluator you have, and a search as deep
    as you can wait for. If interrupted, run the same command again: it continues.

    Parameters
    ----------
    dataset
        Folder of a dataset.
    out
        Folder of the new dataset.
    evaluator
        Evaluator: a name (samuel models lists them), or the folder of a model. By default the
        game's own.
    depth
        Search depth per position, in plies.
    exact_from
        Number of empty squares (plies left) from which positions are solved exactly; 0 for never.
        By default the game's own number.
    left
        Numbers of empty squares (or of plies left) of the stages, joined by commas, such as
        44,32,20. By default ten over most of the game.
    count
        Number of positions at each stage, at most one per game.
    seed
        Seed of the choice of positions.
    jobs
        Number of workers; -1 for one per core.
    progress
        Called with the number of positions that are done.

    Warns
    -----
    UserWarning
        There are fewer positions than asked for.

    Raises
    ------
    UserError
        A setting is out of range, no position fits, or the folder holds something else.
    """
    left = usual_left(dataset.game) if left is None else sorted(set(left))
    evaluator = evaluator or usual_evaluator(dataset.game)
    plan = SelfplayPlan(dataset.game.name, evaluator, depth, exact_from=exact_from).checked()
    rows = _drawn(dataset, left, count, seed)
    if len(rows) < len(left) * count:
        note = f"{len(rows)} positions instead of {len(left)} times {count}: each must come from"
        warnings.warn(f"{note} its own game, and too few games have such positions", stacklevel=2)
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
    game = dataset.game
    parts = (
        pd.DataFrame({"game_id": table["game_id"], "left": left_of(game, words_in(table, game))})
        for table in dataset.tables(["game_id", *word_columns(game)])
    )
    frame = pd.concat(parts, ignore_index=True)
    rows = pd.RangeIndex(len(frame))[frame["left"].isin(left)]
    shuffled = frame.loc[np.random.default_rng(seed).permutation(rows)]
    drawn = shuffled.drop_duplicates("game_id").groupby("left").head(count)
    if drawn.empty:
        wanted = ", ".join(map(str, left))
        raise UserError(f"{dataset.folder} has no positions with {wanted} left; give other counts")
    return np.sort(drawn.index.to_numpy(np.int64))


def _rows_of(dataset: Dataset, rows: NDArray[np.int64]) -> pa.Table:
    def parts() -> Iterator[pa.Table]:
        first = 0
        for table in dataset.tables():
            own = rows[(rows >= first) & (rows < first + len(table))] - first
            yield table.take(pa.array(own))
            first += len(table)

    return pa.concat_tables(parts()).unify_dictionaries().combine_chunks()

"""Datasets put together, divided, and cut down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samuel.common.errors import OptionError, UserError
from samuel.common.options import Argument, Ends, Range, Seed
from samuel.common.public import public
from samuel.games.game import Game
from samuel.games.rows import are_quiet, canonical_keys, left_of
from samuel.selfplay.data.dataset import (
    LABEL_COLUMNS,
    Dataset,
    Part,
    Progress,
    clean_outcomes,
    dataset_of,
    no_progress,
    score_scale,
    within,
)
from samuel.selfplay.data.derive import keep_rows, made_of, write_dataset
from samuel.selfplay.data.shard import word_columns, words_in
from samuel.selfplay.data.splitting import split_games, split_keys, unseen


def joined(datasets: Sequence[Dataset], *, scaled: bool = True) -> Dataset:
    """Return datasets of one game as one, without a copy on disk; the games are numbered on.

    An evaluator need not count in the game's unit (`wpc` does not), and two need not agree: where
    `scaled`, the scores of each dataset are multiplied by its `score_scale`; scores of a game with
    a scale (`Scores.scale`) mean probabilities as they are.
    """
    made = made_of(datasets, "join", {})
    parts, first = [], 0
    for data in datasets:
        frame = data.frame(LABEL_COLUMNS if scaled else ["game_id"])
        brings = scaled and not data.game.scores.scale
        parts.append(Part(data.folder, first, score_scale(frame) if brings else 1.0))
        first += int(frame["game_id"].max()) + 1
    shards = {
        f"{number}/{name}": shard
        for number, data in enumerate(datasets)
        for name, shard in data.manifest["shards"].items()
    }
    counts: dict[str, Any] = {
        "games": sum(data.games for data in datasets),
        "positions": sum(map(len, datasets)),
        "complete": all(data.manifest["complete"] for data in datasets),
    }
    return Dataset(datasets[-1].folder, made | counts | {"shards": shards}, tuple(parts))


@public
def merge(
    datasets: Annotated[Sequence[Dataset | Path | str], Argument()],
    out: Path | str,
    *,
    progress: Progress = no_progress,
) -> Dataset:
    """Merge datasets of one game into one. Games get new numbers; sources are kept.

    Parameters
    ----------
    datasets
        Folders of datasets of one game.
    out
        Folder of the new dataset.
    progress
        Called with the number of rows that are done.

    Returns
    -------
    Dataset
        New dataset.

    Raises
    ------
    UserError
        The datasets are of several games, or none is given; or the folder has something else.

    Examples
    --------
    >>> import samuel
    >>> samuel.merge(["data/games", "data/games"], "data/both")
    Dataset('data/both': ... games of tic_tac_toe, ... positions)
    """
    opened = [dataset_of(one) for one in datasets]
    made = made_of(opened, "merge", {})

    def tables(_counts: dict[str, Any]) -> Iterator[pa.Table]:
        return joined(opened, scaled=False).arrow_tables(None, progress)

    return write_dataset(out, made, tables)


@public
def split(
    dataset: Annotated[Dataset, Argument()],
    out_a: Path | str,
    out_b: Path | str,
    *,
    share: float = 0.2,
    seed: Seed = 0,
    distinct: bool = False,
    progress: Progress = no_progress,
) -> tuple[Dataset, Dataset]:
    """Split a dataset in two by games. All rows of a game stay together.

    Different games can share positions, mostly early ones. The option `distinct` removes shared
    positions, up to symmetry, from the second dataset. A model fitted to the first dataset has then
    seen no position of the second. `samuel train` and `samuel compare` always do this.

    Parameters
    ----------
    dataset
        Folder of a dataset.
    out_a
        Folder of the first, larger dataset.
    out_b
        Folder of the second dataset. In Python the `counts` of its manifest have the number of
        positions that both datasets share, up to symmetry (`shared`), or with `distinct` the number
        of positions left out (`left_out`).
    share
        Share of the games for the second dataset.
    seed
        Seed of the choice of games.
    distinct
        Leave out of the second dataset all positions that the first has.
    progress
        Called with the number of rows that are done, each counted three times.

    Returns
    -------
    tuple[Dataset, Dataset]
        Both new datasets, the larger first.

    Raises
    ------
    UserError
        The share is out of range, there are too few games, or a folder cannot be used.

    Examples
    --------
    >>> import samuel
    >>> most, tenth = samuel.split("data/games", "data/most", "data/tenth", share=0.1)
    >>> most
    Dataset('data/most': 54 games of tic_tac_toe, ... positions)
    """
    if not 0 < share < 1:
        raise OptionError("share", f"must be above 0 and below 1 (got {share:g})")
    if Path(out_a).resolve() == Path(out_b).resolve():
        raise UserError("the two parts need different folders")
    games, keys = _games_and_keys(dataset, progress)
    a, b = split_keys(games, keys, share, seed) if distinct else split_games(games, share, seed)
    counts = {"shared": len(b) - len(unseen(keys, a, b)), "left_out": len(keys) - len(a) - len(b)}

    def side(name: str, chosen: NDArray[np.int64], out: Path | str, before: int) -> Dataset:
        keep = np.zeros(len(dataset), bool)
        keep[chosen] = True

        def tables(found: dict[str, Any]) -> Iterator[pa.Table]:
            start = 0
            found |= counts if name == "b" else {}
            for table in dataset.arrow_tables(None, lambda done: progress(before + done)):
                yield keep_rows(table, keep[start : start + len(table)])
                start += len(table)

        settings = {"side": name, "share": share, "seed": seed, "distinct": distinct}
        return write_dataset(out, made_of([dataset], "split", settings), tables)

    rows = len(dataset)
    return side("a", a, out_a, rows), side("b", b, out_b, 2 * rows)


def _games_and_keys(
    dataset: Dataset, progress: Progress
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return the game (n,) and the canonical key (n,) of every row."""
    game = dataset.game
    numbers, keys = [], []
    for table in dataset.arrow_tables(["game_id", *word_columns(game)], progress):
        numbers.append(table["game_id"].to_numpy())
        keys.append(canonical_keys(game, words_in(table, game)))
    return np.concatenate(numbers), np.concatenate(keys)


_NO_SCORE = "without_score"
"""Count of rows without a score."""


@public
def filter_rows(
    dataset: Annotated[Dataset, Argument()],
    out: Path | str,
    *,
    plies: Ends = None,
    plies_left: Ends = None,
    exact_only: bool = False,
    clean_only: bool = False,
    quiet_only: bool = False,
    max_score: Annotated[float | None, Range(0.0)] = None,
    min_depth: Annotated[int | None, Range(0)] = None,
    progress: Progress = no_progress,
) -> Dataset:
    """Keep the rows of a dataset that meet all given conditions.

    Parameters
    ----------
    dataset
        Folder of a dataset.
    out
        Folder of the new dataset. In Python the `counts` of its manifest have the number of rows
        before (`before`) and, with `max_score`, of rows without a score (`without_score`).
    plies
        Plies to keep, such as 8-40.
    plies_left
        Plies left (Othello: empty squares) to keep, such as 4-50.
    exact_only
        Keep only exact scores.
    clean_only
        Keep only rows without a later random move in the game.
    quiet_only
        Keep only quiet positions: not in check, no threat to answer, no capture that wins material.
    max_score
        Largest absolute score to keep. Rows without a score are dropped.
    min_depth
        Smallest search depth to keep, in plies. Exact scores are kept as well.
    progress
        Called with the number of rows that are done.

    Returns
    -------
    Dataset
        New dataset.

    Raises
    ------
    UserError
        No condition is given, no row is left, or the folder cannot be used.

    Examples
    --------
    >>> import samuel
    >>> samuel.filter_rows("data/games", "data/late", plies=(4, 9))
    Dataset('data/late': ... games of tic_tac_toe, ... positions)
    """
    conditions = {
        "plies": plies,
        "plies_left": plies_left,
        "exact_only": exact_only,
        "clean_only": clean_only,
        "quiet_only": quiet_only,
        "max_score": max_score,
        "min_depth": min_depth,
    }
    given = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in conditions.items()
        if value is not None and value is not False
    }
    if not given:
        raise UserError("give at least one condition for rows")
    made = made_of([dataset], "filter", given)

    def tables(counts: dict[str, Any]) -> Iterator[pa.Table]:
        counts["before"], met = len(dataset), Counter[str]()
        for table in dataset.arrow_tables(None, progress):
            yield keep_rows(table, _kept(table, dataset.game, given, met))
        without = met.pop(_NO_SCORE, 0)
        if without == len(dataset):
            raise OptionError(
                "max_score",
                f"keeps no row: none of the {len(dataset):,} rows of {dataset.folder} has a score; "
                "samuel dataset relabel adds scores",
            )
        if without:
            counts[_NO_SCORE] = without
        if not met["kept"]:
            each = ", ".join(f"{name} {met[name]:,}" for name in given)
            raise UserError(
                f"no rows remain of {dataset.folder}; rows that meet each condition: {each}"
            )

    return write_dataset(out, made, tables)


_Condition = Callable[[pa.Table, Game, Any], NDArray[np.bool_]]
_CONDITIONS: dict[str, _Condition] = {
    "plies": lambda table, _, plies: within(table["ply"].to_numpy(), plies),
    "plies_left": lambda table, game, bounds: within(left_of(game, words_in(table, game)), bounds),
    "exact_only": lambda table, _game, _: table["exact"].to_numpy(),
    "clean_only": lambda table, _game, _: clean_outcomes(
        table.select(["game_id", "ply", "exploratory", "outcome"]).to_pandas()
    ),
    "quiet_only": lambda table, game, _: are_quiet(game, words_in(table, game)),
    # false where there is no score
    "max_score": lambda table, _, most: np.abs(table["score"].to_numpy()) <= most,
    "min_depth": lambda table, _, least: (
        table["exact"].to_numpy() | (table["depth"].to_numpy() >= least)
    ),
}
"""Rows that meet a condition, by its option."""


def _kept(
    table: pa.Table, game: Game, given: Mapping[str, Any], met: Counter[str]
) -> NDArray[np.bool_]:
    """Return which rows meet all conditions; count those that meet each."""
    found = {name: _CONDITIONS[name](table, game, value) for name, value in given.items()}
    keep = np.asarray(np.logical_and.reduce(list(found.values())))
    met.update({name: int(those.sum()) for name, those in found.items()}, kept=int(keep.sum()))
    if "max_score" in given:
        met[_NO_SCORE] += int(np.isnan(table["score"].to_numpy()).sum())
    return keep

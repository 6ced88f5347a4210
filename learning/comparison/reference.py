"""Distance of an evaluator from the deep scores of a reference set, stage by stage.

Scores of two evaluators may be on two scales, and on another one early in a game than late. So at
each stage the deep scores are explained by the best line over what the evaluator says, static or
searched: `unexplained` is the share of their variance that it leaves, `error` the root of the mean
square of what remains, and `slope` by how much the deep score rises with the evaluator's: 1 where
its scale is right, less where it says too much.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import linregress

from samuel.common.errors import UserError, require_number
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.games.rows import left_of
from samuel.models.evaluate import finite_scores
from samuel.models.saved.serialized import SerializedEvaluator
from samuel.search.score import MOST_DEPTH
from samuel.selfplay.data.dataset import Dataset, Progress, no_progress, with_columns
from samuel.selfplay.generate import SelfplayPlan
from samuel.selfplay.relabel import searched

DEPTHS = (0, 1, 4, 6)
"""Depths of the evaluator's own searches; 0 is the static score."""
_FEWEST = 3
"""Positions that a line is drawn through."""


@dataclass(frozen=True)
class StageError:
    """Distance of an evaluator from the deep scores of one stage.

    Attributes
    ----------
    left
        squares or plies left in the games (`Game.left`).
    depth
        depth of the evaluator's search; 0 for its static score.
    positions
        number of positions.
    unexplained, error, slope
        see above; `error` in the game's unit. The slope is NaN where all scores of the evaluator,
        or all deep ones, are the same; all three are of fewer than three positions.
    """

    left: int
    depth: int
    positions: int
    unexplained: float
    error: float
    slope: float


def open_reference(reference: Dataset | Path | str, game: Game) -> Dataset:
    """Return a reference set of a game: of `reference_set`, or any dataset of searched positions.

    Warns
    -----
    UserWarning
        The positions are of self-play, some have no score, or not all are there yet.

    Raises
    ------
    UserError
        It is of another game or cannot be read, or no position has a score.
    """
    found = reference if isinstance(reference, Dataset) else Dataset.open(reference)
    found.require_game(game)
    scores = found.frame(["score"])["score"]
    missing, folder = int(scores.isna().sum()), found.folder
    if missing == len(scores):
        raise UserError(
            f"{folder} has no searched positions; make a reference set with samuel dataset "
            "reference"
        )
    notes = []
    if "command" not in found.manifest["settings"]:
        deep = "its scores have the depth of play; samuel dataset reference makes a reference set"
        notes.append(f"{folder} is a dataset of self-play: {deep}")
    if not found.manifest["complete"]:
        notes.append(f"{folder} is not complete: run the command that makes it again")
    if missing:
        notes.append(f"{missing:,} of {len(scores):,} positions of {folder} have no score")
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return found


def warn_of_same_games(reference: Dataset, lineage: Collection[str], of: str) -> None:
    """Warn where a reference set and what is learned from have games in common, by `lineage`."""
    if not reference.lineage.isdisjoint(lineage):
        note = f"{reference.folder} is made from the games of {of}: models trained on them"
        warnings.warn(
            f"{note} get too good a result; make the reference set from other games", stacklevel=3
        )


def reference_errors(
    reference: Dataset,
    evaluator: Evaluator,
    depths: Sequence[int] = DEPTHS,
    *,
    jobs: int = 1,
    progress: Progress = no_progress,
) -> list[StageError]:
    """Return how far an evaluator is from the scores of a reference set.

    Parameters
    ----------
    reference
        result of `open_reference`; positions without a score count for nothing.
    depths
        depths of the evaluator's searches, without an exact end; 0 for its static scores.
    jobs
        workers.
    progress
        called with the positions that are done, at all depths.

    Raises
    ------
    UserError
        The evaluator is for another game, or a depth is out of range.
    """
    game = reference.game
    evaluator.require_game(game)
    for depth in depths:
        require_number("depth", depth, 0, MOST_DEPTH)
    frame = reference.frame(["score"])
    frame["left"] = left_of(game, reference.positions)
    found = []
    for k, depth in enumerate(dict.fromkeys(depths)):
        before = k * len(frame)
        frame["own"] = _scores(
            reference,
            evaluator,
            depth,
            jobs,
            lambda rows: progress(before + rows),  # noqa: B023
        )
        progress(before + len(frame))
        for _, rows in frame.dropna().groupby("left", sort=True):
            found.append(_error(int(rows["left"].iloc[0]), depth, rows))
    return found


def _scores(
    reference: Dataset, evaluator: Evaluator, depth: int, jobs: int, progress: Progress
) -> NDArray[np.float32]:
    if depth == 0:
        return finite_scores(evaluator, reference.game, reference.positions)
    plan = SelfplayPlan(reference.game.name, evaluator.name, depth, exact_from=0).checked()
    player = SerializedEvaluator(evaluator, reference.game)
    parts = []
    for table in reference.tables():
        blank = with_columns(table, {"exact": np.zeros(len(table), bool)})
        parts.append(searched(blank, plan, player, jobs, progress)["score"].to_numpy())
    return np.concatenate(parts)


def _error(left: int, depth: int, rows: pd.DataFrame) -> StageError:
    own, deep = (rows[name].to_numpy(np.float64) for name in ("own", "score"))
    nothing = float("nan")
    figures: tuple[Any, ...] = (1.0, float(np.std(deep)), nothing)
    if len(rows) < _FEWEST:
        figures = nothing, nothing, nothing
    elif np.ptp(own) > 0 and np.ptp(deep) > 0:
        line = linregress(own, deep)
        rest = deep - (line.intercept + line.slope * own)
        share = float(np.var(rest) / np.var(deep))
        figures = (share, float(np.sqrt(np.mean(rest**2))), float(line.slope))
    return StageError(left, depth, len(rows), *figures)

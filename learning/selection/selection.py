"""Selection of features: ranked on training games, evaluated on held-out ones.

Features are ranked by one of the methods of learning/selection/ranking.py. For each number of
features there is the error of a model staged as the recipe `ridge` is, with the first so many of
the ranking.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold
from threadpoolctl import threadpool_limits

from samuel.common.displayable import Displayable
from samuel.common.errors import UserError, unknown
from samuel.common.options import Argument, Range, Seed, Text, names_in
from samuel.common.public import public
from samuel.features import extract, feature_names, features_named
from samuel.features.terms import Stages
from samuel.games.game import Game
from samuel.games.rows import left_of
from samuel.learning.fitting.metrics import Floats
from samuel.learning.fitting.moments import Design, fitted_weights, mean_by_game, penalized
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.reading import default_features, stage_knots
from samuel.learning.fitting.split import Split, rows_of_games, split_of
from samuel.learning.fitting.training_data import TrainingData
from samuel.learning.selection.ranking import Groups, by_lasso, by_permutation, forward
from samuel.selfplay.data.dataset import Dataset

RANKINGS = ("sequential", "l1", "permutation")
SELECTION_FOLDS = 5
MOST_ROWS = 300_000
"""Rows to choose by, and rows to evaluate on, at the most."""


@dataclass(frozen=True, eq=False, repr=False)
class Selection(Displayable):
    """Ranking of features, with the error of the first one, the first two, and so on.

    Errors are squared errors of the target, in squared units of the game. Standard errors treat
    games, not rows, as independent.

    Attributes
    ----------
    ranking
        Ranking: sequential (adds the feature that lowers the cross-validation error most), l1
        (order in the Lasso), or permutation (loss of boosted trees when a feature is shuffled).
    table
        One row per number of features, which is the index, from 1. `feature` is the feature that
        joins, `columns` its numbers, and `score` the value by which it was ranked: the fall of the
        error, the penalty at which it enters, or the fall of R2 when shuffled. `cv_error`,
        `cv_error_se` and `cv_r2` are over folds of the training games. `behind` and `behind_se` are
        the error minus that of the best number of features, and the standard error of the
        difference. `error`, `error_se` and `r2` are on held-out games.
    recommended
        Smallest number of features, in the order of the ranking, with a `cv_error` within one
        standard error of the lowest (Breiman and others, "Classification and regression trees",
        1984).
    default
        Figures of the features that recipes read by default: `features`, their number, and
        `cv_error`, `cv_error_se`, `cv_r2`, `error`, `error_se` and `r2`, as in the table.
    constant
        Candidates that do not vary over the rows, and are left out.
    rows, held_out_rows
        Numbers of rows of the choice and of the held-out figures.

    Examples
    --------
    >>> import samuel
    >>> selection = samuel.select_features("data/games", most=1)
    >>> selection.held_out_rows > 0
    True
    """

    ranking: str
    table: pd.DataFrame
    recommended: list[str]
    default: dict[str, float]
    constant: list[str]
    rows: int
    held_out_rows: int

    def __repr__(self) -> str:
        names = ", ".join(self.recommended)
        return f"Selection({self.ranking}: {len(self.recommended)} of {len(self.table)}, {names})"


def candidate_names(game: Game) -> list[str]:
    """Return the features to choose from: all of a game's but the board itself, `squares`."""
    names = feature_names(game.name)
    return [name for name in names if name != "squares"] or names


@public
def select_features(
    dataset: Annotated[Split | Dataset | Path | str, Argument()],
    ranking: str = "sequential",
    *,
    candidates: Annotated[Sequence[str] | None, Text(names_in, "mobility,corners")] = None,
    fitting: FitOptions = FitOptions(),
    most: Annotated[int | None, Range(1)] = None,
    rows: Annotated[int, Range(1)] = MOST_ROWS,
    held_out: float = 0.2,
    seed: Seed = 0,
    game: str | None = None,
    progress: Callable[[str], None] = lambda doing: None,
) -> Selection:
    """Rank the features of a game by the error that they remove, and suggest how many to use.

    Parameters
    ----------
    dataset
        Folder of a dataset. In Python also a dataset that is already split (Split). Features are
        chosen by training rows only.
    ranking
        Ranking: sequential (adds the feature that lowers the cross-validation error most), l1
        (order in the Lasso), or permutation (loss of boosted trees when a feature is shuffled).
    candidates
        Features to choose from, joined by commas. By default all except `squares`.
    fitting
        Options of the fits: target, choice of positions, stages.
    most
        Largest number of features to rank. By default all.
    rows
        Largest number of positions to rank by, and of held-out positions to measure on.
    held_out
        Share of games to hold out and measure on.
    seed
        Seed of the split and of the sample of games.
    game
        Game of the dataset. The command fails if the dataset is of another game.
    progress
        Called with a description of the current step.

    Returns
    -------
    Selection
        Ranking of the features with the error after each.

    Raises
    ------
    UserError
        A method or a feature is unknown, no feature varies, or there are too few games.

    Examples
    --------
    >>> import samuel
    >>> samuel.select_features("data/games", most=1)
    Selection(sequential: 1 of 1, ...)
    """
    if ranking not in RANKINGS:
        raise unknown("ranking", ranking, RANKINGS)
    split = split_of(dataset, held_out=held_out, seed=seed, game=game)
    rules = split.game
    names = list(dict.fromkeys(candidate_names(rules) if candidates is None else candidates))
    features_named(names, rules.name)
    data = TrainingData.of_split(split, fitting, Ridge())
    data = data[rows_of_games(data.groups, rows, split.seed)]
    folds = _folds(data.groups)
    progress("reading the features")
    default = default_features(rules)
    reader = _Reader(rules, list(dict.fromkeys([*names, *default])), fitting.stages)
    design = reader.training(data)
    groups = {name: reader.columns_of([name]) for name in names}
    varied = [name for name in names if len(groups[name])]
    if not varied:
        raise UserError(
            f"none of these features varies over the positions: {', '.join(names)}; give other "
            "features"
        )
    with threadpool_limits({"blas": 1}):  # its threads change the last digits
        progress("ranking the features")
        products = np.stack([design.products(folds == f) for f in range(folds.max() + 1)], axis=1)
        if ranking == "permutation":
            scores = by_permutation(split, data, folds == 0, varied)
        else:
            rank = forward if ranking == "sequential" else by_lasso
            scores = rank(products, {name: groups[name] for name in varied})
        chosen = list(scores)[:most]
        progress("evaluating on held-out games")
        others = reader.held_out(split, fitting, rows)
        sets = [reader.columns_of(chosen[: k + 1]) for k in range(len(chosen))]
        curves = _curves(products, design, folds, others, [*sets, reader.columns_of(default)])
    table = _table(curves.iloc[:-1], chosen, scores, groups)
    best = table.iloc[int(np.argmin(table["cv_error"]))]
    enough = int(np.argmax(table["cv_error"] <= best["cv_error"] + best["cv_error_se"]))
    found = {str(key): float(value) for key, value in curves.iloc[-1].items()}
    return Selection(
        ranking=ranking,
        table=table,
        recommended=chosen[: enough + 1],
        default={"features": float(len(default)), **found},
        constant=[name for name in names if name not in varied],
        rows=len(design.game),
        held_out_rows=len(others.game),
    )


def _table(
    curves: pd.DataFrame, ranking: list[str], scores: dict[str, float], groups: Groups
) -> pd.DataFrame:
    table = curves.set_axis(pd.RangeIndex(1, len(ranking) + 1, name="features"))
    table.insert(0, "feature", ranking)
    table.insert(1, "columns", [len(groups[name]) for name in ranking])
    table.insert(2, "score", [scores[name] for name in ranking])
    return table


def _folds(games: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the fold of each row, by whole games."""
    count = len(np.unique(games))
    if count < 2:
        raise UserError("choosing features needs at least 2 training games, better 1,000")
    folds = np.zeros(len(games), np.int64)
    parts = GroupKFold(min(SELECTION_FOLDS, count)).split(games, groups=games)
    for number, (_, rows) in enumerate(parts):
        folds[rows] = number
    return folds


class _Reader:
    """Reads features off positions as designs, all scaled as the training rows ask."""

    def __init__(self, game: Game, names: Sequence[str], stages: int | None) -> None:
        self._game = game
        self._stages = Stages.of(stage_knots(game, stages), game.most_left)
        self._features = features_named(names, game.name)

    def training(self, data: TrainingData) -> Design:
        """Return the design of training rows; they set the scale."""
        matrix = extract(self._features, data.positions)
        self._mean = matrix.mean(axis=0, dtype=np.float64)
        self._deviation = matrix.std(axis=0, dtype=np.float64)
        weight = data.sample_weight
        weight = np.ones(len(data), np.float32) if weight is None else weight
        return self._design(matrix, data.positions, data.y, weight, data.groups)

    def held_out(self, split: Split, fitting: FitOptions, rows: int) -> Design:
        """Return the design of held-out rows."""
        games = split.frame["game_id"].to_numpy()[split.held_out]
        used = rows_of_games(games, rows, split.seed)
        positions, target = split.held_out_positions[used], split.held_out_targets(fitting)[used]
        matrix = extract(self._features, positions)
        return self._design(matrix, positions, target, np.ones(len(used), np.float32), games[used])

    def _design(
        self,
        matrix: NDArray[np.float32],
        positions: NDArray[np.uint64],
        target: NDArray[np.float32],
        weight: NDArray[np.float32],
        games: NDArray[np.int64],
    ) -> Design:
        columns = np.ones((len(matrix), matrix.shape[1] + 2), np.float32)
        deviation = np.where(self._varies(), self._deviation, 1)
        columns[:, 1:-1] = (matrix - np.float32(self._mean)) / np.float32(deviation)
        columns[:, -1] = target
        hats = self._stages.hats(left_of(self._game, positions)).astype(np.float32)
        return Design(columns, hats, weight, np.unique(games, return_inverse=True)[1])

    def _varies(self) -> NDArray[np.bool_]:
        return self._deviation > 1e-9 * (1 + np.abs(self._mean))

    def columns_of(self, names: Sequence[str]) -> NDArray[np.int64]:
        """Return the columns of some features in a design, those that vary."""
        found, start, varies = [], 1, self._varies()
        for feature in self._features:
            after = start + len(feature.columns)
            if feature.name in names:
                found += [k for k in range(start, after) if varies[k - 1]]
            start = after
        return np.array(found, np.int64)


def _curves(
    products: Floats,
    design: Design,
    folds: NDArray[np.int64],
    held_out: Design,
    sets: Sequence[NDArray[np.int64]],
) -> pd.DataFrame:
    """Return the errors of a model with each set of columns, the last one being no candidate."""
    whole = products.sum(axis=1)
    sums = np.zeros((len(sets), design.games))
    for f in range(products.shape[1]):
        rest = penalized(whole - products[:, f])
        sums += design.errors_by_game(np.stack([fitted_weights(rest, s) for s in sets]), folds == f)
    weight = design.weight_by_game()
    best = int(np.argmin(sums[:-1].sum(axis=1)))
    table = pd.DataFrame(index=range(len(sets)))
    table["cv_error"], table["cv_error_se"] = mean_by_game(sums, weight)
    table["cv_r2"] = 1 - table["cv_error"] / design.variance()
    table["behind"], table["behind_se"] = mean_by_game(sums - sums[best], weight)
    weights = np.stack([fitted_weights(penalized(whole), s) for s in sets])
    errors = held_out.errors_by_game(weights, np.ones(len(held_out.game), bool))
    table["error"], table["error_se"] = mean_by_game(errors, held_out.weight_by_game())
    table["r2"] = 1 - table["error"] / held_out.variance()
    return table

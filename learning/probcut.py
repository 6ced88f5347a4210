"""Parameters of Multi-ProbCut, fitted from an evaluator's own searches.

Sampled positions are searched to every depth without selective cuts. For each stage of the game
and each pair of depths of the same parity, a linear model then predicts the deep score from the
shallow one; what remains unexplained is the sigma of the pair.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from joblib import delayed
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression

from samuel.common.errors import UserError, require_workers
from samuel.common.options import Range, Seed
from samuel.common.public import INFERRED, public
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.rows import left_of, possible_rows
from samuel.kernels import budget
from samuel.search import AlphaBeta
from samuel.search.alphabeta.probcut import FIELDS, OFFSET, PAIRS, SHALLOW, SIGMA, SLOPE
from samuel.search.method import think_at_root
from samuel.search.score import SCORE_UNIT
from samuel.selfplay.data.shard import word_columns
from samuel.selfplay.plan import SelfplayPlan, play_task
from samuel.selfplay.workers import run_tasks

STAGES = 20
FIRST_DEEP, LAST_DEEP = 3, 20
"""Depths that are cut; those deeper than was measured have extrapolated parameters."""
POSITIONS = 2000
TABLE_BITS = 17
SOLVED_FROM = 16
"""Squares that remain when a solver of the game's own tells what the deepest searches find."""
_BATCH = 4
"""Positions that a worker searches in one go."""
_PER_GAME = 8
"""Positions wanted of a game: few, as those of one game are alike."""
_OPENING = 4
_ENOUGH = 60
"""Positions that a fit must rest on; a stage with fewer looks farther into its neighbours."""
_SHARE = 0.5
"""Share of a stage's positions that must have both scores."""
_ONE_SIGMA = 0.6827
"""The share of normal errors within one sigma."""
_OUTLIER = 4
_LEAST_SLOPE = 0.1
"""Least slope of a pair that is used; with less, no shallow score could ever suffice."""


@dataclass(frozen=True, eq=False, repr=False)
class ProbCutFit:
    """Result of a fit of ProbCut's parameters."""

    parameters: NDArray[np.float32]  # (stages, depths, pairs, fields), as Evaluator.probcut
    pairs: pd.DataFrame  # a row for each stage and measured pair of depths
    positions: int
    seconds: float
    max_depth: int

    @property
    def about(self) -> dict[str, Any]:
        """Description for the card of a model."""
        return {
            "positions": self.positions,
            "max_depth": self.max_depth,
            "seconds": round(self.seconds, 3),
        }

    @property
    def used(self) -> list[tuple[int, int]]:
        """The measured pairs (deep, shallow) that the search tries, up to the depth asked for."""
        asked = self.pairs[self.pairs["deep"] <= self.max_depth]
        measured = set(zip(asked["deep"].tolist(), asked["shallow"].tolist(), strict=True))
        shallow = self.parameters[..., SHALLOW].astype(int)
        deep = np.broadcast_to(np.arange(shallow.shape[1])[:, None], shallow.shape)
        tried = set(zip(deep[shallow > 0].tolist(), shallow[shallow > 0].tolist(), strict=True))
        return sorted(measured & tried)


def shallow_depths(deep: int) -> list[int]:
    """Return the shallow depths tried for a deep one, the cheaper first."""
    parity = deep & 1
    least = 2 - parity
    near = [max(least, 2 * round((deep * share - parity) / 2) + parity) for share in (0.25, 0.5)]
    return sorted({shallow for shallow in near if shallow < deep})


@public
def fit_probcut(
    evaluator: Evaluator,
    game: Game = INFERRED,
    sample_from: NDArray[np.uint64] | None = None,
    *,
    positions: Annotated[int, Range(1, 10_000_000)] = POSITIONS,
    max_depth: Annotated[int, Range(FIRST_DEEP, LAST_DEEP)] = 10,
    seed: Seed = 0,
    jobs: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> ProbCutFit:
    """Fit the parameters of selective search (ProbCut) for an evaluator.

    The command searches positions to every depth. The parameters describe how well shallow scores
    predict deep scores.

    Parameters
    ----------
    evaluator
        Evaluator whose scores are predicted.
    game
        Game of the evaluator.
    sample_from
        Positions (n, K) to draw from; None for those of fresh self-play.
    positions
        Number of positions to search, spread evenly over the game.
    max_depth
        Largest search depth, in plies. Parameters of deeper searches are extrapolated.
    seed
        Seed of the self-play and of the sample.
    jobs
        Number of workers; -1 for one per core.
    progress
        Called with the number of positions searched.

    Returns
    -------
    ProbCutFit
        Parameters, and how well shallow scores predict deep ones.

    Raises
    ------
    UserError
        A setting is out of range, the game has dice, or too few positions have scores that are not
        proven.
    """
    evaluator.require_game(game)
    if game.chance is not None:
        raise UserError(f"{game.name} has dice, so it is not searched deep enough for ProbCut")
    require_workers(jobs)
    started = time.perf_counter()
    if sample_from is None:
        sample_from = _self_play(evaluator, game, positions, seed)
    sample = _spread(game, sample_from, positions, seed)
    parts = [sample[i : i + _BATCH] for i in range(0, len(sample), _BATCH)]
    calls = (delayed(scores_by_depth)(evaluator, game, part, max_depth) for part in parts)
    scores: list[NDArray[np.float64]] = []
    with contextlib.closing(run_tasks(calls, jobs)) as results:
        for part in results:
            scores.append(part)
            progress(sum(map(len, scores)))
    parameters, pairs = fit_pairs(np.concatenate(scores), left_of(game, sample), game)
    seconds = time.perf_counter() - started
    return ProbCutFit(parameters, pairs, len(sample), seconds, max_depth)


def _self_play(evaluator: Evaluator, game: Game, count: int, seed: int) -> NDArray[np.uint64]:
    # few random moves at the start: the opening is a stage like others
    plies = min(_OPENING, game.defaults.opening_plies)
    plan = SelfplayPlan(
        game.name, depth=2, seed=seed, exact_from=0, epsilon=0.1, opening_plies=plies
    )
    played = play_task(plan.checked(), 0, max(8, count // _PER_GAME), evaluator).to_pandas()
    return np.ascontiguousarray(played[word_columns(game)].to_numpy(np.uint64))


def _spread(game: Game, positions: NDArray[np.uint64], count: int, seed: int) -> NDArray[np.uint64]:
    """Return `count` different positions, as evenly spread over the game as there are any."""
    rows = np.unique(possible_rows(game, positions), axis=0)
    rows = rows[[game.plies_left_in(row) > FIRST_DEEP for row in rows]]
    if len(rows) <= count:
        return rows
    left = left_of(game, rows)
    weight = 1 / np.bincount(left)[left]
    chosen = np.random.default_rng(seed).choice(
        len(rows), count, replace=False, p=weight / weight.sum()
    )
    return rows[chosen]


def scores_by_depth(
    evaluator: Evaluator, game: Game, positions: NDArray[np.uint64], max_depth: int
) -> NDArray[np.float64]:
    """Return the scores (n, LAST_DEEP + 1) of positions (n, K) at each depth, in points.

    A search that sees the end finds the true result, at whatever depth. NaN stands at depths
    that were not searched and where a result is proven in a known number of plies.
    """
    method = AlphaBeta()
    memory = method.new_memory(game, TABLE_BITS, TABLE_BITS)
    searcher = method.searcher(game, evaluator, memory)
    solved = max(max_depth, SOLVED_FROM if game.solver.solve is not None else 0)
    scores = np.full((len(positions), LAST_DEEP + 1), np.nan)
    for row, position in zip(scores, positions, strict=True):
        plies = game.plies_left_in(position)
        ends = plies <= solved
        for depth in [*range(1, min(max_depth + 1, plies)), *([plies] if ends else [])]:
            memory.begin_at(position)
            exact_from = solved if depth == plies else 0
            think_at_root(searcher, depth, exact_from)
            points = memory.last.score
            if memory.counters[budget.INTERRUPTED]:
                raise KeyboardInterrupt
            if abs(points) >= memory.proven:
                break
            row[depth : LAST_DEEP + 1 if depth == plies else depth + 1] = points
    evaluator.check()
    return scores


def fit_pairs(
    scores: NDArray[np.float64], plies_left: NDArray[np.int64], game: Game
) -> tuple[NDArray[np.float32], pd.DataFrame]:
    """Fit the pairs of depths to scores (n, depths) of positions; see ProbCutFit."""
    stages, width = STAGES, (game.most_left + 1) / STAGES
    measured = []
    for stage in range(stages):
        centre = (stage + 0.5) * width - 0.5
        for deep in range(FIRST_DEEP, scores.shape[1]):
            for shallow in range(2 - deep % 2, deep, 2):
                fit = _fit_pair(scores[:, shallow], scores[:, deep], plies_left - centre, width)
                if fit is not None:
                    measured.append({"stage": stage, "deep": deep, "shallow": shallow, **fit})
    if not measured:
        raise UserError(
            f"{len(scores)} positions are too few to fit ProbCut: too few of them have an "
            f"unproven score at depth {FIRST_DEEP}"
        )
    pairs = pd.DataFrame(measured)
    parameters = np.zeros((stages, LAST_DEEP + 1, PAIRS, FIELDS), np.float32)
    for stage in range(stages):
        model = _PairModel(pairs, stage)
        for deep in range(FIRST_DEEP, LAST_DEEP + 1):
            found = [(shallow, *model(deep, shallow)) for shallow in shallow_depths(deep)]
            # the search looks at no pair after one that is missing
            for k, values in enumerate(filter(_is_useful, found)):
                parameters[stage, deep, k, [SHALLOW, SLOPE, OFFSET, SIGMA]] = values
    pairs[["offset", "sigma"]] /= SCORE_UNIT
    bounds = np.arange(game.most_left + 1) * stages // (game.most_left + 1)
    pairs.insert(1, "least", [int(np.searchsorted(bounds, k)) for k in pairs["stage"]])
    pairs.insert(2, "most", [int(np.searchsorted(bounds, k, "right")) - 1 for k in pairs["stage"]])
    return parameters, pairs


def _fit_pair(
    x: NDArray[np.float64], y: NDArray[np.float64], distance: NDArray[Any], width: float
) -> dict[str, float] | None:
    """Fit y = slope * x + offset around a stage; None where too many scores are missing.

    Rows have a normal weight of their distance in plies left. Errors beyond `_OUTLIER` sigmas are
    left out of a second fit. Sigma is what 68 % of all errors stay within.
    """
    known = np.isfinite(x) & np.isfinite(y)
    here = np.abs(distance) <= width
    if known.sum() < _ENOUGH or known[here].sum() <= _SHARE * here.sum():
        return None
    x, y, distance = x[known][:, None], y[known], distance[known]
    reach = width / 2
    while (weight := np.exp(-((distance / reach) ** 2) / 2)).sum() < _ENOUGH:
        reach *= 1.5
    line = LinearRegression().fit(x, y, weight)
    errors = np.abs(y - line.predict(x))
    usual = errors <= _OUTLIER * _sigma(errors, weight)
    line.fit(x[usual], y[usual], weight[usual])
    return {
        "slope": float(line.coef_[0]),
        "offset": float(line.intercept_),
        "sigma": _sigma(np.abs(y - line.predict(x)), weight),
        "r2": float(line.score(x, y, weight)),
        "positions": round(weight.sum()),
    }


def _sigma(errors: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    order = np.argsort(errors)
    within = np.cumsum(weight[order]) / weight.sum()
    return float(errors[order][np.searchsorted(within, _ONE_SIGMA)])


def _is_useful(fit: tuple[float, ...]) -> bool:
    """Return whether shallow scores predict deep ones by (shallow, slope, offset, sigma)."""
    _, slope, _, sigma = fit
    # as they are kept: what is finite in 64 bits may not be in 32
    return bool(
        np.isfinite(np.array(fit, np.float32)).all() and slope >= _LEAST_SLOPE and sigma > 0
    )


class _PairModel:
    """Slope, offset and sigma of any pair of depths at a stage: as measured, or extrapolated.

    With `gap` = deep - shallow: slope - 1 and offset grow in proportion to the gap, and
    log sigma = a + b log(gap) + c log(shallow). Fitted by least squares to the measured pairs.
    No extrapolated sigma is less than a measured one of the same shallow depth.
    """

    def __init__(self, pairs: pd.DataFrame, stage: int) -> None:
        near = (pairs["stage"] - stage).abs()
        rows = pairs[near == near.min()]
        gap = (rows["deep"] - rows["shallow"]).to_numpy(float)
        self.measured = {
            (int(row.deep), int(row.shallow)): (row.slope, row.offset, row.sigma)
            for row in rows.itertuples()
        }
        self.slope = float(gap @ (rows["slope"] - 1)) / float(gap @ gap)
        self.offset = float(gap @ rows["offset"]) / float(gap @ gap)
        columns = np.column_stack([np.ones(len(gap)), np.log(gap), np.log(rows["shallow"])])
        self.sigma = np.linalg.lstsq(columns, np.log(rows["sigma"].clip(lower=1)), rcond=None)[0]

    def __call__(self, deep: int, shallow: int) -> Any:
        if (deep, shallow) in self.measured:
            return self.measured[deep, shallow]
        gap = deep - shallow
        least = max((s for (_, k), (_, _, s) in self.measured.items() if k == shallow), default=0)
        sigma = np.exp(self.sigma @ [1, np.log(gap), np.log(shallow)])
        return 1 + self.slope * gap, self.offset * gap, max(sigma, least)

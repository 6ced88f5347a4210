"""Shapes grown from single squares, as M. Buro's GLEM grows conjunctions of features.

The model is linear in its shapes, a weight a configuration and stage. It starts with the single
squares. Then, again and again, of all shapes that extend one there is (or a single square) by one
square, that is added which explains most of the residuals for each configuration it costs
(learning.growth.sample, learning.growth.candidates); those it contains are dropped, for it says all
that they say. When the configurations have grown by a tenth all weights are fitted anew, and the
model is judged by training games that were set aside. Games held out judge the end alone.

M. Buro, "From simple features to sophisticated evaluation functions", 1998; "Improving heuristic
mini-max search by supervised learning", Artificial Intelligence 134, 2002.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from samuel.errors import UserError, require_number
from samuel.features.shapes import PatternSet, Shape, pattern_set, set_names
from samuel.games.interface import Game
from samuel.learning.fitting.metrics import Metrics, fit_scale
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.recipes import stage_knots
from samuel.learning.fitting.split import Split
from samuel.learning.growth.candidates import single_squares
from samuel.learning.growth.steps import Growing, GrowthStep, Parts, refitted
from samuel.learning.training import measure_on
from samuel.models.patterns.estimators import PatternRegressor
from samuel.shown import Shown

GROWTH_ROWS = 300_000
"""Rows to fit to while shapes are added, by default."""
_BUDGET = 264
"""The budget of a game without a set `tuples2`: its weights on eight squares a side."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A set of shapes, fitted to all training rows and judged on held-out games.

    Attributes
    ----------
    name
        `grown`, or that of the named set.
    estimator
        The fitted PatternRegressor.
    aside_r2
        R2 of the target on training games set aside, after a fit to others, as GrowthStep.r2.
    metrics
        On held-out games.
    """

    name: str
    patterns: PatternSet
    estimator: PatternRegressor
    aside_r2: float
    metrics: Metrics


@dataclass(frozen=True, eq=False, repr=False)
class Growth(Shown):
    """Shapes found, and how.

    Attributes
    ----------
    grown
        The shapes of the step with the best r2.
    references
        Sets of straight lines: `tuples2`, and those within the budget.
    steps
        What was done; the first is the single squares.
    budget, stages
        Configurations allowed, and stages.
    rows, inner_rows, aside_rows, sample_rows
        Training rows; of those the ones fitted to on the way, set aside, and to judge shapes by.
    ended, seconds
        Why the growing ended, and how long it took.
    """

    grown: Judged
    references: tuple[Judged, ...]
    steps: tuple[GrowthStep, ...]
    budget: int
    stages: int
    rows: int
    inner_rows: int
    aside_rows: int
    sample_rows: int
    ended: str
    seconds: float

    def __repr__(self) -> str:
        shapes = self.grown.patterns
        return f"Growth({len(shapes.shapes)} shapes, {shapes.size:,} configurations)"


def grow(
    split: Split,
    *,
    fitting: FitOptions | None = None,
    budget: int | None = None,
    steps: int | None = None,
    seconds: float | None = None,
    rows: int = GROWTH_ROWS,
    n_jobs: int | None = None,
    progress: Callable[[str], None] = lambda doing: None,
) -> Growth:
    """Grow shapes from single squares.

    KeyboardInterrupt while shapes are added ends that, and those found so far are kept; while the
    references are fitted, it leaves out the rest of them.

    Parameters
    ----------
    split
        A dataset divided by game.
    fitting
        Its target, the rows, and how many stages there are.
    budget
        Configurations (PatternSet.size) at most, before symmetries fold them; None for the weights
        of `tuples2` after folding, so that however counted there are no more than there.
    steps, seconds
        Shapes to add, and time to take for it, at most.
    rows
        Rows to fit to on the way, at most: of games drawn at random by the seed of the split.
    progress
        Called with what is being done.

    Raises
    ------
    UserError
        The game has no board of two words, the single squares exceed the budget, no row has such
        a target, or there are too few games.
    """
    fitting, game = fitting or FitOptions(), split.game
    model = PatternRegressor((), game.name, stages=len(stage_knots(game, fitting.stages)))
    model.set_params(n_jobs=n_jobs)
    start = pattern_set(single_squares(game) or "none", game)
    require_number("the budget of weights", budget, 1)
    require_number("steps", steps, 1)
    require_number("seconds", seconds, 1e-9, 1e9)
    require_number("rows", rows, 1)
    budget = budget or (
        pattern_set("tuples2", game).n_weights if "tuples2" in set_names(game) else _BUDGET
    )
    if budget < start.size:
        raise UserError(
            f"the single squares of {game.name} take {start.size} configurations; allow more "
            f"than {budget}"
        )
    parts = Parts.of(split, fitting, rows)
    progress("fitting to single squares")
    began = time.perf_counter()
    growing = Growing(start, parts, model, split.seed)
    ended = growing.run(budget, steps, seconds, progress)
    spent = time.perf_counter() - began
    judged = []
    grown = PatternSet(game.name, growing.best)
    for name, patterns in {"grown": grown, **_references(game, budget)}.items():
        progress(f"fitting {name} to all training rows")
        try:
            judged.append(_judged(name, patterns, model, split, parts, fitting))
        except KeyboardInterrupt:
            if not judged:
                raise
            break
    return Growth(
        grown=judged[0],
        references=tuple(judged[1:]),
        steps=tuple(growing.steps),
        budget=budget,
        stages=model.stages,
        rows=len(parts.whole),
        inner_rows=len(parts.inner),
        aside_rows=len(parts.aside),
        sample_rows=len(growing.sample.target),
        ended=ended,
        seconds=spent,
    )


def shapes_text(shapes: Sequence[Shape], about: str) -> str:
    """Return shapes as the text of a file that `pattern_set` reads, `about` in its first line."""
    lines = [f"{shape.name}: {' '.join(shape.squares)}" for shape in shapes]
    return "\n".join([f"# {about}", *lines]) + "\n"


def _references(game: Game, budget: int) -> dict[str, PatternSet]:
    """Return the sets to compare with."""
    sets = {name: pattern_set(name, game) for name in set_names(game) if name.startswith("tuples")}
    return {name: s for name, s in sets.items() if name == "tuples2" or s.size <= budget}


def _judged(
    name: str,
    patterns: PatternSet,
    model: PatternRegressor,
    split: Split,
    parts: Parts,
    fitting: FitOptions,
) -> Judged:
    """Fit shapes twice: to the inner rows, for the figure to compare steps with, and to all."""
    inner = refitted(model, patterns.shapes, parts.inner)
    aside_r2 = float(inner.score(parts.aside.positions, parts.aside.target))
    estimator = refitted(inner, patterns.shapes, parts.whole)
    scores = estimator.predict(split.dataset.positions[split.calibration])
    scale = fit_scale(scores, split.outcomes[split.calibration])
    targets = split.held_out_targets(fitting)
    metrics = measure_on(split, estimator.predict(split.held_out_positions), scale, targets)
    return Judged(name, patterns, estimator, aside_r2, metrics)

"""Shapes grown from single squares, as M. Buro's GLEM grows conjunctions of features.

The model is linear in its shapes, a weight a configuration and stage. It starts with the single
squares. Then, again and again, of all shapes that extend one there is (or a single square) by one
square, that is added which explains most of the residuals for each configuration it costs
(learning.growth.sample, learning.growth.candidates); those it contains are dropped, for it says all
that they say. When the configurations have grown by a tenth all weights are fitted anew, and the
model is evaluated on training games that were set aside. Held-out games evaluate the end alone.

M. Buro, "From simple features to sophisticated evaluation functions", 1998; "Improving heuristic
mini-max search by supervised learning", Artificial Intelligence 134, 2002.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from samuel.common.displayable import Displayable
from samuel.common.errors import UserError
from samuel.common.options import Also, Argument, Range
from samuel.common.public import public
from samuel.features.shapes import PatternSet, Shape, pattern_set, set_names
from samuel.games.interface import Game
from samuel.learning.fitting.metrics import Metrics, fit_scale
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.reading import stage_knots
from samuel.learning.fitting.split import Split, split_of
from samuel.learning.fitting.training_data import TrainingData
from samuel.learning.growth.candidates import single_squares
from samuel.learning.growth.steps import Growing, GrowthStep, inner_and_aside, refitted
from samuel.learning.training import measure_on
from samuel.models.patterns.estimators import PatternRegressor
from samuel.selfplay.data.dataset import Dataset

GROWTH_ROWS = 300_000
"""Rows to fit to while shapes are added, by default."""
_BUDGET = 264
"""The budget of a game without a set `tuples2`: its weights on eight squares a side."""


@dataclass(frozen=True, eq=False)
class FittedPatterns:
    """A set of shapes, fitted to all training rows and evaluated on held-out games.

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
class Growth(Displayable):
    """Shapes found, and how.

    Attributes
    ----------
    grown
        The shapes of the step with the best r2.
    references
        Sets of straight lines: `tuples2`, and those within the budget.
    steps
        What was done; the first is the single squares.
    fitting, budget, stages
        What was fitted to, configurations allowed, and stages.
    rows, inner_rows, aside_rows, sample_rows
        Training rows; of those the ones fitted to on the way, set aside, and to rate shapes by.
    ended, seconds
        Why the growing ended, and how long it took.
    """

    grown: FittedPatterns
    references: tuple[FittedPatterns, ...]
    steps: tuple[GrowthStep, ...]
    fitting: FitOptions
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


@public
def grow(
    dataset: Annotated[Split | Dataset | Path | str, Argument()],
    *,
    fitting: FitOptions = FitOptions(),
    budget: Annotated[int | None, Range(1), Also("weights")] = None,
    steps: Annotated[int | None, Range(1)] = None,
    seconds: Annotated[float | None, Range(1e-9, 1e9)] = None,
    rows: Annotated[int, Range(1)] = GROWTH_ROWS,
    held_out: float = 0.2,
    seed: int = 0,
    game: str | None = None,
    jobs: Annotated[int, Range(-1, 1024), Also("concurrency"), Also("n_jobs", is_old=True)] = 1,
    progress: Callable[[str], None] = lambda doing: None,
) -> Growth:
    """Grow patterns from single squares: add the square that lowers the error most, repeat.

    Ctrl-C ends the growth and keeps the shapes so far. A second Ctrl-C skips the comparison with
    other sets of patterns.

    Parameters
    ----------
    dataset
        Folder of a dataset. In Python also one that is divided already (Split).
    fitting
        The target, the rows, and the number of stages.
    budget
        Largest number of configurations of all shapes per stage, before symmetry. By default that
        of tuples2 (264 in Othello).
    steps
        Largest number of shapes to add.
    seconds
        Time to add shapes, in seconds.
    rows
        Largest number of positions to fit to while shapes are added.
    held_out
        Share of games to hold out and measure on.
    seed
        Seed of the split and of the sample of games.
    game
        Game of the dataset. The command fails if the dataset is of another.
    jobs
        Number of workers of the fits; -1 for one per core.
    progress
        Called with what is being done.

    Raises
    ------
    UserError
        The game has no board of two words, the single squares exceed the budget, no row has such
        a target, or there are too few games.
    """
    split = split_of(dataset, held_out=held_out, seed=seed, game=game)
    rules, fitting = split.game, split.with_target(fitting)
    model = PatternRegressor((), rules.name, stages=len(stage_knots(rules, fitting.stages)))
    model.set_params(n_jobs=jobs)
    start = pattern_set(single_squares(rules) or "none", rules)
    budget = budget or (
        pattern_set("tuples2", rules).n_weights if "tuples2" in set_names(rules) else _BUDGET
    )
    if budget < start.size:
        raise UserError(
            f"the single squares of {rules.name} alone have {start.size:,} configurations; "
            f"give a budget of at least {start.size:,}"
        )
    whole = TrainingData.of_split(split, fitting, model)
    inner, aside = inner_and_aside(whole, rows, split.seed)
    progress("fitting to single squares")
    began = time.perf_counter()
    growing = Growing(start, inner, aside, model, split.seed)
    ended = growing.run(budget, steps, seconds, progress)
    spent = time.perf_counter() - began
    fitted: list[FittedPatterns] = []
    grown = PatternSet(rules.name, growing.best)
    for name, patterns in {"grown": grown, **_references(rules, budget)}.items():
        progress(f"fitting {name} to all training rows")
        try:  # twice: to the inner rows, for the figure to compare steps with, and to all
            rough = refitted(model, patterns.shapes, inner)
            aside_r2 = float(rough.score(aside.positions, aside.y))
            estimator = refitted(rough, patterns.shapes, whole)
            metrics = _metrics(estimator, split, fitting)
        except KeyboardInterrupt:
            if not fitted:
                raise
            break
        fitted.append(FittedPatterns(name, patterns, estimator, aside_r2, metrics))
    return Growth(
        grown=fitted[0],
        references=tuple(fitted[1:]),
        steps=tuple(growing.steps),
        fitting=fitting,
        budget=budget,
        stages=model.stages,
        rows=len(whole),
        inner_rows=len(inner),
        aside_rows=len(aside),
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


def _metrics(estimator: PatternRegressor, split: Split, fitting: FitOptions) -> Metrics:
    """Return the figures of a fit on held-out games."""
    scores = estimator.predict(split.positions[split.calibration])
    scale = fit_scale(scores, split.outcomes[split.calibration])
    targets = split.held_out_targets(fitting)
    return measure_on(split, estimator.predict(split.held_out_positions), scale, targets)

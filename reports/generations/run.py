"""A run of the generation loop: its strength, what was learned, and its folder."""

from __future__ import annotations

import functools
from pathlib import Path

from samuel.common.displayable import Picture, Table
from samuel.learning.generations.log import AGAINST, GATING, SELFPLAY, TEACH, TRAIN
from samuel.learning.generations.online import generalizer_of
from samuel.learning.generations.run import (
    BASELINES,
    BEST,
    DATA,
    FIRST,
    REPORT,
    SETTINGS,
    STATE,
    Run,
)
from samuel.learning.generations.settings import options_text
from samuel.reports.generations.curve import curve_figure
from samuel.reports.generations.polynomial import POLYNOMIAL, polynomial_figure, polynomial_table
from samuel.reports.generations.tables import (
    STRENGTH,
    gate_table,
    generation_table,
    strength_table,
    verdict,
)
from samuel.reports.html import write_page
from samuel.reports.views import View

_KEPT = {
    SETTINGS: "options of the run",
    STATE: "each finished step with its figures",
    BEST: "best model (a copy)",
    FIRST: "model that the run started from",
    BASELINES: "baselines",
}
_PARTS = {SELFPLAY: DATA, TRAIN: "model", TEACH: "model", GATING: "gate"}


def write_generations(run: Run, path: Path | str | None = None, title: str = "Generations") -> Path:
    """Write a learning run as an HTML page.

    Parameters
    ----------
    run
        Result of `learn`.
    path
        File to write. By default `report.html` in the folder of the run.
    title
        Title of the page.

    Returns
    -------
    Path
        Path of the page.

    Raises
    ------
    UserError
        The page cannot be written.

    Examples
    --------
    >>> import samuel
    >>> options = samuel.LearnOptions(game="tic_tac_toe", games=40, gate_pairs=0, curve_pairs=2)
    >>> run = samuel.learn("runs/learn", options, generations=1)
    >>> samuel.write_generations(run).name
    'report.html'
    """
    return write_page(run.folder / REPORT if path is None else path, run, title=title)


def run_view(run: Run) -> View:
    """Return the strength of the generations, what they learned, and what the folder holds."""
    options, strength, learner = run.options, strength_table(run), generalizer_of(run)
    how = f"{options.model} fitted to those of the last {options.last}"
    if options.is_online:
        how = f"trained by {options.algorithm}"
    about = (
        f"{options.game.replace('_', ' ')}: {options.games:,} games per generation at depth "
        f"{options.selfplay.depth}, {how}, seed {options.seed}."
    )
    parts: list[Table | Picture] = []
    if strength.rows:
        curve = functools.partial(curve_figure, run)
        parts += [Picture(STRENGTH, curve, [_ABOUT_CURVE]), strength]
    if learner is not None and learner.games:
        weights = functools.partial(polynomial_figure, learner)
        parts += [Picture(POLYNOMIAL, weights, [_ABOUT_WEIGHTS]), polynomial_table(learner)]
    parts.append(generation_table(run))
    if options.gate.gate_pairs:
        parts.append(gate_table(run))
    text = options_text(options).strip()
    parts += [_folder_table(run), Table("Options", notes=[text], detail=True)]
    return View("Generations", [about, verdict(run)], parts)


_ABOUT_CURVE = (
    "Bars are 95 % intervals; an arrow marks an interval without an end on that side. The line "
    "connects the promoted models; a hollow mark is a candidate that was not promoted. A triangle "
    "marks a model that won all games (upward: it is at least this strong) or lost all (downward: "
    "at most this strong); the line leaves it out."
)
_ABOUT_WEIGHTS = "Weights of the terms with the greatest correlations, as signed powers of two."


def _folder_table(run: Run) -> Table:
    rows: list[tuple[Path, str]] = [
        (run.folder / name, words) for name, words in _KEPT.items() if (run.folder / name).exists()
    ]
    for generation in range(run.begun + 1):
        for step in run.of(generation):
            part = _PARTS.get(step, step.replace(f"{AGAINST} ", f"{AGAINST}-"))
            rows.append((run.part(generation, part), f"generation {generation}: {step}"))
    note = (
        "The same command continues an interrupted run. With more --generations it continues "
        "from the best model. Any of these models can be the EVALUATOR of other commands."
    )
    return Table("The folder", ["", ""], rows, [note], detail=True)

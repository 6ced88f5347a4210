"""A run of the generation loop as a page that needs nothing else."""

from __future__ import annotations

import os
from pathlib import Path

from markupsafe import Markup

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
from samuel.reports.generations.polynomial import (
    polynomial_figure,
    polynomial_table,
    polynomial_text,
)
from samuel.reports.generations.tables import gate_table, generation_table, strength_table, verdict
from samuel.reports.html import (
    as_html,
    figure_html,
    lead,
    part,
    said,
    section,
    write_html,
)


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
    path = run.folder / REPORT if path is None else Path(path)
    options = run.options
    how = f"{options.model} fitted to those of the last {options.last}"
    if options.is_online:
        how = f"trained by {options.method}"
    done = (
        f"{options.game.replace('_', ' ')}: {options.games:,} games per generation at depth "
        f"{options.selfplay.depth}, {how}, seed {options.seed}."
    )
    parts = [
        lead(done),
        said(verdict(run)),
        _strength_section(run),
        _polynomial_section(run),
        _learning_section(run),
        _gate_section(run),
        _folder_section(run, path.parent),
        section("Options", part("preformatted", options_text(options).strip())),
    ]
    return write_html(path, title, parts)


def _strength_section(run: Run) -> Markup | str:
    """Return the section with the curve; nothing where none was played."""
    figure = curve_figure(run)
    if figure is None:
        return ""
    return section(
        "Strength by generation",
        figure_html(figure, "Elo by generation") + as_html(strength_table(run)),
        f"Each generation plays {run.options.gate.curve_pairs} game pairs against each "
        "baseline: always the same openings, each played twice with colours swapped. Bars "
        "are 95 % intervals; an arrow marks an interval without an end on that side. The "
        "line connects the promoted models; a hollow mark is a candidate that was not "
        "promoted. A triangle marks a model that won all games (upward: it is at least this "
        "strong) or lost all (downward: at most this strong); the line leaves it out. Elo "
        "values against different baselines cannot be compared.",
    )


def _polynomial_section(run: Run) -> Markup | str:
    """Return the section on Samuel's polynomial; nothing of other methods."""
    learner = generalizer_of(run)
    figure = None if learner is None else polynomial_figure(learner)
    if learner is None or figure is None:
        return ""
    return section(
        "The polynomial",
        said(polynomial_text(learner))
        + figure_html(figure, "Weights of the terms by game")
        + as_html(polynomial_table(learner)),
        "Upper picture: weights of the terms that are in use now, as signed powers of two. "
        "Lower picture: every term; red is a positive weight, blue a negative one, grey a "
        "weight of zero, and an empty cell a term in reserve. The table has the columns of "
        "appendix C in Samuel's paper.",
    )


def _learning_section(run: Run) -> Markup:
    return section(
        "Generations",
        as_html(generation_table(run), words=2),
        "Rows is the number of training rows of the candidate. R2 and log loss are measured "
        "on held-out games. These games differ from generation to generation, so the figures "
        "cannot be compared between generations; a warm-started fit has seen some of them. "
        "The star marks the best generation.",
    )


def _gate_section(run: Run) -> Markup | str:
    """Return the section with the tests; nothing where there are none."""
    gate = run.options.gate
    if not gate.gate_pairs:
        return ""
    return section(
        "The gate",
        as_html(gate_table(run), words=2),
        f"The gate is a sequential test of {gate.test}. It ends when the log-likelihood ratio "
        f"(LLR) leaves its bounds, at the latest after {gate.gate_pairs:,} pairs; then the "
        "candidate is promoted if the 95 % interval of its score lies above one half. Score "
        "and Elo of a test that ended early are biased away from even.",
    )


def _folder_section(run: Run, base: Path) -> Markup:
    """Return the section on what lies in the folder, with links relative to the page."""

    def link(place: Path, words: str) -> Markup:
        return part("link", os.path.relpath(place, base), words)

    lines = [
        link(run.folder / SETTINGS, SETTINGS) + ": the options of the run",
        link(run.folder / STATE, STATE) + ": each finished step with its figures",
    ]
    if (run.folder / BEST).is_dir():
        best = run.name_of(run.best_generation)
        lines.append(link(run.folder / BEST, BEST) + f": the model of {best} (a copy)")
    if (run.folder / FIRST).is_dir():
        lines.append(link(run.folder / FIRST, FIRST) + ": the model that the run started from")
    if (run.folder / BASELINES).is_dir():
        lines.append(link(run.folder / BASELINES, BASELINES) + ": the baselines")
    words = {SELFPLAY: (DATA, "games"), TRAIN: ("model", "model"), GATING: ("gate", "gate")}
    words[TEACH] = words[TRAIN]
    for generation in range(run.begun + 1):
        found = [
            words.get(step, (step.replace(f"{AGAINST} ", f"{AGAINST}-"), step))
            for step in run.of(generation)
        ]
        links = Markup(", ").join(link(run.part(generation, part), what) for part, what in found)
        if links:
            lines.append(Markup("generation {}: {}").format(generation, links))
    return section(
        "The folder",
        part("items", lines),
        "The same command continues an interrupted run. With more --generations it continues "
        "from the best model. Any of these models can be the EVALUATOR of other commands.",
    )

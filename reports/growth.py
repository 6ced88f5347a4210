"""Grown shapes as tables, a picture and a page that needs nothing else."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup
from matplotlib.figure import Figure

from samuel.games.interface import Game
from samuel.learning.fitting.split import Split
from samuel.learning.growth.growth import FittedPatterns, Growth
from samuel.reports.boards import board_svg, pattern_figure
from samuel.reports.html import as_html, figure_html, joined, lead, part, section, write_html
from samuel.reports.style import INK, NEUTRAL, legend, line_style, single_axis
from samuel.reports.tables import NOTHING, TextTable

_PATTERNS = 6
"""The strongest configurations shown at each stage, and as many of the most harmful."""
_QUARTERS = (3, 2, 1)
"""Points of the game at which they are shown, in quarters of the squares left."""


def step_table(growth: Growth) -> TextTable:
    """Return the steps as text; a star marks the one whose shapes were taken."""
    headings = ["step", "shape", "replaces", "gain", "size", "weights", "R2"]
    best = max(step.r2 for step in growth.steps if step.r2 is not None)
    rows = []
    for number, step in enumerate(growth.steps):
        star = " *" if step.r2 == best else ""
        rows.append(
            [
                f"{number}{star}",
                "single squares" if step.shape is None else step.shape.name,
                ", ".join(shape.name for shape in step.dropped) or NOTHING,
                NOTHING if step.shape is None else f"{step.gain:.2g}",
                f"{step.size:,}",
                f"{step.n_weights:,}",
                NOTHING if step.r2 is None else f"{step.r2:z.4f}",
            ]
        )
    return TextTable(headings, rows)


def set_table(growth: Growth) -> TextTable:
    """Return the grown shapes and the named sets, and what each is good for."""
    headings = ["shapes", "number", "size", "weights", "instances"]
    headings += ["R2 of target", "R2 of outcome", "log loss"]
    rows = []
    for fitted in (growth.grown, *growth.references):
        patterns, metrics = fitted.patterns, fitted.metrics
        counts = (len(patterns.shapes), patterns.size, patterns.n_weights, len(patterns.instances))
        figures = (metrics["r2_target"], metrics["r2"], metrics["log_loss"])
        rows.append([fitted.name, *(f"{n:,}" for n in counts), *map(_figure, figures)])
    return TextTable(headings, rows)


def _figure(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.4f}"


def verdict(growth: Growth) -> str:
    """Return what came of it, in sentences."""
    text = (
        f"{len(growth.grown.patterns.shapes)} shapes, {_size_of(growth.grown)}: R2 of the target "
        f"on held-out games is {_figure(growth.grown.metrics['r2_target'])}."
    )
    for fitted in dict.fromkeys((*growth.references[:1], *growth.references[-1:])):
        text += f" {fitted.name}, {_size_of(fitted)}: {_figure(fitted.metrics['r2_target'])}."
    return f"{text} Shapes were added until {growth.ended} ({growth.seconds:.0f} s)."


def _size_of(fitted: FittedPatterns) -> str:
    patterns = fitted.patterns
    return f"{patterns.size:,} configurations ({patterns.n_weights:,} weights after folding)"


def growth_figure(growth: Growth) -> Figure:
    """Return R2 on the games set aside against the number of configurations."""
    figure, axis = single_axis()
    points = [(step.size, step.r2) for step in growth.steps if step.r2 is not None]
    axis.plot(*zip(*points, strict=True), **line_style(0), label="grown")
    for number, fitted in enumerate(growth.references, start=1):
        style = line_style(number) | {"linestyle": "", "markersize": 7}
        axis.plot([fitted.patterns.size], [fitted.aside_r2], **style, label=fitted.name)
    for fitted in growth.references[:1]:
        axis.axhline(fitted.aside_r2, color=NEUTRAL, linewidth=1, linestyle=(0, (4, 4)), zorder=0)
    axis.set_xscale("log")
    axis.tick_params(which="minor", length=0, labelsize=8, labelcolor=INK)
    axis.set_xlabel("configurations per stage")
    axis.set_ylabel("R2 of the target (validation games)")
    legend(axis, 1 + len(growth.references))
    return figure


def write_growth(
    path: Path | str, growth: Growth, split: Split, title: str = "Shapes grown"
) -> Path:
    """Write grown shapes, and what they were grown on, as an HTML page, whole or not at all.

    Raises
    ------
    UserError
        The page cannot be written.
    """
    grown = (
        f"{split.game.name.replace('_', ' ')}, {split.dataset.folder.name}: shapes were grown "
        f"on {growth.inner_rows:,} training positions ({growth.sample_rows:,} of them to "
        f"choose shapes) and validated on {growth.aside_rows:,} positions of other training "
        f"games. Then every set was fitted to all {growth.rows:,} training positions with "
        f"{growth.stages} stages and equal penalties, and evaluated on "
        f"{len(split.held_out):,} positions of held-out games."
    )
    parts = [
        lead(grown),
        section(
            "On held-out games",
            as_html(set_table(growth)),
            verdict(growth),
            "Size is the number of configurations of all shapes per stage. There are fewer "
            "weights, because the symmetries of a shape make some configurations equal. An "
            "evaluation adds one weight per instance.",
        ),
        section(
            "R2 against size",
            figure_html(growth_figure(growth), "R2 against the number of configurations"),
            "R2 of the intermediate models on validation games. The sets of straight lines "
            "were fitted to the same positions; the dashed line marks the first of them.",
        ),
        _shape_section(growth, split.game),
        _pattern_section(growth, split.game),
        section(
            "Steps",
            as_html(step_table(growth), words=3),
            "Gain is the additional share of the target's variance that the shape was "
            "expected to explain, on games not used for its table. A shape replaces the "
            "shapes that it contains. R2 is given where all weights were fitted again. The "
            "star marks the chosen shapes.",
        ),
    ]
    return write_html(path, title, parts)


def _shape_section(growth: Growth, game: Game) -> Markup | str:
    if game.shape is None:
        return ""
    gains = {step.shape: step.gain for step in growth.steps}
    patterns = growth.grown.patterns
    boards = [
        board_svg(
            dict.fromkeys(shape.squares, "-"),
            game,
            [
                f"{size:,} configurations",
                f"gain {gains[shape]:.2g}" if shape in gains else "from the start",
            ],
        )
        for shape, size in zip(patterns.shapes, patterns.sizes, strict=True)
    ]
    return section(
        "Shapes",
        part("boards", boards),
        "In the order of growth. Each shape stands for all its images under the symmetries "
        "of the board.",
    )


def _pattern_section(growth: Growth, game: Game) -> Markup | str:
    parts = []
    for quarters in _QUARTERS:
        left = game.most_left * quarters // 4
        drawn = pattern_figure(growth.grown.estimator.weight_table(left), game, _PATTERNS)
        if drawn is not None:
            parts.append(part("titled", f"{left} {game.left_unit}", drawn))
    if not parts:
        return ""
    return section(
        "Strongest configurations",
        joined(parts),
        "Configurations that add most to, or take most from, the score of the side to move "
        "(dark stones), with the number of times they occurred in training. Read the weights "
        "of shapes that share squares together.",
    )

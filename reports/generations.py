"""A run of the generation loop as tables, a curve and a page that needs nothing else."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from arena.statistics import elo_of_score, score_of_elo
from learning.generation_settings import settings_text
from learning.generations import (
    AGAINST,
    BEST,
    DATA,
    FIRST,
    GATING,
    PLAY,
    SETTINGS,
    STATE,
    TRAIN,
    Entry,
    Run,
    yardsticks,
)
from reports.html import picture_of, section, write_html
from reports.style import INK, NEUTRAL, line_style, single_axis
from reports.tables import NOTHING, Table, as_html, cell

_SCORES = (0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999)
_SHIFT = 0.035
"""How far apart, in generations, the intervals of two yardsticks stand."""
_VERDICTS = {
    ("H1", True): "stronger",
    ("H0", False): "not stronger",
    ("continue", True): "stronger, in all pairs",
    ("continue", False): "undecided",
}


def generation_table(run: Run) -> Table:
    """Return the generations as text: their games, what was learned, and what came of it."""
    headings = ["gen.", "played by", "games", "positions", "rows", "R2", "log loss"]
    headings += ["promoted", "time"]
    rows = []
    for row in run.frame().to_dict("records"):
        generation = row["generation"]
        if not generation:
            continue
        rows.append(
            [
                f"{generation}{' *' if generation == run.best_generation else ''}",
                row["player"] or NOTHING,
                *(_whole(row[key]) for key in ("games", "positions", "rows")),
                cell("r2", _known(row["r2"])),
                cell("log_loss", _known(row["log_loss"])),
                {True: "yes", False: "no"}.get(row["promoted"], NOTHING),
                duration(row["seconds"]),
            ]
        )
    return Table(headings, rows)


def gate_table(run: Run) -> Table:
    """Return the matches of the gate as text."""
    headings = ["candidate", "against", "games", "won", "drawn", "lost", "score", "Elo"]
    headings += ["LLR", "verdict"]
    rows = []
    for entry in (e for e in run.log if e["step"] == GATING):
        test = entry["sprt"]
        rows.append(
            [
                run.name_of(entry["generation"]),
                run.name_of(entry["opponent"]),
                *(f"{entry[key]:,}" for key in ("games", "wins", "draws", "losses")),
                score_text(entry),
                _adjusted(test),
                f"{test['llr']:+.2f} ({test['lower']:.2f} to {test['upper']:.2f})",
                _VERDICTS[test["decision"], entry["promoted"]],
            ]
        )
    return Table(headings, rows)


def _adjusted(test: dict[str, Any]) -> str:
    """Return Elo after a sequential test, with its 95 % interval."""
    elo, low, high = (cell("elo", test[f"adjusted_elo{end}"]) for end in ("", "_low", "_high"))
    return f"{elo} ({low} to {high})"


def strength_table(run: Run) -> Table:
    """Return the score of each generation against each yardstick, with 95 % intervals."""
    names = list(yardsticks(run.settings))
    headings = ["generation", *(f"against {title_of(name, run)}" for name in names)]
    rows = []
    for generation in range(max((e["generation"] for e in run.log), default=0) + 1):
        found = [run.of(generation).get(f"{AGAINST} {name}") for name in names]
        if any(found):
            title = str(generation) if generation else f"0: {run.name_of(0)}"
            rows.append([title, *(score_text(match) for match in found)])
    return Table(headings, rows)


def title_of(yardstick: str, run: Run) -> str:
    """Return what a yardstick is called: the first evaluator by its own name."""
    return f"{run.name_of(0)}, the first" if yardstick == FIRST else yardstick


def score_text(match: Entry | None) -> str:
    """Return the score of a match with its 95 % interval."""
    if match is None:
        return NOTHING
    return f"{match['score']:.1%} ({match['score_low']:.1%} to {match['score_high']:.1%})"


def duration(seconds: float) -> str:
    """Return a time in minutes, or in seconds where it is short."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


def _whole(value: Any) -> str:
    known = _known(value)
    return NOTHING if known is None else f"{int(known):,}"


def _known(value: Any) -> Any:
    """Return a figure of the frame, None where it is missing (which pandas may call NaN)."""
    return None if value is None or value != value else value


def verdict(run: Run) -> str:
    """Return what came of it, in sentences."""
    tested = [entry for entry in run.log if entry["step"] == GATING]
    promoted = sum(entry["promoted"] for entry in tested)
    best = run.name_of(run.best_generation)
    text = (
        f"{len(tested)} candidate{'s' * (len(tested) != 1)}, of which {promoted} took the place of "
        f"the best so far, which is now {best}."
    )
    found = {
        title_of(name, run): run.of(run.best_generation).get(f"{AGAINST} {name}")
        for name in yardsticks(run.settings)
    }
    said = [f"{score_text(match)} against {name}" for name, match in found.items() if match]
    if said:
        text += f" It scores {' and '.join(said)}, at depth {run.settings.match_depth}."
    return text


def curve_figure(run: Run) -> Figure | None:
    """Return Elo by generation against each yardstick, with 95 % intervals; None without any.

    The line goes through the promoted; a candidate that was not has a hollow mark. Where every game
    was won, Elo has no upper end: an arrow starts at the lower end of its interval.
    """
    curves = {name: _points(run, name) for name in yardsticks(run.settings)}
    curves = {name: points for name, points in curves.items() if points}
    if not curves:
        return None
    figure, axis = single_axis()
    axis.axhline(0, color=NEUTRAL, linewidth=1, linestyle=(0, (4, 4)), zorder=0)
    for number, (name, points) in enumerate(curves.items()):
        style = line_style(number)
        shift = (number - (len(curves) - 1) / 2) * _SHIFT
        taken = [(n + shift, _height(match)) for n, match in points if not _is_refused(run, n)]
        line = style | {"marker": ""}
        axis.plot(*zip(*taken, strict=True), **line, label=f"against {title_of(name, run)}")
        for generation, match in points:
            hollow = _is_refused(run, generation)
            _draw_point(axis, generation + shift, match, style["color"], hollow)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axis.set_xlabel("generation")
    axis.set_ylabel(f"Elo at depth {run.settings.match_depth}")
    axis.margins(y=0.12)  # for arrows
    low, high = axis.get_ylim()
    axis.set_ylim(min(low, -60), max(high, 60))
    _add_scores(axis)
    axis.legend(
        frameon=False,
        labelcolor=INK,
        fontsize=9,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=len(curves),
    )
    return figure


def _points(run: Run, name: str) -> list[tuple[int, Entry]]:
    """Return the generations and their matches against a yardstick."""
    found = [(e["generation"], e) for e in run.log if e["step"] == f"{AGAINST} {name}"]
    even = {"score": 0.5, "elo": 0.0, "elo_low": 0.0, "elo_high": 0.0}
    return [(0, even), *found] if name == FIRST and found else found


def _height(match: Entry) -> float:
    """Return where a match stands: at its Elo, or at the end of the interval that is finite."""
    if match["elo"] is not None:
        return float(match["elo"])
    return float(match["elo_low"] if match["score"] > 0.5 else match["elo_high"])


def _draw_point(axis: Axes, place: float, match: Entry, colour: str, hollow: bool) -> None:
    """Draw a match: its interval, an arrow where that has no end, and its mark."""
    height = _height(match)
    for key, sign in (("elo_low", -1), ("elo_high", 1)):
        end = match[key]
        if end is not None:
            axis.plot([place, place], [height, end], color=colour, linewidth=1.2, alpha=0.7)
        else:
            axis.annotate(
                "",
                (place, height),
                (0, 26 * sign),
                textcoords="offset points",
                arrowprops={"arrowstyle": "<-", "color": colour, "shrinkA": 0, "shrinkB": 3},
                annotation_clip=False,
            )
    face = "none" if hollow else colour
    axis.plot([place], [height], marker="o", markersize=6, color=colour, markerfacecolor=face)


def _is_refused(run: Run, generation: int) -> bool:
    gate = run.of(generation).get(GATING)
    return gate is not None and not gate["promoted"]


def _add_scores(axis: Axes) -> None:
    """Say on the right what the Elo differences are as scores."""
    other = axis.secondary_yaxis("right")
    low, high = axis.get_ylim()
    shown = [s for s in _SCORES if low <= elo_of_score(s) <= high]
    other.set_yticks([elo_of_score(score) for score in shown])
    other.yaxis.set_major_formatter(
        FuncFormatter(lambda elo, _: f"{100 * score_of_elo(elo):.3g} %")
    )
    other.set_ylabel("score", color=INK)
    other.tick_params(colors=INK, labelsize=9, length=0)
    other.spines["right"].set_visible(False)


def write_generations(path: Path | str, run: Run, title: str = "Generations") -> Path:
    """Write a run as an HTML page, whole or not at all.

    Raises
    ------
    UserError
        It cannot be written.
    """
    settings = run.settings
    test = settings.test
    figure = curve_figure(run)
    about = (
        f"{settings.game.replace('_', ' ')}: {settings.games:,} games a generation at depth "
        f"{settings.depth}, {settings.model} fitted to those of the last {settings.last}, seed "
        f"{settings.seed}."
    )
    parts = [
        f'<p class="soft">{escape(about)}</p>',
        f"<p>{escape(verdict(run))}</p>",
        ""
        if figure is None
        else section(
            "Strength by generation",
            picture_of(figure, "Elo by generation") + as_html(strength_table(run)),
            f"Each generation plays {settings.curve_pairs} pairs of games against each "
            "yardstick, the same openings every time, each opening twice with colours swapped. "
            "The intervals are of 95 %. The line goes through the promoted; a hollow mark is a "
            "candidate that was not. An arrow says that all games were won, so that Elo has no end "
            "on that side. Elo against different opponents is not on one scale.",
        ),
        section(
            "Generations",
            as_html(generation_table(run), words=2),
            "Rows are what the candidate was fitted to. R2 and log loss are against the outcomes "
            "of held-out games, which are other games in every generation: they do not compare "
            "generations. The star marks the best.",
        ),
        section(
            "The gate",
            as_html(gate_table(run), words=2),
            f"A sequential test of {test}: it ends as soon as the log likelihood ratio (LLR) "
            f"leaves its bounds, at the latest after {settings.gate_pairs:,} pairs. Then a "
            "candidate is promoted if the 95 % interval of its score is above one half. The score "
            "of a test that ended early tends to be too far from even; Elo is adjusted for that.",
        ),
        _folder_section(run, Path(path).parent),
        section("Settings", f"<pre>{escape(settings_text(settings).strip())}</pre>"),
    ]
    return write_html(path, title, parts)


def _folder_section(run: Run, base: Path) -> str:
    """Return the section on what lies in the folder, with links relative to the page."""

    def link(place: Path, words: str) -> str:
        return f'<a href="{escape(os.path.relpath(place, base))}">{escape(words)}</a>'

    lines = [
        f"{link(run.folder / SETTINGS, SETTINGS)}: what the run was begun with",
        f"{link(run.folder / STATE, STATE)}: every finished step with its figures",
    ]
    if (run.folder / BEST).is_dir():
        best = run.name_of(run.best_generation)
        lines.append(f"{link(run.folder / BEST, BEST)}: a copy of the model of {best}")
    if (run.folder / FIRST).is_dir():
        lines.append(f"{link(run.folder / FIRST, FIRST)}: the model that the run started from")
    words = {PLAY: (DATA, "games"), TRAIN: ("model", "model"), GATING: ("gate", "gate")}
    for generation in range(max((e["generation"] for e in run.log), default=0) + 1):
        found = [
            words.get(step, (step.replace(f"{AGAINST} ", f"{AGAINST}-"), step))
            for step in run.of(generation)
        ]
        links = ", ".join(link(run.part(generation, part), what) for part, what in found)
        if links:
            lines.append(f"generation {generation}: {links}")
    items = "\n".join(f"<li>{line}</li>" for line in lines)
    return section(
        "The folder",
        f"<ul>\n{items}\n</ul>",
        "Killed at any moment, the same command goes on where it stopped; with more --generations "
        "it goes on from the best. Any model is the EVALUATOR of the other commands.",
    )

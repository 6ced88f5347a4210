"""A bench as tables, and as an HTML page that needs nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from markupsafe import Markup

from samuel.arena.bench_result import BenchResult
from samuel.arena.statistics import mean_with_interval
from samuel.common.units import between, counted, with_unit
from samuel.models import evaluator_names
from samuel.reports.html import as_html, figure_html, lead, part, said, section, write_html
from samuel.reports.tables import MINUS, NOTHING, TextTable, duration, signed
from samuel.reports.tournament import ABOUT_RATINGS, cross_html, rating_figure, remarks

_ABOUT_TIME = (
    "Engines that cannot be told so short a time play at a depth of their own, which their names "
    "tell. The time per move is measured."
)


def leaderboard(result: BenchResult) -> TextTable:
    """Return the players by rating, with the time that each took for a move."""
    ratings, seconds = result.ratings, result.seconds_per_move()
    rows = []
    for place, k in enumerate(ratings.order, start=1):
        name, games = ratings.names[k], int(ratings.games[k])
        rows.append(
            [
                str(place),
                f"{name} (forfeits)" if name in result.forfeiting else name,
                signed(float(ratings.elo[k])),
                between(float(ratings.low[k]), float(ratings.high[k])).replace("-", MINUS),
                f"{games:,}",
                f"{ratings.score[k]:.1%}" if games else NOTHING,
                duration(seconds[name]) if name in seconds else NOTHING,
            ]
        )
    headings = ["", "player", "Elo", "95 % interval", "games", "score", "time per move"]
    return TextTable(headings, rows)


def state_of(result: BenchResult) -> str:
    """Return how far a bench is, and who was left out, in sentences."""
    out = [f"{name} {reason}, and plays no more." for name, reason in result.forfeiting.items()]
    wide = [name for name in result.uncertain if name not in result.forfeiting]
    of = len(result.ratings.names) - len(out)
    known = f"{of - len(wide)} of {of}" if wide else "All"
    said = f"{known} ratings are known to {result.error:g} Elo or better"
    missing = f", not yet {', '.join(wide)}" if 0 < len(wide) < of else ""
    return " ".join([f"{said}{missing}.", *out])


def margin_table(result: BenchResult) -> TextTable:
    """Return the mean result of each pairing, by the places of the players."""
    order = [result.ratings.names[k] for k in result.ratings.order]
    cells: dict[tuple[str, str], str] = {}
    for (first, second), results in result.meetings().items():
        for who, other, sign in ((first, second, 1), (second, first, -1)):
            mean = mean_with_interval(sign * results, result.game.max_utility)
            ends = f"{signed(mean.low, 2)} to {signed(mean.high, 2)}"
            cells[who, other] = f"{signed(mean.mean, 2)}\n{ends}"
    rows = [
        [str(place), who, *(cells.get((who, other), "") for other in order)]
        for place, who in enumerate(order, start=1)
    ]
    places = [str(place + 1) for place in range(len(order))]
    return TextTable(["", "player", *places], rows)


def player_table(result: BenchResult) -> TextTable:
    """Return what each player is."""
    about, rows = evaluator_names(result.game), []
    for place, k in enumerate(result.ratings.order, start=1):
        name = result.ratings.names[k]
        source = result.sources.get(name, name).removeprefix(f"{name}=")
        version = result.field.versions.get(name, "")
        rows.append([str(place), name, about.get(source, source), version])
    return TextTable(["", "player", "evaluator, or address of the engine", "version"], rows)


def write_bench_page(path: Path | str, result: BenchResult) -> Path:
    """Write a bench as an HTML page, whole or not at all."""
    title = f"{result.game.defaults.title or result.game.name}: who plays best?"
    ratings, engines = result.ratings, result.standings.engines
    parts = [
        lead(f"{result.standings.about} {state_of(result)}"),
        section(
            "Leaderboard",
            as_html(leaderboard(result), words=2)
            + figure_html(rating_figure(ratings), "Ratings with their intervals")
            + said(*remarks(ratings)[:2], ABOUT_RATINGS, *[_ABOUT_TIME] * bool(engines)),
        ),
        section(
            "Cross table",
            cross_html(ratings, result.standings.games, alone=True),
            "The numbered columns show each player's result against the player in that place: "
            "share of the points, then wins, draws and losses. Pairings that say little were "
            "played seldom, or never.",
        ),
        _margin_section(result),
        section("Players", as_html(player_table(result), words=4)),
        _missing_section(result),
        _machine_section(result.as_dict()),
        section(
            "Play it again",
            part("preformatted", result.command),
            "The command continues in its folder, and takes in players that were installed "
            "since. In another folder (--out) it starts again.",
        ),
    ]
    return write_html(path, title, parts)


def _margin_section(result: BenchResult) -> Markup | str:
    if not result.has_margins:
        return ""
    unit = with_unit(result.game.unit, " in {}")
    drawn = {
        (i, 2 + j): part("result_cell", *text.split("\n"), "transparent")
        for i, row in enumerate(margin_table(result).rows)
        for j, text in enumerate(row[2:])
        if text
    }
    return section(
        "Mean results",
        as_html(margin_table(result), words=2, drawn=drawn),
        f"Mean result of a game{unit}, and its 95 % interval, against the player in that place.",
    )


def _missing_section(result: BenchResult) -> Markup | str:
    missing = result.field.missing
    if not missing:
        return ""
    rows = [["", one.name, one.install, one.reason] for one in missing]
    return section(
        "Not measured",
        as_html(
            TextTable(["", "program", "what installs it", "why it did not play"], rows), words=4
        ),
        f"{counted(len(missing), 'program')} that samuel knows for this game did not play.",
    )


def _machine_section(told: dict[str, Any]) -> Markup:
    machine, versions = told["machine"], told["machine"]["versions"]
    rows = [
        ["processor", f"{machine['processor']}, {machine['cores']} cores"],
        ["system", machine["system"]],
        ["Python", machine["python"]],
        *([name, version or "from sources"] for name, version in versions.items()),
        ["date of the page", told["date"]],
    ]
    return section("Machine and versions", as_html(TextTable(["", ""], rows), words=2))

"""A bench as tables."""

from __future__ import annotations

from typing import Any

from samuel.arena.bench_result import BenchResult
from samuel.arena.statistics import mean_with_interval
from samuel.common.displayable import Picture, Table, between, with_unit
from samuel.models import evaluator_names
from samuel.reports.tournament import cross_table, rating_picture, standings_table
from samuel.reports.views import View, folded

_ABOUT_TIME = (
    "Engines that do not support so short a time search to a fixed depth, which their names show. "
    "The time per move is measured."
)


def bench_view(result: BenchResult) -> View:
    """Return a bench: who plays best, against whom, and how to play it again."""
    ratings = result.ratings
    parts: list[Table | Picture] = [
        standings_table(ratings, result.seconds_per_move()),
        rating_picture(ratings),
        cross_table(ratings, result.games),
        *[_margin_table(result)] * result.has_margins,
        _player_table(result),
        *[_missing_table(result)] * bool(result.field.missing),
        _machine_table(result.as_dict()),
        Table(
            "Play it again",
            notes=[
                folded(result.command),
                "The command continues in its folder, and takes in players that were installed "
                "since. In another folder (--out) it starts again.",
            ],
            detail=True,
        ),
    ]
    title = f"{result.game.defaults.title or result.game.name}: who plays best?"
    lines = [f"{result.about} {_state_of(result)}", _ABOUT_TIME * bool(result.engines)]
    return View(title, lines, parts)


def _state_of(result: BenchResult) -> str:
    """Return how far a bench is, and who was left out, in sentences."""
    out = [f"{name} {reason}, and plays no more." for name, reason in result.forfeiting.items()]
    wide = [name for name in result.uncertain if name not in result.forfeiting]
    of = len(result.ratings.names) - len(out)
    known = f"{of - len(wide)} of {of}" if wide else "All"
    said = f"{known} ratings are known to {result.error:g} Elo or better"
    missing = f", not yet {', '.join(wide)}" if 0 < len(wide) < of else ""
    return " ".join([f"{said}{missing}.", *out])


def _margin_table(result: BenchResult) -> Table:
    """Return the mean result of each pairing, by the places of the players."""
    order = [result.ratings.names[k] for k in result.ratings.order]
    cells: dict[tuple[str, str], str] = {}
    for (first, second), results in result.meetings().items():
        for who, other, sign in ((first, second, 1), (second, first, -1)):
            mean = mean_with_interval(sign * results, result.game.scores.max_utility)
            cells[who, other] = f"{mean.mean:+z.2f}\n{between(mean.low, mean.high, 2)}"
    rows = [
        [str(place), who, *(cells.get((who, other), "") for other in order)]
        for place, who in enumerate(order, start=1)
    ]
    unit = with_unit(result.game.scores.unit, " in {}")
    note = f"Mean result of a game{unit} against the player in that place, and its 95 % interval."
    columns = ["", "player", *(row[0] for row in rows)]
    return Table("Mean results", columns, rows, [note], detail=True)


def _player_table(result: BenchResult) -> Table:
    about, rows = evaluator_names(result.game), []
    for k in result.ratings.order:
        name = result.ratings.names[k]
        source = result.sources.get(name, name).removeprefix(f"{name}=")
        rows.append([name, about.get(source, source), result.field.versions.get(name, "")])
    columns = ["player", "evaluator, or address of the engine", "version"]
    return Table("Players", columns, rows, detail=True)


def _missing_table(result: BenchResult) -> Table:
    rows = [[one.name, one.install, one.reason] for one in result.field.missing]
    return Table("Not measured", ["program", "what installs it", "why it did not play"], rows)


def _machine_table(told: dict[str, Any]) -> Table:
    machine, versions = told["machine"], told["machine"]["versions"]
    rows = [
        ["processor", f"{machine['processor']}, {machine['cores']} cores"],
        ["system", machine["system"]],
        ["Python", machine["python"]],
        *([name, version or "from sources"] for name, version in versions.items()),
        ["date of the page", told["date"]],
    ]
    return Table("Machine and versions", ["", ""], rows, detail=True)

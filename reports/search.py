"""View of a search; what draws pages is not imported here, so that a search soon begins."""

from __future__ import annotations

from samuel.common.displayable import NOTHING, Table, short, with_unit
from samuel.games.position import Position
from samuel.reports.views import View
from samuel.search.result import Result
from samuel.search.wdl import Chances

_CHANCES = "win {:.0f} %, draw {:.0f} %, loss {:.0f} %"


def search_view(
    result: Result,
    position: Position | None = None,
    probcut: float | None = None,
    chances: Chances | None = None,
) -> View:
    """Return what a search found, and the score of each move."""
    unit = "" if position is None else with_unit(position.game.scores.unit)
    names = _names(result.pv, position)
    kind = "exact" if result.exact else f"depth {result.depth}"
    kind += f", selective at {probcut:g} sigma" if probcut and not result.exact else ""
    speed = short(result.nodes / max(result.seconds, 1e-9))
    found = [
        [
            "best move",
            _names([result.move], position)[0] if result.move else _without_move(position),
        ],
        ["score", f"{result.score:+z.3f}{unit} ({kind})"],
        *([["chances", _CHANCES.format(*(100 * chance for chance in chances))]] if chances else []),
        ["line", " ".join(names) or NOTHING],
        ["nodes", f"{result.nodes:,} in {result.seconds:.3f} s ({speed} per second)"],
    ]
    margins = result.margins or {}
    rows = [
        [
            _names([move], position)[0],
            f"{score:+z.2f}" + (f" \u00b1{margins[move]:.2f}" if move in margins else ""),
        ]
        for move, score in (result.moves or {}).items()
    ]
    title = "All moves" if result.margins else f"All moves (depth {result.moves_depth})"
    moves = [Table(title, ["move", "score"], rows)] * bool(rows)
    return View("Search", (), [Table("", ("", ""), found), *moves])


def _names(moves: list[str], position: Position | None) -> list[str]:
    return moves if position is None else position.names_of(moves)


def _without_move(position: Position | None) -> str:
    if position is not None and position.is_chance:
        throws = " ".join(name for name, _ in position.outcomes()[:3])
        return f"none: chance is to move; add a throw to --moves or --position: {throws} ..."
    return "none: the game is over"

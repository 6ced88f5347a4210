"""`samuel models rote` and `samuel models endings`: files of positions whose scores are known."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import busy, emit, print_table, summary
from samuel.cli.subcommands import subcommand
from samuel.common.options import Argument, Range

if TYPE_CHECKING:
    from rich.console import Console

_MOST_GROUPS = 8
"""Rows of a table of many values, which are then joined to ranges of one length."""


@subcommand(doing="reading")
def rote(*, file: Annotated[str, Argument()], game: str | None = None, json: bool = False) -> None:
    """Show a store of rote learning: number, depths, ages and source of its positions.

    Example: samuel models rote runs/rote/best.rote

    Parameters
    ----------
    file
        File of stored positions.
    """
    from samuel.games import game_named
    from samuel.models.rote.store import load_store

    store = load_store(file, game_named(game) if game else None)
    known = store.entries
    columns = {"depths": known.depths, "ages": known.ages, "plies": known.plies}
    content = {
        "game": store.game.name,
        "name": store.name,
        "positions": len(store),
        "capacity": store.capacity,
        "age_limit": store.age_limit,
        "games": store.games,
        "bytes": os.path.getsize(file),
        **{name: _counts(column) for name, column in columns.items()},
    }
    emit(content, json, lambda console: _show(file, content, console))


def _counts(column: Any) -> dict[int, int]:
    """Return how often each value stands in a column."""
    import numpy as np

    values, counts = np.unique(column, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def _show(file: str, content: dict[str, Any], console: Console) -> None:
    from samuel.reports.tables import TextTable

    known = {
        "game": content["game"],
        "positions": f"{content['positions']:,} of at most {content['capacity']:,}",
        "games": f"{content['games']:,}",
        "forgotten": f"at age {content['age_limit']:,}, in merges",
        "size": f"{content['bytes']:,} bytes",
    }
    console.print(summary(file, known))
    for title, name in (("Depth", "depths"), ("Age", "ages"), ("Ply", "plies")):
        if content[name]:
            rows = [[label, f"{count:,}"] for label, count in _grouped(content[name]).items()]
            print_table(f"By {title.lower()}", TextTable([title, "positions"], rows), console)


def _grouped(counts: dict[int, int]) -> dict[str, int]:
    """Return counts of values or, where there are many, of ranges of values."""
    low, high = min(counts), max(counts)
    width = -(-(high - low + 1) // _MOST_GROUPS)
    found: dict[str, int] = {}
    for value, count in sorted(counts.items()):
        first = low + (value - low) // width * width
        last = min(first + width - 1, high)
        label = f"{first}" if first == last else f"{first} to {last}"
        found[label] = found.get(label, 0) + count
    return found


@subcommand(doing="solving")
def endings(
    *,
    out: str,
    pieces: Annotated[int | None, Range(2)] = None,
    game: str = "checkers",
    json: bool = False,
) -> None:
    """Solve all positions with few pieces and write an endgame table.

    The table is computed backwards from the ends of games. To use it, write EVALUATOR+FILE as the
    name of an evaluator.

    Example: samuel models endings --game checkers --pieces 4 --out checkers.endings

    Example: samuel models endings --game backgammon --out backgammon.endings

    Parameters
    ----------
    out
        File to write.
    pieces
        Largest number of pieces. In checkers, of both sides together, by default 4; each further
        piece takes 30 times as long. In backgammon, of a side that has all checkers at home, by
        default 15.
    game
        Game: a name, or a Python file that registers one.
    """
    from samuel.common.errors import UserError
    from samuel.games import game_named
    from samuel.games.endings import save_endings, solver_of

    rules = game_named(game)
    solver = solver_of(rules)
    pieces = solver.PIECES if pieces is None else pieces
    if pieces > solver.MOST_PIECES:
        raise UserError(f"pieces must be at most {solver.MOST_PIECES} (got {pieces})")
    began = time.perf_counter()
    with busy("solving") as say:
        tables = solver.solve(pieces, say)
        save_endings(out, rules, tables)
    content = {
        "pieces": pieces,
        "positions": solver.count(tables),
        "seconds": round(time.perf_counter() - began, 3),
        "out": out,
    }
    said = f"{content['positions']:,} positions solved in {out} ({content['seconds']:.1f} s)"
    emit(content, json, lambda console: console.print(said))

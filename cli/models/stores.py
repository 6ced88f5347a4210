"""`samuel models rote`: a file of positions whose scores are known."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import emit, print_table, summary
from samuel.cli.options import subcommand
from samuel.common.displayable import Table
from samuel.common.options import Argument

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
    known = {
        "game": content["game"],
        "positions": f"{content['positions']:,} of at most {content['capacity']:,}",
        "games": f"{content['games']:,}",
        "forgotten": f"at age {content['age_limit']:,}, in merges",
        "size": f"{content['bytes']:,} bytes",
    }
    print_table(summary(file, known), console)
    for title, name in (("Depth", "depths"), ("Age", "ages"), ("Ply", "plies")):
        if content[name]:
            rows = [[label, f"{count:,}"] for label, count in _grouped(content[name]).items()]
            print_table(Table(f"By {title.lower()}", [title, "positions"], rows), console)


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

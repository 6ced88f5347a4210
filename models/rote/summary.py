"""A store of rote learning in numbers."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np

from samuel.common.displayable import Displayable, Table
from samuel.common.options import Argument
from samuel.games.catalog import game_named
from samuel.models.rote.store import load_store

_MOST_GROUPS = 8
"""Rows of a table of many values, which are then joined to ranges of one length."""


@dataclass(frozen=True)
class StoreSummary(Displayable):
    """Numbers of positions of a store of rote learning, by depth, age and ply."""

    game: str
    name: str
    positions: int
    capacity: int
    age_limit: int
    games: int
    bytes: int
    depths: dict[int, int]
    ages: dict[int, int]
    plies: dict[int, int]

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as `samuel models rote --json` prints them."""
        return asdict(self)

    def tables(self) -> list[Table]:
        """Return the figures, and the positions by depth, age and ply."""
        about = [
            ["game", self.game],
            ["positions", f"{self.positions:,} of at most {self.capacity:,}"],
            ["games", f"{self.games:,}"],
            ["forgotten", f"at age {self.age_limit:,}, in merges"],
            ["size", f"{self.bytes:,} bytes"],
        ]
        found = [Table(self.name, ("", ""), about)]
        for title, counts in (("Depth", self.depths), ("Age", self.ages), ("Ply", self.plies)):
            rows = [[label, f"{count:,}"] for label, count in _grouped(counts).items()]
            found += [Table(f"By {title.lower()}", [title, "positions"], rows)] * bool(rows)
        return found


def describe_store(file: Annotated[str, Argument()], *, game: str | None = None) -> StoreSummary:
    """Show a store of rote learning: number, depths, ages and source of its positions.

    Parameters
    ----------
    file
        File of stored positions.
    game
        Game of the store. The command fails if the store is of another game.

    Returns
    -------
    StoreSummary
        Numbers of positions.

    Raises
    ------
    UserError
        The file is missing or damaged, or of another game.
    """
    store = load_store(file, game_named(game) if game else None)
    known = store.entries
    return StoreSummary(
        game=store.game.name,
        name=store.name,
        positions=len(store),
        capacity=store.capacity,
        age_limit=store.age_limit,
        games=store.games,
        bytes=os.path.getsize(file),
        depths=_counts(known.depths),
        ages=_counts(known.ages),
        plies=_counts(known.plies),
    )


def _counts(column: Any) -> dict[int, int]:
    values, counts = np.unique(column, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def _grouped(counts: dict[int, int]) -> dict[str, int]:
    """Return counts of values or, where there are many, of ranges of values."""
    low, high = min(counts, default=0), max(counts, default=0)
    width = -(-(high - low + 1) // _MOST_GROUPS)
    found: dict[str, int] = {}
    for value, count in sorted(counts.items()):
        first = low + (value - low) // width * width
        last = min(first + width - 1, high)
        label = f"{first}" if first == last else f"{first} to {last}"
        found[label] = found.get(label, 0) + count
    return found

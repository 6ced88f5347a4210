"""Number of leaves of a game tree as a result, by which rules are tested."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from samuel.common.displayable import Displayable, Table
from samuel.common.options import Range
from samuel.common.public import public
from samuel.games import perft
from samuel.games.catalog import game_named
from samuel.games.game import Game
from samuel.games.position import Position


@dataclass(frozen=True)
class LeafCounts(Displayable):
    """Number of leaves of a game tree, and those below each move."""

    leaves: int
    seconds: float
    moves: dict[str, int] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as `samuel perft --json` prints them."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def tables(self) -> list[Table]:
        """Return the number of leaves, and those below each move."""
        rows = [[move, f"{count:,}"] for move, count in (self.moves or {}).items()]
        found = [["leaves", f"{self.leaves:,}"], ["seconds", f"{self.seconds:.4f}"]]
        of_moves = [Table("Moves", ["move", "leaves"], rows)] * bool(rows)
        return [Table("", ("", ""), found), *of_moves]


@public
def count_leaves(
    *,
    depth: Annotated[int, Range(1, perft.MOST_DEPTH)] = 9,
    position: Position | str | None = None,
    divide: bool = False,
    game: Game | str | None = None,
    progress: Callable[[str], None] = lambda said: None,
) -> LeafCounts:
    """Count the leaves of the full game tree, to test the rules of a game.

    In Othello a game that ends before the depth is a leaf. In all other games only sequences of
    exactly this length count.

    Parameters
    ----------
    depth
        Depth in plies. A pass counts as a ply, a roll of dice does not.
    position
        Position to count from, as text. By default the initial position.
    divide
        Show the count of each move.
    game
        Game: a name, or a Python file that registers one. Default: Othello.
    progress
        Called with a text whenever a move is counted.

    Returns
    -------
    LeafCounts
        Number of leaves, the time, and the number below each move.

    Raises
    ------
    UserError
        There is no such game or position.

    Examples
    --------
    >>> import samuel
    >>> samuel.count_leaves(depth=4).leaves
    244
    """
    if not isinstance(position, Position):
        rules = game if isinstance(game, Game) else game_named(game or "othello")
        position = Position.parse(position, rules) if position else Position.start(rules)
    of = len(position.outcomes() or position.legal_moves())
    perft.divide(position, 1)  # compiles, or loads, what is timed
    began = time.perf_counter()
    counts = perft.divide(position, depth, lambda done: progress(f"counting, move {done} of {of}"))
    leaves = sum(counts.values()) if counts else perft.perft(position, depth)
    seconds = round(time.perf_counter() - began, 4)
    return LeafCounts(leaves, seconds, counts if divide else None)

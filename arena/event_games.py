"""Games of a match or tournament, as a list, or one of them as boards."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pandas as pd

from samuel.arena.journal import game_of_event, read_event, read_journal
from samuel.arena.records import read_games
from samuel.arena.standings import read_match
from samuel.common.displayable import Displayable, Table, counted
from samuel.common.errors import UserError, unknown
from samuel.common.options import Argument, Range
from samuel.common.public import public
from samuel.games.game import Game
from samuel.games.position import Position

FAULTS = "faults"
_MOVES = 24
"""Characters of a game's moves in the list."""
_WIDTH = 100
"""Characters of boards side by side."""


@dataclass(frozen=True)
class EventGames(Displayable):
    """Games of an event, of which the first are listed."""

    frame: pd.DataFrame
    limit: int

    def as_dict(self) -> dict[str, Any]:
        """Return the games as `samuel games --json` prints them."""
        return {"games": self.frame.to_dict("records")}

    def tables(self) -> list[Table]:
        """Return the first games, with the first of their moves."""
        rows, title = [], counted(len(self.frame), "game")
        for row in self.frame.head(self.limit).to_dict("records"):
            ending = f"{row['ending']}: {row['fault']}" if row["fault"] else row["ending"]
            moves = row["moves"][:_MOVES] + "..." * (len(row["moves"]) > _MOVES)
            names = (str(row["number"]), row["first"], row["second"])
            rows.append([*names, f"{row['result']:+zg}", ending, moves])
        if not rows:
            return [Table(title, notes=[title])]
        more = len(self.frame) - len(rows)
        note = f"{more} more games; use --limit to list more, --number N to show one"
        columns = ["number", "first", "second", "result", "ending", "moves"]
        return [Table(title, columns, rows, [note] * (more > 0))]


@dataclass(frozen=True)
class EventGame(Displayable):
    """A game of an event."""

    game: Game
    row: Mapping[str, Any]
    every: int

    def as_dict(self) -> dict[str, Any]:
        """Return the row of the game as `samuel games --json` prints it."""
        return dict(self.row)

    def tables(self) -> list[Table]:
        """Return who played, boards side by side, `every` plies apart, and the moves."""
        row, positions = self.row, _positions(self.game, self.row["moves"])
        note = f", {row['note']}" if row["note"] else ""
        about = (
            f"{row['first']} against {row['second']}: {row['result']:+zg} for {row['first']} "
            f"({row['ending']}{note})"
        )
        plies = range(len(positions))
        opening = int(row["opening_plies"])
        boards = [
            f"ply {ply}{' (opening)' * (ply == opening)}\n{positions[ply]}\n"
            for ply in sorted({*plies[:: self.every], *plies[-1:]} | ({opening} & {*plies}))
        ]
        return [Table(f"Game {row['number']}", notes=[about, _side_by_side(boards), row["moves"]])]


@public
def event_games(
    folder: Annotated[str, Argument()],
    *,
    number: Annotated[int | None, Range(1)] = None,
    every: Annotated[int, Range(1)] = 10,
    only: str | None = None,
    limit: Annotated[int, Range(1)] = 40,
) -> EventGames | EventGame:
    """List the games of a match or tournament, or show one as boards.

    Parameters
    ----------
    folder
        Folder of a match or tournament (its --out).
    number
        Number of the game to show as boards. Without it, games are listed.
    every
        Number of plies from one board to the next.
    only
        Name of a player whose games are listed, or `faults` for games that were not played to the
        end.
    limit
        Number of rows of the list.

    Returns
    -------
    EventGames | EventGame
        Games as a data frame, or one game.

    Raises
    ------
    UserError
        The folder has no event, or not that game or player.

    Examples
    --------
    >>> import samuel
    >>> match = samuel.match("classic", "zero", game="tic_tac_toe", depth=1, pairs=2, out="m")
    >>> len(samuel.event_games("m").frame)
    4
    """
    frame = read_games(folder)
    _warn_of_more(folder, 2 * len(frame.drop_duplicates(["pairing", "pair"])))
    frame.insert(0, "number", range(1, len(frame) + 1))
    if number is not None:
        if number > len(frame):
            games = counted(len(frame), "game")
            raise UserError(f"{folder} contains {games}; game {number} does not exist")
        row = {str(name): value for name, value in frame.iloc[number - 1].items()}
        return EventGame(game_of_event(folder, read_event(folder)), row, every)
    if only == FAULTS:
        frame = frame[frame["fault"] != ""]
    elif only is not None:
        names = sorted({*frame["first"], *frame["second"]})
        if only not in names:
            raise unknown("player", only, [*names, FAULTS], of=folder)
        frame = frame[(frame["first"] == only) | (frame["second"] == only)]
    return EventGames(frame, limit)


def _warn_of_more(folder: str, games: int) -> None:
    """Say so where the journal has games that the last run did not come to count, or never will."""
    event, pairs = read_journal(folder)
    further = 2 * len(pairs) - games
    if further <= 0:
        return
    state = read_match(folder).state if event["kind"] == "match" else None
    if state is None or state.decision == "continue":
        said = "are kept; the command that played them counts them when it is run again"
    else:
        said = "were in play when the test ended, and are not counted"
    warnings.warn(f"{further} more games in {folder} {said}", stacklevel=2)


def _positions(game: Game, moves: str) -> list[Position]:
    """Return the positions of a game, passes filled in; it may begin with one and a colon."""
    start, _, moves = moves.rpartition(": ")
    position = Position.parse(start, game) if start else Position.start(game)
    return [position, *(after for _, after in position.along(moves))]


def _side_by_side(boards: Sequence[str]) -> str:
    lines = [board.splitlines() for board in boards]
    width = 4 + max(len(line) for board in lines for line in board)
    n = max(1, _WIDTH // width)
    rows = [lines[k : k + n] for k in range(0, len(lines), n)]
    return "\n".join(
        "".join(f"{line:{width}}" for line in texts).rstrip()
        for row in rows
        for texts in itertools.zip_longest(*row, [""], fillvalue="")
    )

"""`samuel games`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import emit, print_table
from samuel.cli.events import write_event_page
from samuel.cli.options import subcommand
from samuel.common.displayable import Table
from samuel.common.options import Argument, Range
from samuel.common.units import counted

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from samuel.games import Game, Position

_MOVES = 24
"""Characters of a game's moves in the list."""


@subcommand(doing="reading games")
def run(
    *,
    folder: Annotated[str, Argument()],
    number: Annotated[int | None, Range(1)] = None,
    every: Annotated[int, Range(1)] = 10,
    only: str | None = None,
    limit: Annotated[int, Range(1)] = 40,
    report: str | None = None,
    json: bool = False,
) -> None:
    """List the games of a match or tournament, or show one as boards.

    Example: samuel games runs/new-old --number 7

    Example: samuel games runs/new-old --report new-old.html

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
    """
    from samuel.arena.journal import game_of_event, read_event
    from samuel.arena.records import read_games
    from samuel.common.errors import UserError, unknown

    if report is not None:
        from samuel.arena.standings import read_result

        write_event_page(report, read_result(folder))
    frame = read_games(folder)
    _warn_of_more(folder, 2 * len(frame.drop_duplicates(["pairing", "pair"])))
    game = game_of_event(folder, read_event(folder))
    frame.insert(0, "number", range(1, len(frame) + 1))
    if number is not None:
        if number > len(frame):
            games = counted(len(frame), "game")
            raise UserError(f"{folder} holds {games}; game {number} does not exist")
        row = frame.iloc[number - 1]
        content = {str(name): value for name, value in row.items()}
        emit(content, json, lambda console: _show(console, row, game, every))
        return
    if only == "faults":
        frame = frame[frame["fault"] != ""]
    elif only is not None:
        names = sorted({*frame["first"], *frame["second"]})
        if only not in names:
            raise unknown("player", only, [*names, "faults"], of=folder)
        frame = frame[(frame["first"] == only) | (frame["second"] == only)]
    emit(
        {"games": frame.to_dict("records")},
        json,
        lambda console: print_table(_table(frame, limit), console),
    )


def _warn_of_more(folder: str, games: int) -> None:
    """Say so where the journal has games that the last run did not come to count, or never will."""
    import warnings

    from samuel.arena.journal import read_journal
    from samuel.arena.standings import read_match

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


def _table(frame: pd.DataFrame, limit: int) -> Table:
    """Return the first games, with the first of their moves."""
    rows = []
    for row in frame.head(limit).to_dict("records"):
        ending = f"{row['ending']}: {row['fault']}" if row["fault"] else row["ending"]
        moves = row["moves"][:_MOVES] + "..." * (len(row["moves"]) > _MOVES)
        names = (str(row["number"]), row["first"], row["second"])
        rows.append([*names, f"{row['result']:+zg}", ending, moves])
    more = f"{len(frame) - limit} more games; use --limit to list more, --number N to show one"
    title = counted(len(frame), "game")
    if not rows:
        return Table(title, notes=[title])
    columns = ["number", "first", "second", "result", "ending", "moves"]
    return Table(title, columns, rows, [more] * (len(frame) > limit))


def _show(console: Console, row: Any, game: Game, every: int) -> None:
    """Print a game's boards side by side, `every` plies apart, and its moves."""
    from rich.columns import Columns

    positions = _positions(game, row["moves"])
    plies = range(len(positions))
    shown = sorted({*plies[::every], *plies[-1:]} | ({row["opening_plies"]} & {*plies}))
    console.print(
        f"{row['first']} against {row['second']}: {row['result']:+zg} for "
        f"{row['first']} ({row['ending']}{', ' + row['note'] if row['note'] else ''})"
    )
    boards = []
    for ply in shown:
        mark = " (opening)" if ply == row["opening_plies"] else ""
        boards.append(f"ply {ply}{mark}\n{positions[ply]}\n")
    console.print(Columns(boards, padding=(0, 4)))
    console.print(row["moves"])


def _positions(game: Game, moves: str) -> list[Position]:
    """Return the positions of a game, passes filled in; it may begin with one and a colon."""
    from samuel.games import Position

    start, _, moves = moves.rpartition(": ")
    position = Position.parse(start, game) if start else Position.start(game)
    return [position, *(after for _, after in position.along(moves))]

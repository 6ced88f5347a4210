"""What `match`, `tournament` and `pool` share: options, allowances, ratings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from samuel.cli.common import MOST_NODES

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.arena import Allowance
    from samuel.arena.rating import Games, Ratings

DepthsOption = Annotated[
    str | None,
    typer.Option("--depth", help="Plies a move, 4 by default; several (2,4,6) are played in turn."),
]
NodesOption = Annotated[
    int | None, typer.Option("--nodes", min=1, max=MOST_NODES, help="About so many nodes a move.")
]
MillisecondsOption = Annotated[
    float | None,
    typer.Option("--ms", min=0.01, max=1e12, help="Wall time a move, in milliseconds."),
]
ClockOption = Annotated[
    str | None,
    typer.Option(
        "--clock", "--tc", help="Seconds a game for either side, and those a move adds: 10+0.1."
    ),
]
EnginesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--engine",
        help='An outside engine as a player: "gtp:COMMAND" or "nboard:COMMAND"; repeatable. '
        'With a name, a folder and seconds to start: "NTest=nboard\\[folder=F,start=90]:./x".',
    ),
]
AdjudicateOption = Annotated[
    int,
    typer.Option(
        "--adjudicate",
        min=0,
        max=60,
        help="Let the solver decide games with engines from so many empty squares on; 0: never.",
    ),
]
PatienceOption = Annotated[
    float,
    typer.Option(
        "--patience",
        min=0.1,
        help="Seconds that an engine without a clock has for a move, and to start (at least 30).",
    ),
]
OpeningsOption = Annotated[
    str | None,
    typer.Option(
        "--openings",
        help="balanced, random, or a file with a transcript a line; by default balanced where "
        "the game has a book, else random.",
    ),
]
OpeningPliesOption = Annotated[
    int | None, typer.Option("--opening-plies", min=0, help="Plies of the openings.")
]
BalanceOption = Annotated[
    float | None,
    typer.Option("--balance", min=0, help="The largest score, to either side, of an opening."),
]
OutOption = Annotated[
    str | None,
    typer.Option(
        "--out",
        help="A folder for the games; the same command goes on there where it was interrupted.",
    ),
]
AnchorOption = Annotated[
    str | None,
    typer.Option(
        "--anchor",
        help="A player, as tables call it, whose rating is to be 0; by default the mean is.",
    ),
]
RatingsPageOption = Annotated[
    str | None, typer.Option("--report", help="An HTML page with tables and plot.")
]
_MOST_WITH_COUNTS = 5
"""Players of a cross table that has room for wins, draws and losses on a terminal."""


def allowances_of(
    depths: str | None,
    nodes: int | None,
    milliseconds: float | None,
    clock: str | None,
    probcut: float | None,
) -> list[Allowance]:
    """Return one allowance for each depth, or the one there is without.

    Raises
    ------
    typer.BadParameter
        A depth or the clock cannot be read.
    """
    from samuel.arena import Allowance

    seconds = None if milliseconds is None else milliseconds / 1000
    game_seconds, increment = _clock_in(clock)
    unlimited = depths is None and nodes is None and seconds is None and clock is None
    return [
        Allowance(depth, nodes, seconds, probcut or None, game_seconds, increment)
        for depth in ([4] if unlimited else _depths_in(depths))
    ]


def _depths_in(text: str | None) -> list[int | None]:
    if text is None:
        return [None]
    depths: list[int | None] = []
    for part in text.split(","):
        if not part.strip().isdecimal() or int(part) < 1:
            raise typer.BadParameter(
                f"{text!r} is no list of depths; write it like 4, or 2,4,6", param_hint="--depth"
            )
        depths.append(int(part))
    return depths


def _clock_in(text: str | None) -> tuple[float | None, float]:
    if text is None:
        return None, 0.0
    first, _, more = text.partition("+")
    try:
        seconds, increment = float(first), float(more or 0)
    except ValueError:
        seconds = increment = math.nan
    if not (0 < seconds < math.inf and 0 <= increment < math.inf):
        raise typer.BadParameter(
            f"{text!r} is no clock; write it like 10 or 10+0.1, in seconds", param_hint="--clock"
        )
    return seconds, increment


def show_ratings(ratings: Ratings, games: Games, console: Console) -> None:
    """Print ratings, and who did how well against whom."""
    from samuel.cli.common import print_table
    from samuel.reports.tournament import cross_table, remarks, standings_table

    print_table("Ratings", standings_table(ratings), console, words=2)
    cross = cross_table(ratings, games)
    who, found = slice(0, 2), slice(6, None)  # the rest stands above
    is_short = len(cross.rows) > _MOST_WITH_COUNTS
    scores = [
        row[who] + [_share_alone(cell) if is_short else cell for cell in row[found]]
        for row in cross.rows
    ]
    short = cross._replace(headings=cross.headings[who] + cross.headings[found], rows=scores)
    print_table("Cross table", short, console, words=2)
    for remark in remarks(ratings):
        console.print(remark)


def _share_alone(cell: str) -> str:
    """Return the share of the points in a cell of the cross table, without decimals."""
    share = cell.split("\n")[0]
    return f"{float(share.rstrip('%')):.0f}%" if share.endswith("%") else share

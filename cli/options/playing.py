"""The options of whatever plays games: players, limits, openings, what is kept."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samuel.cli.common import game_and_evaluators
from samuel.cli.options import (
    MOST_NODES,
    Built,
    ExactOption,
    GameOption,
    JobsOption,
    SeedOption,
    counts_in,
)

if TYPE_CHECKING:
    from samuel.games import Game
    from samuel.search.limits import Limits

DepthsOption = Annotated[
    str | None,
    typer.Option(
        "--depth",
        help="Plies a move, by default 4, fewer with dice; several (2,4,6) are played in turn.",
    ),
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
PlayersArgument = Annotated[
    list[str] | None,
    typer.Argument(help="Evaluators by name (yours with --plugin), or folders of models."),
]
EnginesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--engine",
        help='An outside engine as a player: "gtp:COMMAND", "nboard:COMMAND", "gnubg:COMMAND", '
        '"gomocup:COMMAND", "uci:COMMAND" or "ucci:COMMAND"; '
        "repeatable. With a name, a folder and seconds to start: "
        '"NTest=nboard\\[folder=F,start=90]:./x".',
    ),
]
AdjudicateOption = Annotated[
    int | None,
    typer.Option(
        "--adjudicate",
        min=0,
        max=60,
        help="Let the solver decide games with engines from so many empty squares on; 0: never.",
    ),
]
PatienceOption = Annotated[
    float | None,
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
        help="balanced, random, or a file: a transcript a line, or a book (.npz, of samuel "
        "openings --out); by default balanced where the game has a book, else random.",
    ),
]
OpeningPliesOption = Annotated[
    int | None,
    typer.Option(
        "--opening-plies", min=0, help="Plies of the openings; random ones where no book has them."
    ),
]
BalanceOption = Annotated[
    float | None,
    typer.Option("--balance", min=0, help="The largest score, to either side, of an opening."),
]
GamesOutOption = Annotated[
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


def players_of(
    players: PlayersArgument = None,
    engine: EnginesOption = None,
    game: GameOption = None,
) -> tuple[Game, list[str]]:
    """Return the game, and who plays it: evaluators first, then engines."""
    who = [*(players or ()), *(engine or ())]
    rules, _ = game_and_evaluators(game, *who)
    return rules, who


def limits_of(
    depth: DepthsOption = None,
    nodes: NodesOption = None,
    milliseconds: MillisecondsOption = None,
    clock: ClockOption = None,
    exact_from: ExactOption = None,
) -> list[Limits]:
    """Return limits for each depth, or those there are without.

    Raises
    ------
    typer.BadParameter
        A depth or the clock cannot be read.
    """
    from samuel.search.limits import Limits

    seconds = None if milliseconds is None else milliseconds / 1000
    time = _clock_in(clock)
    return [
        Limits(plies, nodes, seconds, *time, exact_from)
        for plies in ([None] if depth is None else counts_in(depth, "--depth", least=1))
    ]


def conditions_of(
    openings: OpeningsOption = None,
    opening_plies: OpeningPliesOption = None,
    balance: BalanceOption = None,
    adjudicate_from: AdjudicateOption = 0,
    timeout: PatienceOption = 60.0,
    out: GamesOutOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = -1,
) -> dict[str, Any]:
    """Return under which conditions games are played, as `match` and `tournament` take them."""
    return locals()


PlayerOptions = Annotated["tuple[Game, list[str]]", Built(players_of)]
LimitOptions = Annotated["list[Limits]", Built(limits_of)]
ConditionOptions = Annotated[dict[str, Any], Built(conditions_of)]


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

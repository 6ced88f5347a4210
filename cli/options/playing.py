"""The options of `samuel pool`."""

from __future__ import annotations

from typing import Annotated

import typer

from samuel.cli.options import MOST_NODES

NodesOption = Annotated[
    int | None, typer.Option("--nodes", min=1, max=MOST_NODES, help="About so many nodes a move.")
]
MillisecondsOption = Annotated[
    float | None,
    typer.Option("--ms", min=0.01, max=1e12, help="Wall time a move, in milliseconds."),
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

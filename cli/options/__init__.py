"""The options that subcommands share, each said once, and what is built from several of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

MOST_DEPTH, MOST_NODES = 119, 1 << 62
"""The greatest limits of a search, as in samuel.search, which takes time to import."""
MOST_SIGMAS = 1000
"""The greatest confidence that a selective search takes."""

GameOption = Annotated[
    str | None,
    typer.Option(
        "--game",
        help="The game: a name, or a Python file that registers one; by default that of the "
        "models named, or othello.",
    ),
]
EvaluatorOption = Annotated[
    str | None,
    typer.Option(
        "--evaluator",
        help="An evaluator by its name (samuel models; yours with --plugin), or the folder of a "
        "model; by default the game's own: learned where that comes with samuel, else one made by "
        "hand, or zero.",
    ),
]
PositionOption = Annotated[
    str | None,
    typer.Option("--position", help="The position as text; the start where none is given."),
]
MovesOption = Annotated[
    str | None, typer.Option("--moves", help="A transcript from the start, such as f5d6c3.")
]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, max=(1 << 32) - 1, help="Seed of every random choice.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
JobsOption = Annotated[
    int,
    typer.Option(
        "--jobs",
        "--concurrency",
        min=-1,
        max=1024,
        help="Workers; -1 for one a core.",
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Let the workers of a dask cluster play: the address of its scheduler, such as "
        "tcp://host:8786 (pip install 'samuel-learning\\[dask]').",
    ),
]
PluginOption = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin", help="A Python file of yours with features, evaluators or games; repeatable."
    ),
]
ExactOption = Annotated[
    int | None,
    typer.Option(
        "--exact-from", min=0, max=999, help="Solve from this many empty squares on; 0: never."
    ),
]
MethodOption = Annotated[
    str,
    typer.Option(
        "--method",
        help="How moves are chosen: alphabeta, expectiminimax, star1, star2, star2.5, montecarlo "
        "or uct, with settings after a colon: uct:playouts=500,playout_plies=0.",
    ),
]


@dataclass(frozen=True)
class Built:
    """Marks a parameter of a subcommand that is built from options: the parameters of `build`."""

    build: Callable[..., Any]


def names_in(text: str | None) -> list[str] | None:
    """Return the names of a list joined by commas; None for None."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def counts_in(text: str, option: str, least: int = 0) -> list[int]:
    """Return the whole numbers of a list joined by commas."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) >= least for part in parts):
        raise typer.BadParameter(
            f"{text!r} is no list of numbers from {least} up; write it like 4, or 2,4,6",
            param_hint=option,
        )
    return [int(part) for part in parts]

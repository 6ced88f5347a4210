"""The options that subcommands share, each said once, and what is built from several of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

MOST_NODES = 1 << 62
"""The most nodes of a search, as in samuel.search, which takes time to import."""

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
TrustOption = Annotated[
    list[str] | None,
    typer.Option(
        "--trust",
        help="Types, joined by commas, that are read from the estimators of saved models where you "
        "trust whoever made these; repeatable.",
    ),
]
ExactOption = Annotated[
    int | None,
    typer.Option(
        "--exact-from", min=0, max=999, help="Solve from this many empty squares on; 0: never."
    ),
]


@dataclass(frozen=True)
class Built:
    """Marks a parameter of a subcommand that is built from options: the parameters of `build`."""

    build: Callable[..., Any]


def names_in(text: str | None) -> list[str] | None:
    """Return the names of a list joined by commas; None for None."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]

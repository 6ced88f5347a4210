"""What commands that play for people and programs share: options, the player, their output."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from samuel.cli import options
from samuel.cli.common import game_and_evaluators
from samuel.cli.options import Built
from samuel.cli.progress import silent

if TYPE_CHECKING:
    from samuel.play.thinker import Thinker

DepthOption = Annotated[
    int | None, typer.Option("--depth", min=1, help="Plies, where no level is given.")
]
LevelOption = Annotated[
    int | None,
    typer.Option(
        "--level",
        min=1,
        help="Strength, from a beginner's, 1, to 12; by default 10, or what a clock allows.",
    ),
]
MillisecondsOption = Annotated[
    float | None,
    typer.Option("--ms", min=0.01, help="At most so long for a move, in milliseconds."),
]

TimedProbCutOption = Annotated[
    float | None,
    typer.Option(
        "--probcut",
        min=0,
        max=options.MOST_SIGMAS,
        help="Confidence of selective search, in sigmas; 0 for none. By default 1 where time alone "
        "is the limit and the evaluator has what it needs (samuel models probcut), else none.",
    ),
]


def thinker_of(
    evaluator: options.EvaluatorOption = None,
    game: options.GameOption = None,
    depth: DepthOption = None,
    level: LevelOption = None,
    milliseconds: MillisecondsOption = None,
    exact_from: options.ExactOption = None,
    probcut: TimedProbCutOption = None,
    method: options.MethodOption = "alphabeta",
    seed: options.SeedOption = 0,
) -> Thinker:
    """Return the player that the options ask for."""
    from samuel.play.thinker import Thinker

    rules, (name,) = game_and_evaluators(game, evaluator)
    return Thinker(
        name,
        rules,
        seconds=None if milliseconds is None else milliseconds / 1000,
        depth=depth,
        level=level,
        exact_from=exact_from,
        probcut=probcut,
        method=method,
        seed=seed,
    )


ThinkerOptions = Annotated["Thinker", Built(thinker_of)]


@contextlib.contextmanager
def serving(thinker: Thinker) -> Iterator[TextIO]:
    """Get a player ready, and yield standard output, which the protocol has for itself."""
    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr), silent():
        thinker.begin_warm_up()
        yield out

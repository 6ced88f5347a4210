"""`samuel gtp`."""

from __future__ import annotations

import contextlib
import sys
from typing import Annotated

import typer

from cli.common import (
    EvaluatorOption,
    ExactOption,
    GameOption,
    JsonOption,
    PluginOption,
    ProbCutOption,
    SeedOption,
    command,
    emit,
    game_and_evaluators,
    prepare,
)

DepthOption = Annotated[
    int | None, typer.Option("--depth", min=1, help="Plies, where no level is given.")
]
LevelOption = Annotated[
    int | None,
    typer.Option(
        "--level",
        min=1,
        max=10,
        help="Strength, from a beginner's, 1, to 10; by default 8, or with a clock what it allows.",
    ),
]
MillisecondsOption = Annotated[
    float | None,
    typer.Option("--ms", min=0.01, help="At most so long for a move, in milliseconds."),
]


@command
def run(
    evaluator: EvaluatorOption = None,
    game: GameOption = None,
    depth: DepthOption = None,
    level: LevelOption = None,
    milliseconds: MillisecondsOption = None,
    exact_from: ExactOption = None,
    probcut: ProbCutOption = None,
    seed: SeedOption = 0,
    plugin: PluginOption = None,
    json: JsonOption = False,
) -> None:
    """Let a board that speaks GTP, the Go Text Protocol, play against an evaluator.

    Give the command below as that of an engine, in Quarry for instance; docs/engines.md says how.
    --json says what it would be, and ends.

    Example: samuel gtp --evaluator runs/ridge --level 6
    """
    prepare(plugin)
    from arena.engines.gtp_server import GtpServer
    from arena.engines.strength import Thinker

    rules, (name,) = game_and_evaluators(game, evaluator)
    thinker = Thinker(
        name,
        rules,
        depth=depth,
        level=level,
        seconds=None if milliseconds is None else milliseconds / 1000,
        exact_from=exact_from,
        probcut=probcut,
        seed=seed,
    )
    server = GtpServer(thinker)
    if json:
        emit({"protocol": "gtp", **thinker.as_dict(), "commands": server.commands}, True, print)
        return
    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):  # the protocol has it for itself
        thinker.begin_warm_up()
        for line in iter(sys.stdin.readline, ""):
            answer = server.answer(line)
            if answer is not None:
                print(answer, end="", file=out, flush=True)
            if server.is_over:
                break

"""`samuel gtp`."""

from __future__ import annotations

import sys

from samuel.cli.common import (
    EvaluatorOption,
    ExactOption,
    GameOption,
    JsonOption,
    PluginOption,
    ProbCutOption,
    SeedOption,
    command,
    emit,
    prepare,
)
from samuel.cli.serving import (
    DepthOption,
    LevelOption,
    MillisecondsOption,
    serving,
    thinker_of,
)


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
    from samuel.play.servers.gtp import GtpServer

    thinker = thinker_of(
        evaluator,
        game,
        milliseconds,
        depth=depth,
        level=level,
        exact_from=exact_from,
        probcut=probcut,
        seed=seed,
    )
    server = GtpServer(thinker)
    if json:
        emit({"protocol": "gtp", **thinker.as_dict(), "commands": server.commands}, True, print)
        return
    with serving(thinker) as out:
        for line in iter(sys.stdin.readline, ""):
            answer = server.answer(line)
            if answer is not None:
                print(answer, end="", file=out, flush=True)
            if server.is_over:
                break

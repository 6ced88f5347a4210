"""`samuel nboard`."""

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
    """Let a board that speaks the NBoard protocol analyse with, and play against, an evaluator.

    Give the command below as that of an engine, in NBoard for instance; docs/engines.md says how.
    --json says what it would be, and ends.

    Example: samuel nboard --evaluator runs/ridge
    """
    prepare(plugin)
    from samuel.play.servers.conversation import converse
    from samuel.play.servers.nboard import NBoardServer

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
    server = NBoardServer(thinker)
    if json:
        emit({"protocol": "nboard", **thinker.as_dict()}, True, print)
        return
    with serving(thinker) as out:
        converse(server, sys.stdin, out)

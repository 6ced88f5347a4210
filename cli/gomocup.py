"""`samuel gomocup`."""

from __future__ import annotations

import sys

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit
from samuel.cli.serving import ThinkerOptions, serving


@command("serving Gomocup")
def run(
    thinker: ThinkerOptions,
    json: options.JsonOption = False,
) -> None:
    """Be a brain of Gomocup: play five in a row for managers such as Piskvork, by an evaluator.

    Give the command below as that of a brain; docs/engines.md says how. --json says what it would
    be, and ends.

    Example: samuel gomocup --game gomoku --evaluator runs/ridge
    """
    from samuel.play.servers.gomocup import GomocupServer

    server = GomocupServer(thinker)
    if json:
        emit({"protocol": "gomocup", **thinker.as_dict()}, True, print)
        return
    with serving(thinker) as out:
        for line in iter(sys.stdin.readline, ""):
            for answer in server.answer(line):
                print(answer, file=out, flush=True)
            if server.is_over:
                break

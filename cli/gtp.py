"""`samuel gtp`."""

from __future__ import annotations

import sys

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit
from samuel.cli.serving import ThinkerOptions, serving


@command("serving GTP")
def run(
    thinker: ThinkerOptions,
    json: options.JsonOption = False,
) -> None:
    """Let a board that speaks GTP, the Go Text Protocol, play against an evaluator.

    Give the command below as that of an engine, in Quarry for instance; docs/engines.md says how.
    --json says what it would be, and ends.

    Example: samuel gtp --evaluator runs/ridge --level 6
    """
    from samuel.play.servers.gtp import GtpServer

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

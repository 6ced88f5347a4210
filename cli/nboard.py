"""`samuel nboard`."""

from __future__ import annotations

import sys

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit
from samuel.cli.serving import ThinkerOptions, serving


@command("serving NBoard")
def run(
    thinker: ThinkerOptions,
    json: options.JsonOption = False,
) -> None:
    """Let a board that speaks the NBoard protocol analyse with, and play against, an evaluator.

    Give the command below as that of an engine, in NBoard for instance; docs/engines.md says how.
    --json says what it would be, and ends.

    Example: samuel nboard --evaluator runs/ridge
    """
    from samuel.play.servers.conversation import converse
    from samuel.play.servers.nboard import NBoardServer

    server = NBoardServer(thinker)
    if json:
        emit({"protocol": "nboard", **thinker.as_dict()}, True, print)
        return
    with serving(thinker) as out:
        converse(server, sys.stdin, out)

"""`samuel uci`."""

from __future__ import annotations

import sys

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit
from samuel.cli.serving import ThinkerOptions, serving


@command("serving UCI")
def run(
    thinker: ThinkerOptions,
    json: options.JsonOption = False,
) -> None:
    """Let a board that speaks UCI or UCCI play Chinese chess against an evaluator.

    Give the command below as that of an engine; which of the two the board speaks, its first word
    says. docs/engines.md has more. --json says what it would be, and ends.

    Example: samuel uci --game xiangqi --evaluator runs/ridge
    """
    from samuel.play.servers.conversation import converse
    from samuel.play.servers.uci import UciServer

    server = UciServer(thinker)
    if json:
        emit({"protocol": "uci", **thinker.as_dict()}, True, print)
        return
    with serving(thinker) as out:
        converse(server, sys.stdin, out)

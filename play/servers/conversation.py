"""A server that reads on while it thinks, so that the board can stop it."""

from __future__ import annotations

import queue
import threading
from typing import IO

from samuel.play.servers.nboard import NBoardServer

_STOPPING = ("ping", "quit")
_AGAIN = 0.01
"""Seconds until a search is stopped once more: one that has just begun does not notice."""


def converse(server: NBoardServer, lines: IO[str], answers: IO[str]) -> None:
    """Answer what comes in, line by line, until it ends or says `quit`.

    `ping` ends the search of the command before it at once, as the protocol demands, and so does
    `quit`. When the lines merely end, what was asked is still answered in full.
    """
    waiting: queue.Queue[tuple[str, threading.Event] | None] = queue.Queue()

    def read() -> None:
        for line in iter(lines.readline, ""):
            begun = threading.Event()
            waiting.put((line, begun))
            if line.split()[:1] and line.split()[0] in _STOPPING:
                while not begun.wait(_AGAIN):
                    server.stop()
        waiting.put(None)

    threading.Thread(target=read, daemon=True).start()
    while not server.is_over:
        found = waiting.get()
        if found is None:
            break
        line, begun = found
        begun.set()
        for answer in server.answer(line):
            print(answer, file=answers, flush=True)

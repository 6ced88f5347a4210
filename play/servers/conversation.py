"""Conversation of servers: line by line, or reading on while they think, to be stopped."""

from __future__ import annotations

import collections
import queue
import re
import threading
from collections.abc import Iterable
from typing import IO, ClassVar, Protocol, TypeVar

from samuel.arena.clocks import SHORTEST, seconds_for

Number = TypeVar("Number", int, float)

_LARGEST = 1e9
"""Seconds, plies or moves; computing with many more of them overflows."""
_SHARE = 0.9
"""Share of the time for a move that is used; pipes and boards take the rest."""
_TWO_SQUARES = re.compile(r"[a-i]\d{1,2}[a-i]\d{1,2}[nbrq]?", re.IGNORECASE)
_AGAIN = 0.01
"""Seconds until a search is stopped once more: one that has just begun does not notice."""


class Server(Protocol):
    """A server that answers commands, and can be stopped in the middle."""

    is_over: bool
    is_endless: bool
    STOPPING: ClassVar[tuple[str, ...]]
    THINKING: ClassVar[tuple[str, ...]]
    AT_ONCE: ClassVar[dict[str, str]]

    def stop(self) -> None:
        """End a search that goes on in another thread, so that its answer ends soon."""

    def answer(self, line: str) -> Iterable[str]:
        """Yield the lines of the answer, as they are found."""


class Answering(Protocol):
    """A program that answers commands, one at a time."""

    is_over: bool

    def answer(self, line: str) -> Iterable[str]:
        """Return the answers, each printed with a line's end."""


def answer_each(server: Answering, lines: IO[str], answers: IO[str]) -> None:
    """Answer line by line, until they end or the server is told to."""
    for line in iter(lines.readline, ""):
        for answer in server.answer(line):
            print(answer, file=answers, flush=True)
        if server.is_over:
            break


def converse(server: Server, lines: IO[str], answers: IO[str]) -> None:
    """Answer what comes in, line by line, until it ends or says `quit`."""
    is_done, telling = threading.Event(), threading.Lock()
    waiting: queue.Queue[tuple[str, threading.Event] | Exception | None] = queue.Queue()
    unfinished: collections.deque[tuple[str, threading.Event]] = collections.deque()

    def tell(answer: str) -> None:
        with telling:
            print(answer, file=answers, flush=True)

    def read() -> None:
        for line in iter(lines.readline, ""):
            begun, word = threading.Event(), "".join(line.split()[:1])
            before = list(unfinished)
            searches = [one for one in before if one[0] in server.THINKING]
            if word in server.AT_ONCE and searches and searches == before[-1:]:
                searches[0][1].wait()
                tell(server.AT_ONCE[word])
                continue
            unfinished.append((word, begun))
            waiting.put((line, begun))
            if word in server.STOPPING:
                while not begun.wait(_AGAIN):
                    server.stop()
            if word == "quit":
                break
        waiting.put(None)
        while not is_done.wait(_AGAIN):
            if server.is_endless:
                server.stop()

    def read_or_fail() -> None:
        try:
            read()
        except Exception as error:  # told by the thread that waits
            waiting.put(error)

    threading.Thread(target=read_or_fail, daemon=True).start()
    try:
        while not server.is_over:
            found = waiting.get()
            if found is None:
                break
            if isinstance(found, Exception):
                raise found
            line, begun = found
            begun.set()
            for answer in server.answer(line):
                tell(answer)
            unfinished.popleft()
    finally:
        is_done.set()


def move_said(text: str) -> str:
    """Return a move of two squares in small letters, as games write it; another text as it is."""
    return text.lower() if _TWO_SQUARES.fullmatch(text) else text


def seconds_told(
    seconds: float | None, left: float | None, increment: float, moves: int
) -> float | None:
    """Return the seconds of a search, by those of a move and those left for so many moves."""
    found = seconds_for(seconds, left, increment, moves)
    return None if found is None else max(SHORTEST, _SHARE * found)


def number_said(text: str, kind: type[Number]) -> Number:
    """Return the number that a text is."""
    number = kind(text)
    if not -_LARGEST <= number <= _LARGEST:  # of nan, too
        raise ValueError(text)
    return number

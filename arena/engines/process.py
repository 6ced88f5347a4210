"""A child process that is talked to in lines, as game engines are.

Two threads per process read its output, so that waiting for an answer can have a deadline, and an
engine that writes much to its standard error never blocks. It leads a session of its own: Ctrl-C at
the terminal does not reach it, and it is killed together with whatever it started there. Where this
process is killed, a guard kills it likewise. Processes that have left its group are not found.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import re
import select
import shlex
import signal
import string
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator
from typing import IO, Any, ClassVar, TypeVar

from samuel.common.errors import UserError

KEPT_LINES = 3
"""Last lines of an engine's output that a message may quote."""
_FRAME = string.whitespace + "".join(map(chr, range(0x2500, 0x2580)))
"""Blanks and box-drawing characters, which no message quotes at the ends of a line."""
_MESSAGE, _QUOTED = 200, 40
_MARKS = re.compile("\x1b\\[[0-9;]*[A-Za-z]|[\ufeff\0]")
"""Colours, and what else stands in a line unseen."""
_LONGEST_LINE = 1 << 16
_MOST_WAITING, _LINE_COST = 1 << 24, 64
"""Characters that wait to be read, and what a line counts besides its own; of more, the oldest
lines are dropped: nobody can be waiting for them."""
_GRACE = 0.5
"""Seconds that an engine has to leave by itself."""
_KILLING = 5.0
"""Seconds to wait for the end of what was killed."""
_GUARD = "/bin/sh", "-c", "read ended || kill -s KILL -- -$0"
"""Program that kills a process group where its input ends before it is told that the group did."""
_SENDING = 30.0
"""Seconds that an engine may leave a command unread, where no deadline is set."""
_LOOK_UP = 0.1
"""Seconds between looks, during a wait for room in the pipe, at whether the engine was ended."""


class EngineError(Exception):
    """An outside engine cannot go on with its game."""

    reason: ClassVar[str]


class EngineCrash(EngineError):  # noqa: N818  # it is the crash that is reported
    """The engine's process has ended, or was ended before."""

    reason = "crash"


class EngineTimeout(EngineError):  # noqa: N818
    """The engine did not answer in time; its process has been ended."""

    reason = "no answer"


class EngineProtocolError(EngineError):
    """The engine answered what the protocol does not allow."""

    reason = "protocol"


class EngineIllegalMove(EngineProtocolError):  # noqa: N818
    """The engine chose a move that is not legal; its process lives, ready for a new game."""

    reason = "illegal move"


class EngineResigned(EngineError):  # noqa: N818
    """The engine gave the game up; its process lives, ready for a new game."""

    reason = "resigned"


Failure = TypeVar("Failure", bound=EngineError)

_live: weakref.WeakSet[EngineProcess] = weakref.WeakSet()
_live_lock = threading.Lock()


class EngineProcess:
    """A running engine."""

    def __init__(self, command: str, folder: str | None = None) -> None:
        self.command = command
        self.deadline = math.inf
        self._lines: deque[str] = deque()
        self._waiting = 0
        self._asked = ""
        self._last: deque[str] = deque(maxlen=KEPT_LINES)
        self._news = threading.Condition()
        self._has_output = True
        self._ending = threading.Lock()
        self._was_ended = False
        self._is_gone = False  # what it left behind may write on
        self._process = _start(_arguments(command), folder)
        self._guard = _guard(self._process.pid)
        # unbuffered: whoever waits for a full pipe holds no lock that ending needs
        self._input: Any = self._process.stdin.buffer.raw  # type: ignore[union-attr]
        if sys.platform != "win32":
            os.set_blocking(self._input.fileno(), False)
        streams = (self._process.stdout, self._process.stderr)
        self._readers = [
            threading.Thread(target=self._read, args=(stream, stream is streams[0]), daemon=True)
            for stream in streams
        ]
        for reader in self._readers:
            reader.start()
        with _live_lock:
            _live.add(self)

    def _read(self, stream: IO[str], is_answers: bool) -> None:
        with stream, contextlib.suppress(ValueError, OSError):
            while (line := stream.readline(_LONGEST_LINE)) and not self._is_gone:
                line = _MARKS.sub("", line.rstrip("\r\n"))
                with self._news:
                    if words := line.strip(_FRAME):
                        self._last.append(words)
                    if is_answers:
                        self._lines.append(line)
                        self._waiting += len(line) + _LINE_COST
                        while self._waiting > _MOST_WAITING:
                            self._pop()
                        self._news.notify_all()
        if is_answers:
            with self._news:
                self._has_output = False
                self._news.notify_all()

    @property
    def is_alive(self) -> bool:
        """True if it can still answer."""
        return self._has_output

    def send(self, line: str) -> None:
        """Write a line to the engine."""
        self._asked = line
        text = f"{line}\n".encode(errors="replace")
        until = min(self.deadline, time.monotonic() + _SENDING)
        try:
            with self._killed_at(until):
                while text := text[self._input.write(text) or 0 :]:
                    if not self._has_room(until):
                        raise self._late("did not read")
        except (OSError, ValueError):  # a broken pipe; a closed file
            is_late = sys.platform == "win32" and time.monotonic() >= until
            raise (self._late("did not read") if is_late else self._crash()) from None

    @contextlib.contextmanager
    def _killed_at(self, until: float) -> Iterator[None]:
        """End a write on Windows, where it blocks, at the deadline."""
        if sys.platform != "win32":
            yield
            return
        timer = threading.Timer(until - time.monotonic(), self._process.kill)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _has_room(self, until: float) -> bool:
        """Return whether, before the deadline, more can be written or writing is an error."""
        if sys.platform == "win32":
            return True
        room = select.poll()
        room.register(self._input, select.POLLOUT)
        while time.monotonic() < until:
            if room.poll(1000 * _LOOK_UP) or self._was_ended:
                return True
        return False

    def receive(self, until: float) -> str:
        """Return the next line of its standard output, without the line's end."""
        until = min(until, self.deadline)
        with self._news:
            while (left := until - time.monotonic()) > 0:
                if self._lines:
                    return self._pop()
                if not self._has_output:
                    break
                self._news.wait(min(left, threading.TIMEOUT_MAX))
            has_ended = not self._has_output
        raise self._crash() if has_ended else self._late("did not answer")

    def _pop(self) -> str:
        line = self._lines.popleft()
        self._waiting -= len(line) + _LINE_COST
        return line

    def _late(self, what: str) -> EngineTimeout:
        """End it, and return the error of a command that took too long."""
        asked = f" {self._asked[:_QUOTED]!r}" if self._asked else ""
        late = self._failure(EngineTimeout, f"{what}{asked} in time")
        self.end()
        return late

    def nonsense(self, what: str) -> EngineProtocolError:
        """Return the error of an answer that `what` describes."""
        return self._failure(EngineProtocolError, what)

    def _crash(self) -> EngineError:
        if self._was_ended:
            return self._failure(EngineCrash, "has been ended before")
        self.end()
        code = self._process.returncode
        how = f"by signal {-code}" if code is not None and code < 0 else f"with status {code}"
        return self._failure(EngineCrash, f"ended {how}")

    def _failure(self, kind: type[Failure], what: str) -> Failure:
        with self._news:
            words = " / ".join(self._last)[-_MESSAGE:]
        said = f"; its last output: {words}" if words else "; it printed nothing"
        return kind(f"engine {self.command!r} {what}{said}")

    def end(self, farewell: str | None = None) -> None:
        """End the engine and its process group; returns when nothing of them is left."""
        with self._ending:
            if self._was_ended:
                return
            self._was_ended = True
            try:
                self._bid(farewell)
            finally:
                self._kill()
        with _live_lock:
            _live.discard(self)

    def _bid(self, farewell: str | None) -> None:
        """Ask the engine to leave, and wait a little; one that does not read delays nobody."""
        grace = self._killed_at(time.monotonic() + _GRACE)
        with contextlib.suppress(OSError, ValueError), grace:
            if farewell is not None and self._has_output:
                self._input.write(f"{farewell}\n".encode())
            self._input.close()
        if farewell is not None:
            self._readers[0].join(_GRACE)

    def _kill(self) -> None:
        """Kill its process group; it is waited for afterwards, so that its number is its own."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if sys.platform == "win32":
                tree = ["taskkill", "/F", "/T", "/PID", str(self._process.pid)]
                with contextlib.suppress(OSError):
                    subprocess.run(tree, capture_output=True, timeout=_KILLING)
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self._guard:
                self._guard.communicate(b"\n", _KILLING)
            self._process.wait(_KILLING)
        for reader in self._readers:  # its last words may not have been read
            reader.join(_GRACE)
        self._is_gone = True


def end_all() -> None:
    """End every engine of this process; those that wait for one in other threads see it crash."""
    with _live_lock:
        live = list(_live)
    for process in live:
        process.end()


atexit.register(end_all)


def _arguments(command: str) -> list[str]:
    if sys.platform == "win32":  # no mark of a shell there, but one between folders
        command = command.replace("\\", "/")
    try:
        program, *rest = shlex.split(command)
    except ValueError as error:
        what = "names no program" if not command.strip() else f"cannot be read ({error})"
        raise UserError(f"the engine's command {command!r} {what}") from None
    return [os.path.expanduser(program), *rest]


def _guard(engine: int) -> subprocess.Popen[bytes] | None:
    """Start the guard of a process group; on Windows engines end with their input."""
    if sys.platform == "win32":
        return None
    return subprocess.Popen(
        [*_GUARD, str(engine)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _start(arguments: list[str], folder: str | None) -> subprocess.Popen[str]:
    place = None if folder is None else os.path.expanduser(folder)
    if place is not None and not os.path.isdir(place):
        raise UserError(f"folder {folder!r}, where the engine is to run, does not exist")
    try:
        return subprocess.Popen(
            arguments,
            cwd=place,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            bufsize=1,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except FileNotFoundError:
        raise UserError(
            f"program {arguments[0]!r} was not found; install the engine "
            "(make engines installs those of docs/engines.md), or give its full path"
        ) from None
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        raise UserError(f"{arguments[0]!r} cannot be run ({said}); give a program") from None

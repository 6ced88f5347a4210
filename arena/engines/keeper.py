"""The process between this one and an engine, which ends the engine and whatever that started.

    python -I -S keeper.py CONTROL PROGRAM ARGUMENT...

CONTROL is the descriptor of a socket. The keeper writes `started` there, or why it could not;
when the other end is closed, however the process that held it has ended, it kills the engine,
writes with which status that ended, and leaves. On Linux the keeper adopts what the engine leaves
behind, in a session of its own or by a double fork. Elsewhere what has left the engine's process
group is not found.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from typing import NoReturn

_LOOK_UP = 1.0
"""Seconds between looks at whether the parent is still there."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_CHILDREN = f"/proc/self/task/{os.getpid()}/children"
"""Linux: the file of the numbers of this process's children."""
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


class _EndedError(Exception):
    """A signal asks the keeper to leave."""


def keep(control: int, arguments: list[str]) -> None:
    """Run an engine until the other end of the socket `control` is closed."""
    home, engine = os.getppid(), None
    for number in _SIGNALS:
        signal.signal(number, _leave)
    try:
        adopts = _call_prctl(_PR_SET_CHILD_SUBREAPER, 1) and os.path.exists(_CHILDREN)
        engine = subprocess.Popen(
            arguments,
            start_new_session=True,
            preexec_fn=lambda: _call_prctl(_PR_SET_PDEATHSIG, signal.SIGKILL),
        )
        os.write(control, b"started")
        os.closerange(0, 3)  # the engine's alone
        while os.getppid() == home and not select.select([control], [], [], _LOOK_UP)[0]:
            _reap(engine.pid if adopts else None)
    except OSError as error:
        os.write(control, (error.strerror or str(error)).encode())
        return
    except _EndedError:
        pass
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    status = _end(engine)
    with contextlib.suppress(OSError):
        os.write(control, str(status).encode())


def _leave(_signal: int, _frame: object) -> NoReturn:
    raise _EndedError


def _call_prctl(option: int, value: int) -> bool:
    """Set an attribute of this process; return whether the system has it."""
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    return ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0


def _children() -> list[int]:
    try:
        with open(_CHILDREN) as file:
            return [int(number) for number in file.read().split()]
    except OSError:
        return []


def _reap(engine: int | None) -> None:
    """Wait for adopted processes that have ended; the engine's own number stays its own."""
    for child in _children() if engine is not None else ():
        if child != engine:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)


def _end(engine: subprocess.Popen[bytes] | None) -> int | None:
    """Kill all that is left, and return the status of the engine."""
    status = None
    if engine is not None:
        with contextlib.suppress(OSError):
            os.killpg(engine.pid, signal.SIGKILL)
    while True:
        known = _children() or ([engine.pid] if engine is not None and status is None else [])
        if not any([_kill(child) for child in known]):
            return status
        # a child that is waited for has handed its own children to the keeper
        child, code = os.waitpid(-1, 0)
        if engine is not None and child == engine.pid:
            status = os.waitstatus_to_exitcode(code)


def _kill(child: int) -> bool:
    try:
        os.kill(child, signal.SIGKILL)
    except OSError:  # it belongs to another user
        return False
    return True


if __name__ == "__main__":
    keep(int(sys.argv[1]), sys.argv[2:])

"""A command that is interrupted at very many moments: at each a child is forked and interrupted.

    python -m tests.cli.interrupted EVERY WORD...

runs `samuel WORD...`. A moment is the first time that a function is called or that a line calls
C; every so many-th is tried. The last line says how many were, and what came of the unclean. Files
that a child puts right before it ends are its own: it goes to a copy of the folder it is run in.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
from types import CodeType, FrameType
from typing import IO, Any

from samuel.cli.interrupts import end_at_once
from samuel.cli.main import main

PATIENCE = 200
"""Seconds until an interruption is taken for lost."""
SHARING = "llvmlite/binding/ffi.py", "multiprocessing/queues.py", "multiprocessing/synchronize.py"
NOISE = "Traceback", "Exception ignored", "Abort"


class Moments:
    """What `sys.setprofile` calls: forks at some moments, and keeps what was unclean."""

    def __init__(self, every: int, said: IO[bytes]) -> None:
        self._every, self._said = every, said
        self._seen: set[tuple[CodeType, str, int]] = set()
        self.tried, self.unclean, self.is_child = 0, list[str](), False

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        moment = frame.f_code, event, frame.f_lineno
        if event not in ("call", "c_return") or moment in self._seen:
            return
        self._seen.add(moment)
        if len(self._seen) % self._every or _may_hold_shared_locks(frame):
            return
        self.tried += 1
        own = shutil.copytree(".", tempfile.mkdtemp(), dirs_exist_ok=True)
        child = os.fork()
        if child:
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            shutil.rmtree(own, ignore_errors=True)
            self._said.seek(0)
            said = self._said.read().decode()
            self._said.seek(0)
            self._said.truncate()
            is_clean = status == 130 and said.endswith("\nsamuel: interrupted\n")
            if not is_clean or any(noise in said for noise in NOISE):
                at = f"{frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_qualname}"
                self.unclean.append(f"{at} ({event}): status {status}\n{said[-2000:]}")
            return
        sys.setprofile(None)
        self.is_child = True
        os.chdir(own)
        os.dup2(self._said.fileno(), 1)
        os.dup2(self._said.fileno(), 2)
        signal.alarm(PATIENCE)
        os.kill(os.getpid(), signal.SIGINT)


def _may_hold_shared_locks(frame: FrameType | None) -> bool:
    """Return whether a child might hold a lock that its parent has too, or never get it back."""
    while frame is not None and not frame.f_code.co_filename.endswith(SHARING):
        frame = frame.f_back
    return frame is not None


def _interrupt(every: str, *words: str) -> None:
    sys.argv = ["samuel", *words]
    with tempfile.TemporaryFile() as said:
        moments = Moments(int(every), said)
        end_at_once()
        sys.setprofile(moments)
        try:
            main()
        finally:
            sys.setprofile(None)
            if not moments.is_child:
                print(json.dumps({"tried": moments.tried, "unclean": moments.unclean}))


if __name__ == "__main__":
    _interrupt(*sys.argv[1:])

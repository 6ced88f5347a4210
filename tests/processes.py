"""Python in fresh processes, which see the package and nothing of pytest."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
TIMEOUT = 1200
"""Seconds; far more than any of them takes on a slow and busy machine: it is for what hangs."""


def eventually(condition: Callable[[], object]) -> bool:
    """Return whether a condition comes true, however long a slow machine takes."""
    until = time.monotonic() + TIMEOUT
    while not (came := bool(condition())) and time.monotonic() < until:
        time.sleep(0.01)
    return came


def environment(**extra: str) -> dict[str, str]:
    """Return the environment of such a process."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **extra}


def heed_signals() -> None:
    """Undo what a process in the background, or under `nohup`, is begun with."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start(
    *arguments: str | Path, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.Popen[str]:
    """Start `python arguments...`, open to signals even where this process is not, and return."""
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        env=environment(**(env or {})),
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_signals,
    )


@contextlib.contextmanager
def conversing(program: str) -> Iterator[subprocess.Popen[str]]:
    """Yield a process that runs a program and reads from here; it ends when it reads the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process
    process.communicate(timeout=TIMEOUT)


def without_progress(errors: str) -> str:
    """Return standard error without what only a slow machine is told."""
    return re.sub(r"^(samuel: )?(compiling, once.*|[a-z ]+, \d+ s)\n", "", errors, flags=re.M)


def finish(process: subprocess.Popen[str]) -> str:
    """Wait for a process and return its standard output; fail with its errors if it failed."""
    out, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0, f"{process.args} exited with {process.returncode}:\n{errors}"
    return out


def run(*arguments: str | Path, env: Mapping[str, str] | None = None) -> str:
    """Run `python arguments...` to its end and return its standard output."""
    return finish(start(*arguments, env=env))

"""The chain where a process has nothing of what only POSIX has; nothing here runs on Windows.

Other packages are imported before, as they are for this system. For samuel `sys.platform` is
Windows then, with stubs of what it uses there: of its locks, and of its clock.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.processes import run

WINDOWS = """
import asyncio, concurrent.futures, ctypes, json, multiprocessing, os, select, shlex, signal
import subprocess, sys, tempfile, threading, time, types
import cyclopts, jinja2, joblib, llvmlite.binding, matplotlib.pyplot, msgspec, numba, numpy, pandas
import pyarrow.compute, pyarrow.parquet, rich.console, rich.table, scipy.optimize, scipy.special
import scipy.stats, skops.io, sklearn.linear_model, sklearn.pipeline, threadpoolctl
import joblib.externals.loky.process_executor, matplotlib.backends.backend_svg
import numba.core.codegen, numba.core.runtime.nrt

@numba.njit
def compiled(x):
    return x + 1

compiled(1)
held = {}

def locking(descriptor, mode, size):
    place = os.fstat(descriptor).st_ino, os.lseek(descriptor, 0, os.SEEK_CUR)
    if held.setdefault(place, descriptor) != descriptor and is_open(held[place], place[0]):
        raise PermissionError(13, "locked")
    held[place] = descriptor

def is_open(descriptor, inode):
    try:
        return os.fstat(descriptor).st_ino == inode
    except OSError:
        return False

@ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(ctypes.c_int64))
def counter(place):
    place[0] = int(time.perf_counter() * 1e9)  # time.get_clock_info: ticks of a nanosecond
    return 1

kernel32 = types.SimpleNamespace(QueryPerformanceCounter=counter)
ctypes.windll = types.SimpleNamespace(kernel32=kernel32)
sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_NBLCK=2)
for name in ("fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "syslog", "posix"):
    sys.modules[name] = None
for module, names in {
    os: "fork forkpty killpg getuid geteuid getgid getpgid setsid getloadavg O_DIRECTORY uname "
    "O_NOFOLLOW O_CLOEXEC mkfifo statvfs set_blocking sched_getaffinity wait fchmod chown",
    signal: "SIGHUP SIGKILL SIGALRM SIGUSR1 SIGPIPE SIGCHLD pthread_kill setitimer alarm pause",
    select: "poll epoll POLLOUT POLLIN",
    time: "clock_gettime",
}.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
signal.Signals = [one for one in signal.Signals if one.name in ("SIGINT", "SIGTERM")]
subprocess.Popen.kill = subprocess.Popen.terminate
sys.platform = "win32"
sys.argv = ["samuel"]
from samuel.cli.main import main
for line in json.load(open("lines")):
    sys.argv[1:] = shlex.split(line)
    try:
        main()
    except SystemExit as end:
        assert not end.code, line
assert held, "no lock was asked for"

from samuel.arena.engines.process import EngineProcess, EngineTimeout
engine = EngineProcess("cat")
engine.send("hello")
assert engine.receive(time.monotonic() + 60) == "hello"
engine.end()
assert not engine.is_alive
engine = EngineProcess("sleep 60")
engine.deadline = time.monotonic() + 0.3
try:
    engine.send("x" * 1_000_000)  # more than a pipe takes
    raise SystemExit("it has read that")
except EngineTimeout as error:
    assert "did not read 'xxx" in str(error)
"""
GAME = "--game tic_tac_toe --depth 1 --jobs 2"
LINES = (
    f"selfplay {GAME} --games 20 --out data --json",
    "train data --model linear --out linear --json",
    f"match linear random {GAME} --pairs 1 --ms 1 --report m.html --out m --json",
    "search --evaluator linear --depth 2 --json",
    f"learn {GAME} --games 20 --generations 1 --model linear --match-depth 1 --gate-pairs 2"
    " --curve-pairs 2 --out run --json",
)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_chain_needs_nothing_that_windows_lacks(
    jit: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = LINES if jit else LINES[:-1]
    Path("lines").write_text(json.dumps(lines))
    env = {"NUMBA_DISABLE_JIT": f"{1 - jit}", "SAMUEL_CACHE": str(tmp_path / "cache")}
    found = [json.loads(line) for line in run("-c", WINDOWS, env=env).splitlines()]
    assert len(found) == len(lines) and found[2]["games"] == 2
    assert Path("m.html").exists() and not list(Path().rglob("*.partial"))

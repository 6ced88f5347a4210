"""Ctrl-C is one line and exit status 130: at any moment, and whatever it meets on its way out."""

import json
import os
import shlex
import signal
import threading
from pathlib import Path

import pytest

from tests.processes import TIMEOUT, environment, start, without_progress

COMMAND = "from samuel.cli.main import main; main()"


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "search --depth 60 --json",
        "perft --depth 14 --json",
        "match classic wpc --depth 8 --pairs 500 --json",
    ],
)
def test_ctrl_c_gets_one_line_and_status_130(line: str) -> None:
    process = start("-c", COMMAND, *shlex.split(line))
    watchdog = threading.Timer(TIMEOUT, process.kill)
    watchdog.start()
    assert process.stderr is not None
    before = [process.stderr.readline()]  # a line of a log: it compiles or works
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    watchdog.cancel()
    *more, last = filter(None, err.splitlines())
    assert (process.returncode, out, last) == (130, "", "samuel: interrupted")
    assert all(line.startswith("samuel: ") for line in before + more)


def test_ctrl_c_is_clean_at_some_moments(tmp_path: Path) -> None:
    check_moments("search --depth 1 --json", 400, tmp_path)


AT_AN_IMPORT = """
import os, signal, sys

class Interrupting:
    def find_spec(name, path, target=None):
        if name == "{name}":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting)
"""


@pytest.mark.parametrize("command", [["-m", "samuel"], [Path("samuel")]], ids=["-m", "script"])
@pytest.mark.parametrize(
    "name",
    ["samuel.common.displayable", "inspect", "samuel.cli.interrupts", "cyclopts", "samuel.search"],
)
def test_ctrl_c_is_clean_while_python_imports(
    name: str, command: list[str | Path], tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(AT_AN_IMPORT.format(name=name))
    (tmp_path / "samuel").write_text(COMMAND)
    path = os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])
    process = start(*command, "search", "--depth", "1", env={"PYTHONPATH": path}, cwd=tmp_path)
    out, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, out, without_progress(err)) in (
        INTERRUPTED,
        (-signal.SIGINT, "", ""),
    )


@pytest.mark.slow
@pytest.mark.parametrize("line", ["sprt", "selfplay --out x"])
def test_ctrl_c_is_clean_at_very_many_moments(line: str, tmp_path: Path) -> None:
    (folder := tmp_path / "work").mkdir()
    check_moments(line, 1000, folder, SAMUEL_CACHE=str(tmp_path / "cache"))


def check_moments(line: str, every: int, folder: Path, **env: str) -> None:
    process = start(
        *("-m", "tests.cli.interrupted", str(every), *shlex.split(line)), env=env, cwd=folder
    )
    out, err = process.communicate(timeout=10 * TIMEOUT)
    assert process.returncode == 0, err
    found = json.loads(out.splitlines()[-1])
    assert found["tried"] >= 10
    assert not found["unclean"], "\n\n".join(found["unclean"])


WORK = """
import ctypes, os, signal, sys, time
from samuel.cli.interrupts import end_at_once, interruptible

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)

class HalfMade:
    def __del__(self):
        raise AttributeError

{work}

end_at_once()
try:
    interruptible(work)
except SystemExit:
    left = HalfMade()
    raise
"""


INTERRUPTED = 130, "", "\nsamuel: interrupted\n"
BATCH = "def work():\n    os.kill(os.getpid(), signal.{})\n    time.sleep(1000)"
PROGRAMS = {
    "lost in a callback": (
        "@ctypes.CFUNCTYPE(None)\ndef lose():\n    interrupt()\n"
        "def work():\n    lose()\n    time.sleep(1000)",
        INTERRUPTED,
    ),
    "met an error": (
        "def work():\n    try:\n        interrupt()\n    finally:\n        raise RuntimeError",
        INTERRUPTED,
    ),
    "lost in a callback, which then fails": (
        "@ctypes.CFUNCTYPE(None)\ndef lose():\n    interrupt()\n"
        "def work():\n    lose()\n    raise RuntimeError",
        INTERRUPTED,
    ),
    "half-made objects": ("def work():\n    made = HalfMade()\n    interrupt()", INTERRUPTED),
    "in an exec": ("def work():\n    exec('interrupt()', globals())", INTERRUPTED),
    "what batch systems send": (
        BATCH.format("SIGTERM"),
        (128 + signal.SIGTERM, "", "\nsamuel: interrupted by SIGTERM\n"),
    ),
    "the end of a terminal": (
        BATCH.format("SIGHUP"),
        (128 + signal.SIGHUP, "", "\nsamuel: interrupted by SIGHUP\n"),
    ),
    "ignored from the start": (
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "def work():\n    os.kill(os.getpid(), signal.SIGHUP)\n    print('went on')",
        (0, "went on\n", ""),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_interruption_is_clean_whatever_it_meets(name: str) -> None:
    work, expected = PROGRAMS[name]
    process = start("-c", WORK.format(work=work))
    out, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, out, err) == expected


def test_ctrl_c_that_comes_when_all_is_done_changes_nothing() -> None:
    program = (
        "import os, signal\n"
        "from samuel.cli.interrupts import end_at_once\n"
        "class Last:\n"
        "    def __del__(self, kill=os.kill, me=os.getpid(), how=signal.SIGINT):\n"
        "        kill(me, how)\n"
        "last = Last()\n"
        "end_at_once()\n"
    )
    process = start("-c", program)
    _, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, err) == (0, "")

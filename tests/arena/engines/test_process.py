"""The child process behind an engine: deadlines, last words, and that nothing of it is left."""

import os
import shlex
import signal
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from samuel.arena.engines.process import EngineCrash, EngineProcess, EngineTimeout, end_all
from samuel.common.errors import UserError
from tests.arena.engines.helpers import is_running, script
from tests.processes import TIMEOUT, eventually, start

UNRULY = Path(__file__).with_name("unruly.py")
KINDS = "fork", "ignore,fork", "silent,fork", "closeall,fork"

ECHO = "import sys\nfor line in sys.stdin: print(line.upper(), end='', flush=True)"
# says the number of a process that it started itself, then nothing more
PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
print(child.pid, flush=True)
time.sleep(1000)
"""


def soon(seconds: float = TIMEOUT) -> float:
    return time.monotonic() + seconds


def gone(pid: int) -> bool:
    """Return whether a process ends; what has no parent is reaped late."""
    return eventually(lambda: not is_running(pid) or is_zombie(pid))


def is_zombie(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z"


def test_lines_there_and_back(tmp_path):
    process = EngineProcess(script(tmp_path, ECHO))
    for word in ("one", "two"):
        process.send(word)
        assert process.receive(soon()) == word.upper()
    pid = process._process.pid
    process.end("bye")
    process.end()
    assert not is_running(pid)
    with pytest.raises(EngineCrash, match="ended before"):
        process.send("three")


@pytest.mark.parametrize("command", ["no-such-program-anywhere 1", "", "  ", "'unclosed", "/"])
def test_commands_that_cannot_be_run(command):
    with pytest.raises(UserError) as error:
        EngineProcess(command)
    assert "\n" not in str(error.value)


def test_a_crash_tells_the_last_words(tmp_path):
    text = "import sys; input(); print('fine so far'); sys.exit('no memory for tables')"
    process = EngineProcess(script(tmp_path, text))
    process.send("go")
    assert process.receive(soon()) == "fine so far"
    with pytest.raises(EngineCrash, match=r"with status 1; .*no memory for tables") as error:
        process.receive(soon())
    assert "\n" not in str(error.value)


def test_a_late_answer_ends_the_engine_and_what_it_started(tmp_path):
    process = EngineProcess(script(tmp_path, PARENT))
    child = int(process.receive(soon()))
    with pytest.raises(EngineTimeout, match="in time; its last output"):
        process.receive(soon(0.2))
    assert gone(child) and not is_running(process._process.pid)


def test_ending_all_wakes_who_waits(tmp_path):
    process = EngineProcess(script(tmp_path, ECHO))
    failures = []

    def wait() -> None:
        try:
            process.receive(soon())
        except EngineCrash as error:
            failures.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    end_all()
    waiting.join(TIMEOUT)
    assert len(failures) == 1 and not waiting.is_alive()


@pytest.fixture
def mark() -> Iterator[str]:
    """Yield a word for command lines; nothing that has it is left after the test."""
    word = uuid.uuid4().hex
    yield word
    for pid in marked(word):
        os.kill(pid, signal.SIGKILL)


def marked(word: str) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:  # it has ended
            pass
    return found


def unruly(kind: str, mark: str) -> str:
    return shlex.join([sys.executable, str(UNRULY), kind, mark])


def all_started(kind: str, mark: str) -> bool:
    """Return whether the engine and its child run."""
    return eventually(lambda: len(marked(mark)) >= 1 + kind.split(",").count("fork"))


on_linux = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere processes are not found in /proc"
)


@on_linux
@pytest.mark.parametrize("kind", KINDS)
def test_what_ends_leaves_nothing_that_it_started(kind: str, mark: str) -> None:
    process = EngineProcess(unruly(kind, mark))
    assert all_started(kind, mark)
    process.end("quit")
    assert marked(mark) == []


@on_linux
def test_an_interruption_while_an_engine_ends_still_ends_it(
    mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_seconds: float) -> None:
        raise KeyboardInterrupt

    process = EngineProcess(unruly("ignore,fork", mark))
    assert all_started("fork", mark)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(process._readers[0], "join", interrupted)
        process.end("quit")
    assert eventually(lambda: not marked(mark))


@on_linux
def test_a_process_that_is_killed_leaves_no_engine(mark: str) -> None:
    program = (
        "import time; from samuel.arena.engines.process import EngineProcess\n"
        f"kept = [EngineProcess(command) for command in {[unruly(k, mark) for k in KINDS]}]\n"
        "print(flush=True); time.sleep(1000)"
    )
    process = start("-c", program)
    assert process.stdout is not None and process.stdout.readline()
    assert all_started(" ".join(KINDS), mark)
    process.kill()
    process.communicate()
    assert eventually(lambda: not marked(mark))


def test_an_engine_that_does_not_read_keeps_nobody(mark: str) -> None:
    process = EngineProcess(unruly("silent", mark))
    full = "x" * (1 << 20)  # more than a pipe holds
    sending = threading.Thread(target=pytest.raises, args=(EngineCrash, process.send, full))
    sending.start()
    process.end("quit")
    sending.join(TIMEOUT)
    assert not sending.is_alive() and not marked(mark)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_ctrl_c_leaves_no_engine_behind(tmp_path):
    command = script(tmp_path, PARENT)
    waiting = (
        "import time; from samuel.arena.engines.process import EngineProcess as E\n"
        f"e = E({command!r}); until = time.monotonic() + {2 * TIMEOUT}\n"
        "print(e._process.pid, e.receive(until), flush=True); e.receive(until)"
    )
    process = start("-c", waiting)
    assert process.stdout is not None
    engine, child = map(int, process.stdout.readline().split())
    assert is_running(engine) and is_running(child)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=TIMEOUT)
    assert "KeyboardInterrupt" in errors and process.returncode != 0
    assert gone(engine) and gone(child)

"""The child process behind an engine: deadlines, last words, and that nothing of it is left."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from samuel.arena.engines import EngineCrash, EngineTimeout
from samuel.arena.engines.process import EngineProcess, end_all
from samuel.errors import UserError
from tests.arena.engines.helpers import is_running, script
from tests.processes import TIMEOUT, eventually, start

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


def test_a_silent_engine_times_out_without_words(tmp_path):
    process = EngineProcess(script(tmp_path, "import time; time.sleep(1000)"))
    with pytest.raises(EngineTimeout, match="it said nothing"):
        process.receive(soon(0.1))


def test_much_on_standard_error_blocks_nobody(tmp_path):
    text = "import sys; sys.stderr.write('noise ' * 10**6); print('done', flush=True); input()"
    process = EngineProcess(script(tmp_path, text))
    assert process.receive(soon()) == "done"
    process.end()


def test_several_threads_each_with_an_engine(tmp_path):
    commands = [script(tmp_path, ECHO) for _ in range(4)]
    failed = []

    def work(number: int) -> None:
        process = EngineProcess(commands[number])
        for k in range(50):
            process.send(f"line {number} {k}")
            if process.receive(soon()) != f"LINE {number} {k}":
                failed.append(number)
        process.end()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


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

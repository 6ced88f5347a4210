"""What a test leaves running is named, and what has ended is not."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.leftovers import Leftovers
from tests.processes import eventually


def test_a_thread_that_waits_is_named_until_it_ends() -> None:
    leftovers, end = Leftovers(), threading.Event()
    thread = threading.Thread(target=end.wait, name="forgotten")
    thread.start()
    assert leftovers.names() == ["forgotten"]
    end.set()
    assert leftovers.after_grace() == []


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are read from /proc")
def test_a_process_that_waits_is_named_by_its_command() -> None:
    leftovers = Leftovers()
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert eventually(lambda: [name[-10:] for name in leftovers.names()] == ["-c input()"])
    process.communicate(b"\n")
    assert leftovers.after_grace() == []

"""Whatever compiles says so, once, and what is on disk is loaded without a word."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from samuel.kernels.waiting import Waiting
from tests.processes import run

PROGRAM = """
import contextlib
from numba import int64
from samuel.kernels import jit as compiler
from samuel.kernels.waiting import announced_by

compiler.SECONDS_PER_INSTRUCTION = 10

@compiler.jit
def helper(x):
    return 2 * x

@compiler.jit(int64(int64))
def kernel(x):
    return helper(x) + 1

@contextlib.contextmanager
def say(line):
    print(line)
    yield

if __name__ == "__main__":
    with announced_by(say):
        print(kernel(1), helper(1), kernel(2))
"""


def test_a_kernel_that_compiles_says_so_and_one_from_disk_does_not(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    env = {"SAMUEL_CACHE": str(tmp_path / "cache")}
    first, *rest = run(tmp_path / "program.py", env=env).splitlines()
    assert first.startswith("compiling, once: about ") and rest == ["3 2 5"]
    assert run(tmp_path / "program.py", env=env) == "3 2 5\n"


def told() -> tuple[Waiting, list[str]]:
    lines: list[str] = []

    @contextlib.contextmanager
    def announce(line: str) -> Iterator[None]:
        lines.append(line)
        yield

    return Waiting(announce), lines


def test_short_waits_are_not_worth_a_line_until_they_add_up() -> None:
    waiting, lines = told()
    for _ in range(3):
        with waiting.announced(0.4):
            pass
    assert lines == ["compiling, once: about 1 s"]


def test_a_part_of_a_wait_is_not_announced_again_and_a_far_longer_one_is() -> None:
    waiting, lines = told()
    with waiting.announced(4.2), waiting.announced(4.0):
        assert lines == ["compiling, once: about 5 s"]
    waiting.seconds = 4.2  # as long as was thought
    with waiting.announced(4.5):
        pass
    assert len(lines) == 1
    waiting.seconds = 8.7
    with waiting.announced(20.0):
        pass
    assert lines[1:] == ["compiling, once: about 20 s"]


def test_a_slow_machine_is_told_longer_times() -> None:
    waiting, lines = told()
    with waiting.announced(2.0):
        pass
    waiting.seconds = 6.0  # three times as long as was thought
    with waiting.announced(2.0):
        pass
    assert lines[1:] == ["compiling, once: about 6 s"]


def test_how_slow_a_machine_is_does_not_wear_off() -> None:
    waiting, lines = told()
    for expected in (9.9, 9.9, 20.4, 42.4):
        with waiting.announced(expected):
            pass
        waiting.seconds += 2 * expected  # each takes twice as long as was thought
    assert [line.split()[-2] for line in lines] == ["10", "20", "41", "85"]


def test_what_nothing_is_compiled_for_is_silent() -> None:
    waiting, lines = told()
    with waiting.announced(0.0):
        pass
    assert lines == [] and waiting.seconds == 0

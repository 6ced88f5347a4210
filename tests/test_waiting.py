"""Whatever compiles says so, once, and what is on disk is loaded without a word."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

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


def compiled(
    parts: Sequence[float], pace: float, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[float], float]:
    """Return the times that are announced for parts, each `pace` times as long as was thought."""
    now = 0.0
    monkeypatch.setattr("samuel.kernels.waiting.time.perf_counter", lambda: now)
    waiting, lines = told()
    for expected in parts:
        with waiting.announced(expected), waiting.announced(expected):  # a part of it is none more
            now += pace * expected
    return [float(line.split()[3]) for line in lines], waiting.seconds


@pytest.mark.parametrize("pace", [0.3, 1.0, 4.0])
@pytest.mark.parametrize(
    "parts", [[3.0], [1.5] + 40 * [0.5], [0.9, 1.1, *[0.1] * 20, 1.6, 7.0, 4.9, 1.7, 2.5, 2.7]]
)
def test_the_time_that_is_announced_is_the_time_that_it_takes(
    parts: list[float], pace: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last of few lines is near what all parts take, on a fast machine and on a slow one."""
    said, took = compiled(parts, pace, monkeypatch)
    assert said == sorted(said) and len(said) <= 1 + math.log(took * max(1, 1 / pace), 1.5)
    if len(parts) > 1:  # of a single one nothing is known but the usual pace
        assert took / 1.6 - 1 <= said[-1] <= 1.1 * took + 1

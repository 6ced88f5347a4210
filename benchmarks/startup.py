"""Time of commands, cold and warm, beside `import numba, numpy` and another checkout.

    python -m benchmarks.startup --beside ../older

A cold run has an empty cache of compiled code, and modules that Python has compiled before. The
runs of both checkouts take turns. Seconds of the processor tell more than those of the clock where
other processes run; the least of several runs is kept.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import record

ROOT = Path(__file__).parents[1]
COMMANDS = {
    "search": "search --depth 6",
    "models": "models",
    "sprt": "sprt --elo0 0 --elo1 5",
    "match": "match classic wpc --depth 2 --pairs 2 --jobs 1",
    "selfplay": "selfplay --depth 2 --games 10 --jobs 1 --out data",
    "--help": "--help",
}


class Checkout(NamedTuple):
    """The sources of one version: where Python finds them, and the code that runs the command."""

    name: str
    path: str
    program: str


def _checkout(name: str, root: Path, links: Path) -> Checkout:
    """Return a checkout, whose package is `samuel`, or, before it was, all that is in it."""
    if "samuel.cli" not in (root / "cli/main.py").read_text():
        return Checkout(name, str(root), "from cli.main import main; main()")
    (links / name).mkdir()
    (links / name / "samuel").symlink_to(root.resolve())
    return Checkout(name, str(links / name), "from samuel.cli.main import main; main()")


def _run(path: str, program: str, arguments: list[str], cache: str) -> tuple[float, float]:
    """Return the seconds of the processor and of the clock that a process takes."""
    environment = os.environ | {"SAMUEL_CACHE": cache, "PYTHONPATH": path}
    with tempfile.TemporaryDirectory() as folder:
        before, began = os.times(), time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", program, *arguments],
            cwd=folder,
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        clock, after = time.perf_counter() - began, os.times()
    used = after.children_user + after.children_system
    return used - before.children_user - before.children_system, clock


def _measured(
    checkouts: list[Checkout], arguments: list[str], cold: int, warm: int
) -> Iterator[Any]:
    """Yield (checkout, "cold" or "warm", seconds of the processor, of the clock)."""
    caches = {one.name: tempfile.mkdtemp() for one in checkouts}
    for checkout in checkouts:  # compiles Python's own files, and fills the cache
        _run(checkout.path, checkout.program, arguments, caches[checkout.name])
    for _ in range(cold):
        for checkout in checkouts:
            with tempfile.TemporaryDirectory() as empty:
                yield checkout, "cold", *_run(checkout.path, checkout.program, arguments, empty)
    for _ in range(warm):
        for checkout in checkouts:
            cache = caches[checkout.name]
            yield checkout, "warm", *_run(checkout.path, checkout.program, arguments, cache)


def main() -> None:
    """Time whole processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", type=Path, help="another checkout to measure as well")
    parser.add_argument("--commands", default=",".join(COMMANDS))
    parser.add_argument("--cold", type=int, default=2, help="runs")
    parser.add_argument("--warm", type=int, default=5, help="runs")
    given, _ = parser.parse_known_args()
    least: dict[tuple[str, str, str], tuple[float, float]] = {}

    def keep(key: tuple[str, str, str], *found: float) -> None:
        before = least.get(key, found)
        least[key] = (min(before[0], found[0]), min(before[1], found[1]))

    with tempfile.TemporaryDirectory() as links:
        checkouts = [_checkout("here", ROOT, Path(links))]
        if given.beside is not None:
            checkouts.append(_checkout("beside", given.beside, Path(links)))
        for name in given.commands.split(","):
            runs = _measured(checkouts, COMMANDS[name].split(), given.cold, given.warm)
            for checkout, kind, *found in runs:
                keep((name, kind, checkout.name), *found)
                if kind == "warm":
                    found = list(_run("", "import numba, numpy", [], ""))
                    keep(("import numba, numpy", kind, ""), *found)
    rows = []
    for (name, kind, checkout), (processor, clock) in least.items():
        row = {"process": f"{name}, {kind}", "checkout": checkout or "-"}
        row |= {"processor": processor, "clock": clock}
        other = least.get((name, kind, "beside"))
        row["of the other"] = processor / other[0] if other and checkout == "here" else ""
        rows.append(row)
    record("startup", rows, "seconds, the least of several runs; the last column is a ratio")


if __name__ == "__main__":
    main()

"""From the start of a process to its first move, cold and warm, and `samuel --help`."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks.common import record, seconds

_COMMAND = [sys.executable, "-c", "from samuel.cli.main import main; main()"]


def _run(arguments: list[str], cache: str) -> float:
    environment = os.environ | {"SAMUEL_CACHE": cache}
    return seconds(
        lambda: subprocess.run(
            [*_COMMAND, *arguments], check=True, env=environment, stdout=subprocess.DEVNULL
        )
    )


def main() -> None:
    """Time whole processes."""
    search = ["search", "--depth", "6", "--json"]
    with tempfile.TemporaryDirectory() as cache:
        times = {
            "samuel search --depth 6, cold": _run(search, cache),
            "samuel search --depth 6, warm": statistics.median(
                _run(search, cache) for _ in range(5)
            ),
            "samuel --help": statistics.median(_run(["--help"], cache) for _ in range(5)),
            "python -c pass": statistics.median(
                seconds(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
                for _ in range(5)
            ),
        }
    record("startup", [{"process": name, "seconds": time} for name, time in times.items()])


if __name__ == "__main__":
    main()

"""Ends of matches with engines that misbehave: what is left of them after three seconds.

    python -m benchmarks engine_ends --engine ENGINE.py --words fork,hang,normal

The engine is called with a word, which says how it misbehaves, and a mark, by which its processes
are found (Linux). Each match ends by itself, by Ctrl-C, SIGTERM or SIGKILL at a random moment;
one that does not end by itself in time is interrupted.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.common import record

ENGINE = Path(__file__).parents[1] / "tests/arena/engines/unruly.py"
WORDS = (
    *("plain", "fork", "detach", "fork,double", "detach,double", "ignore", "ignore,fork"),
    *("silent", "silent,ignore", "closeall"),
)
ENDS = ("normal", "SIGINT", "SIGTERM", "SIGKILL")
MATCH = "match --depth 1 --jobs 2 --ms 50 zero --pairs"
PAIRS = {"normal": 2}
"""Pairs of a match by its end; else so many that it goes on."""
LONGEST, LEFT_AFTER = 60.0, 3.0
"""Seconds until a match is interrupted, and until nothing of it may be left."""


def marked(mark: str) -> list[str]:
    """Return the processes whose command line has a word."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:  # it has ended
            continue
        if mark.encode() in words:
            found.append(entry.name)
    return found


def end_one(engine: Path, word: str, end: str, moment: float) -> dict[str, object]:
    """Play a match, end it, and return what is left."""
    mark = f"mark{random.getrandbits(60):x}"
    name = "gtp:" + shlex.join([sys.executable, str(engine), word, mark])
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "samuel",
                *MATCH.split(),
                str(PAIRS.get(end, 300)),
                "--engine",
                name,
            ],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        running = 0
        while not marked(mark) and process.poll() is None:
            time.sleep(0.02)
        try:
            process.wait(LONGEST if end == "normal" else moment)
        except subprocess.TimeoutExpired:
            running = len(marked(mark))
            process.send_signal(getattr(signal, end, signal.SIGINT))
        process.wait()
    ended = time.monotonic()
    while (left := marked(mark)) and time.monotonic() < ended + LEFT_AFTER:
        time.sleep(0.02)
    gone_after = time.monotonic() - ended
    for pid in left:
        os.kill(int(pid), signal.SIGKILL)
    return {
        "engine": word,
        "end": end,
        "running then": running,
        "status": process.returncode,
        "left": len(left),
        "gone after s": gone_after,
    }


def main() -> None:
    """End matches with each kind of engine in each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", type=Path, default=ENGINE)
    parser.add_argument("--words", default=" ".join(WORDS), help="with blanks between them")
    parser.add_argument("--times", type=int, default=1, help="of each kind and end")
    parser.add_argument("--seed", type=int, default=0)
    given, _ = parser.parse_known_args()
    random.seed(given.seed)
    cases = itertools.product(given.words.split(), ENDS, range(given.times))
    with ThreadPoolExecutor(2) as pool:
        ends = [
            pool.submit(end_one, given.engine, word, end, random.uniform(0, 2))
            for word, end, _ in cases
        ]
        rows = [end.result() for end in ends]
    record("engine_ends", rows, f"processes left {LEFT_AFTER:.0f} s after the match has ended")


if __name__ == "__main__":
    main()

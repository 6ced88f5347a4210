"""A pool that is killed and goes on is the pool that was never killed; what a newcomer costs."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from samuel.arena import read_tournament
from samuel.arena.rating import rate
from samuel.arena.rating.informative import half_width, sharpen
from tests.arena.pool.pools import entries, require_no_opening_twice
from tests.arena.simulated import everyone, simulated
from tests.processes import conversing
from tests.rarely import rarely

# One process that has everything loaded makes each pool in a child of its own, which kills itself
# after so many lines of the journal: children of a process with no other thread are sound.
SERVER = """
import json, os, signal, sys, warnings
import samuel.arena.journal
from samuel.arena import match, tournament
from samuel.search.limits import Limits

warnings.simplefilter("ignore")

def kill_after(lines):
    keep, kept = samuel.arena.journal.Journal.keep, []
    def dying(journal, pair):
        keep(journal, pair)
        kept.append(pair)
        if len(kept) == lines:
            os.kill(os.getpid(), signal.SIGKILL)
    samuel.arena.journal.Journal.keep = dying

match("classic", "wpc", pairs=2, limits=Limits(1))  # all kernels are there
for line in sys.stdin:
    folder, jobs, lines = json.loads(line)
    child = os.fork()
    if child == 0:
        kill_after(lines)
        names = ["classic", "wpc", "zero"]
        tournament(names, out=folder, depth=1, error=45, pairs=120, jobs=jobs, seed=3)
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[subprocess.Popen[str]]:
    with conversing(SERVER) as process:
        yield process


def made(server: subprocess.Popen[str], folder: Path, jobs: int, lines: int = 0) -> bool:
    """Make a pool of three, until it is killed after so many lines; return whether it was made."""
    assert server.stdin is not None and server.stdout is not None
    print(json.dumps([str(folder), jobs, lines]), file=server.stdin, flush=True)
    status = int(server.stdout.readline())
    assert status in (0, signal.SIGKILL), status
    return status == 0


@pytest.fixture(scope="module")
def unbroken(server: subprocess.Popen[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unbroken") / "pool"
    assert made(server, folder, 1)
    assert len(read_tournament(folder).pairs) > 60
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_three_times_it_is_the_same_pool(
    server: subprocess.Popen[str], unbroken: Path, tmp_path: Path, jobs: int
) -> None:
    folder, pairs = tmp_path / "pool", len(read_tournament(unbroken).pairs)
    for lines in (3, pairs // 3, pairs // 3):
        assert not made(server, folder, jobs, lines)
        require_no_opening_twice(folder)
    assert made(server, folder, jobs)
    assert entries(folder) == entries(unbroken)
    require_no_opening_twice(folder)
    one, other = read_tournament(folder), read_tournament(unbroken)
    results = ({pair.key: (pair.opening, pair.results) for pair in p.pairs} for p in (one, other))
    assert next(results) == next(results)
    ratings = one.ratings, other.ratings
    for name in ("elo", "low", "high", "los"):
        assert np.array_equal(*(getattr(one, name) for one in ratings))


@pytest.mark.parametrize("before", [60, rarely(190)])
def test_one_more_takes_less_than_half_a_round_robin(before: int) -> None:
    """A ninth player to +- 15 Elo: twice the games, all against all, leave a wider interval."""
    elo = np.append(np.linspace(-490, 490, 8), 20.0)
    names = [*"abcdefgh", "new"]
    rng = np.random.default_rng(before)
    games = simulated(elo, everyone(8, before), rng)
    ratings, joined = sharpen(
        names, games, 8, lambda plan: simulated(elo, plan, rng), goal=15, resamples=300
    )
    spent = len(joined) - len(games)
    assert half_width(ratings, 8) <= 15
    pairs = 2 * spent // (36 * 2)
    all_meet = simulated(elo, everyone(9, pairs), rng)
    alike = rate(names, all_meet, anchor=names[:8], resamples=300)
    assert half_width(alike, 8) > 15

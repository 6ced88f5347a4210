"""An event that is killed and goes on is the event that was never killed."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from samuel.arena import running
from samuel.arena.match import match
from samuel.arena.records import Pair
from samuel.common.errors import UserError
from samuel.search.limits import Limits
from tests.arena.fakes import game_row
from tests.processes import conversing
from tests.rarely import rarely

# One process that has everything loaded plays each event in a child of its own. A child kills
# itself, as nobody else could so exactly: in the middle of the n-th line of its journal, right
# after it, or while the table of games is being written. Children of a process with no other
# thread are sound.
SERVER = """
import json, os, signal, sys, warnings
import msgspec
import samuel.arena.journal, samuel.arena.records
from samuel.arena.bench import bench
from samuel.arena.match import match
from samuel.arena.sequential.sprt import Sprt
from samuel.arena.tournament import tournament
from samuel.search.limits import Limits

NAMES = ["classic", "zero", "wpc", "classic", "zero"]
EVENTS = {
    "match": lambda **o: match("classic", "wpc", pairs=48, limits=Limits(2), **o),
    "test": lambda **o: match(
        "classic", "zero", pairs=400, limits=Limits(2), sprt=Sprt(0, 60), **o
    ),
    "round-robin": lambda **o: tournament(NAMES[:3], pairs=8, limits=Limits(2), **o),
    "swiss": lambda **o: tournament(
        NAMES, kind="swiss", rounds=3, pairs=4, limits=Limits(2), **o
    ),
    "bench": lambda **o: bench(
        "tic_tac_toe", ["random"], opening_plies=2, error=60, pairs=10, depth=1, **o
    ),
}
warnings.simplefilter("ignore")

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def kill_at(moment, lines):
    if moment == "table":
        whole = samuel.arena.records.whole
        def dying(path):
            with whole(path) as partial:
                partial.write_bytes(b"PAR1")
                die()
        samuel.arena.records.whole = dying
    elif moment:
        keep, kept = samuel.arena.journal.Journal.keep, []
        def dying(journal, pair):
            kept.append(pair)
            if len(kept) == lines and moment == "line":
                line = msgspec.json.encode(pair)
                journal._file.write(line[: len(line) // 2])
                journal._file.flush()
                die()
            keep(journal, pair)
            if len(kept) == lines:
                die()
        samuel.arena.journal.Journal.keep = dying

EVENTS["match"]()  # all kernels are there, and children need not compile them
for line in sys.stdin:
    event, folder, jobs, moment, lines = json.loads(line)
    child = os.fork()
    if child == 0:
        kill_at(moment, lines)
        result = EVENTS[event](out=folder, jobs=jobs, openings="random", seed=7)
        with open(folder + ".json", "w") as file:
            json.dump(result.as_dict(), file, default=lambda array: array.tolist())
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
"""

EVENTS = ("match", "test", "round-robin", "swiss", "bench")


class Server:
    """Plays events in processes of their own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def play(self, event: str, out: Path, jobs: int, moment: str = "", lines: int = 0) -> bool:
        """Play an event until the moment; return whether it came to its end."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps([event, str(out), jobs, moment, lines]), file=self._process.stdin)
        self._process.stdin.flush()
        status = int(self._process.stdout.readline())
        assert status in (0, signal.SIGKILL), status
        return status == 0


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with conversing(SERVER) as process:
        yield Server(process)


@pytest.fixture(scope="module")
def unbroken(server: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("unbroken")
    assert all(server.play(event, folder / event, 1) for event in EVENTS)
    test = answer(folder / "test")
    assert test["sprt"]["decision"] != "continue" and 20 < test["games"] < 800
    return {event: folder / event for event in EVENTS}


def answer(out: Path) -> dict[str, Any]:
    """Return what an event said, but for its times."""
    content: dict[str, Any] = json.loads(Path(f"{out}.json").read_text())
    for player in content.get("players", ()):
        player.pop("seconds_per_move", None)
    timed = ("nodes_per_second", "seconds_per_move", "out", "machine", "command")
    return {name: value for name, value in content.items() if name not in timed}


def table(out: Path) -> pd.DataFrame:
    return pd.read_parquet(out / "games.parquet").drop(columns=["seconds_first", "seconds_second"])


def keys(out: Path) -> list[tuple[int, int]]:
    content = (out / "journal.jsonl").read_text()
    lines = content[: content.rfind("\n") + 1].splitlines()  # without one that was cut off
    return [(one["pairing"], one["number"]) for one, _ in map(json.loads, lines)]


def require_same(out: Path, unbroken: Path) -> None:
    assert answer(out) == answer(unbroken)
    pd.testing.assert_frame_equal(table(out), table(unbroken))
    (games,) = (file for file in unbroken.glob("games.*") if file.suffix in (".ggf", ".txt"))
    assert (out / games.name).read_bytes() == games.read_bytes()
    assert len(set(keys(out))) == len(keys(out))
    assert not list(out.glob("*.partial"))


@pytest.mark.parametrize("jobs", [rarely(1), 2])
@pytest.mark.parametrize("event", EVENTS)
def test_killed_three_times_it_ends_as_if_unbroken(
    server: Server, unbroken: dict[str, Path], tmp_path: Path, event: str, jobs: int
) -> None:
    out = tmp_path / "event"
    assert not server.play(event, out, jobs, "line", 4)
    assert len(keys(out)) == 3
    assert not server.play(event, out, jobs, "after", 5)
    assert len(keys(out)) >= 8
    assert not server.play(event, out, jobs, "table")
    assert not (out / "games.parquet").exists()
    played = len(keys(out))
    assert server.play(event, out, jobs)
    require_same(out, unbroken[event])
    assert len(keys(out)) == played  # the last run had the table to write, and no games to play


@pytest.mark.parametrize("event", EVENTS)
def test_two_workers_find_what_one_does(
    server: Server, unbroken: dict[str, Path], tmp_path: Path, event: str
) -> None:
    assert server.play(event, tmp_path / "event", 2)
    require_same(tmp_path / "event", unbroken[event])


def test_begun_with_one_worker_and_ended_with_two(
    server: Server, unbroken: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "event"
    assert not server.play("round-robin", out, 1, "after", 6)
    assert server.play("round-robin", out, 2)
    require_same(out, unbroken["round-robin"])


@pytest.mark.filterwarnings("ignore:.* forfeited a game")
@pytest.mark.parametrize("broken", [(0, 2, 4, 6), (4, 5, 6)])
def test_faults_in_a_row_are_those_of_the_plan(
    monkeypatch: pytest.MonkeyPatch, broken: tuple[int, ...]
) -> None:
    """In whatever order workers finish: here those of broken games, and backwards."""

    def play(task: Any) -> list[Pair]:
        number = task.numbers[0]
        fault = 1 if number in broken else None
        ending = "crash" if fault else "played"
        key = {"pairing": task.pairing, "number": number}
        game = game_row(1.0, **key, opening=task.openings[0], ending=ending, fault=fault)
        return [(game, game)]

    def in_odd_order(calls: Any, *_: Any, **__: Any) -> Iterator[list[Pair]]:
        tasks = [call[1][0] for call in calls]
        yield from map(play, sorted(tasks, key=lambda one: one.numbers[0] not in broken))

    monkeypatch.setattr(running, "run_tasks", in_odd_order)
    monkeypatch.setattr(running.EventRun, "_require_engines", lambda *_: None)
    options: dict[str, Any] = {"game": "tic_tac_toe", "pairs": 8, "jobs": 2, "limits": Limits(1)}
    if broken == (4, 5, 6):
        with pytest.raises(UserError, match="forfeited 6 games in a row"):
            match("zero", "gtp:x", **options)
    else:
        assert match("zero", "gtp:x", **options).statistics.games == 16

"""`samuel match`: its options, its output, its progress, Ctrl-C."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import select
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from joblib import parallel_config

from samuel.arena.engines.process import end_all
from samuel.arena.journal import Journal
from samuel.arena.records import Pair
from samuel.cli.match import called
from tests.arena.engines.helpers import is_running
from tests.arena.fakes import engine, lives
from tests.cli.conftest import Run
from tests.processes import TIMEOUT, environment, eventually, start

COMMAND = "from samuel.cli.main import main; main()"
NAMED = """
import numpy as np
import samuel
from samuel.kernels.bits import popcount

def corners(position, integers, floats):
    return floats[0] * popcount(position[0] & np.uint64(0x145))

for name, weight in (("{}", 0.1), ("{}", -0.1)):
    samuel.register_evaluator(
        samuel.Evaluator(name, "tic_tac_toe", corners, floats=np.array([weight], np.float32))
    )
"""
QUICK = "match classic zero --game tic_tac_toe --depth 1 --pairs 4 --openings random"
SMALL = "match classic wpc --depth 1 --pairs 4 --openings random"


def test_json_is_one_object_with_the_keys_of_a_match(run: Run) -> None:
    found = run.json(QUICK)
    assert (found["a"], found["b"], found["games"]) == ("classic", "zero", 8)
    assert found["wins"] + found["losses"] + found["draws"] == 8
    assert sum(found["pentanomial"]) == 4
    assert found["score"] == (found["wins"] + found["draws"] / 2) / 8
    assert found["sprt"] is None and found["out"] is None
    assert found["limits"] == "depth 1"


@pytest.mark.parametrize(
    ("options", "limits"),
    [
        ("--depth 2", "depth 2"),
        ("--depth 2 --depth-b 1", "depth 2 against depth 1"),
        ("--nodes 50", "50 nodes"),
        ("--nodes 50 --depth 3", "depth 3, 50 nodes"),
        ("--ms 0.2", "0.2 ms per move"),
        ("--clock 2+0.01", "2 s per game + 10 ms per move"),
        ("--clock 2", "2 s per game"),
        ("--depth 1 --clock-b 2", "depth 1 against 2 s per game"),
        ("--depth 1 --nodes-b 50", "depth 1 against 50 nodes"),
        ("--depth 1 --ms-b 0.2", "depth 1 against 0.2 ms per move"),
        ("", "depth 4"),
    ],
)
def test_what_sides_may_spend(run: Run, options: str, limits: str) -> None:
    found = run.json(f"match classic zero --game tic_tac_toe --pairs 2 --openings random {options}")
    assert found["limits"] == limits
    assert found["games"] == 4


def test_a_test_says_where_it_stands(run: Run) -> None:
    longer = SMALL.replace("--pairs 4", "--pairs 60")
    line = f"{longer} --sprt 0,200 --alpha 0.1 --beta 0.2 --sprt-model logistic"
    found = run.json(line)["sprt"]
    assert found["decision"] in ("H0", "H1", "continue")
    terms = [found[key] for key in ("elo0", "elo1", "alpha", "beta", "model")]
    assert terms == [0, 200, 0.1, 0.2, "logistic"]
    assert found["lower"] < 0 < found["upper"]
    assert "llr" in found
    out = run.done(line)
    assert "LLR" in out and "a sequential test that stops early biases them" in " ".join(
        out.split()
    )


def test_a_verdict_names_the_player_and_tables_fit_100_columns(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    names = [f"an_evaluator_with_the_long_name_number_{k}_of_{'a' * 20}" for k in (1, 2)]
    (tmp_path / "names.py").write_text(NAMED.format(*names))
    tail = "--game tic_tac_toe --opening-plies 2 --nodes 20"
    head = f"--plugin {tmp_path}/names.py"
    event = tmp_path / "m"
    match = f"match {' '.join(names)} {head} {tail} --pairs 12 --sprt -900,-300 --out {event}"
    said = [run.done(match)]
    said.append(run.done(f"sprt {event}"))
    claim = f"{names[0]}isnot900nEloweakerthan{names[1]}:itpassedthetest"
    for out in said:
        assert re.search(claim, "".join(out.split()))
    said.append(run.done(f"games {event} {head}"))
    said.append(run.done(f"tournament {' '.join(names)} zero {head} {tail} --pairs 2"))
    bench = f"bench tic_tac_toe {' '.join(names)} {head} --nodes 20 --pairs 2 --out {tmp_path}/p"
    said.append(run.done(bench))
    assert not any("…" in out for out in said if "moves" not in out)
    assert all(len(line) <= 100 for out in said for line in out.splitlines())


def test_a_clean_sweep_has_bounds_and_no_infinite_elo(run: Run) -> None:
    line = "match zero classic --depth 1 --depth-b 3 --pairs 4 --sprt 0,40"
    found = run.json(line)
    assert (found["losses"], found["elo"], found["nelo"], found["elo_low"]) == (8, *(None,) * 3)
    assert found["los"] == 1 / 32  # mid-p
    out = run.done(line)
    assert "at most +72" in out and "inf" not in out


@pytest.mark.parametrize(("least", "is_told"), [(0.0, True), (1e9, False)])
def test_a_speed_of_moments_is_not_in_the_table(
    run: Run, monkeypatch: pytest.MonkeyPatch, least: float, is_told: bool
) -> None:
    monkeypatch.setattr("samuel.arena.results._LEAST_SECONDS", least)
    speeds = re.search("nodes per second +(.+)", run(SMALL)[1])
    assert speeds and ("\N{EN DASH}" not in speeds[1]) == is_told
    assert min(run.json(SMALL)["nodes_per_second"]) > 0


def test_progress_calls_engines_by_their_names() -> None:
    names = ["runs/x", "NTest=nboard[folder=/opt]:./x y", "uci:/usr/bin/stock fish", "gtp:a --b"]
    assert [called(name) for name in names] == ["runs/x", "NTest", "stock fish", "a --b"]


def test_adjudicated_games_are_counted_and_explained(
    run: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    name = engine(tmp_path_factory.mktemp("engine"), "fine")
    line = (
        "match zero --game tic_tac_toe --depth 1 --pairs 2 --openings random --jobs 1 "
        f"--adjudicate-from 5 --engine {shlex.quote(name)} --report page.html"
    )
    found = run.json(line)
    assert found["adjudicate_from"] == 5 and 0 < found["adjudicated"] <= 4
    status, out, _ = run(line)
    words = " ".join(out.replace("\u2502", " ").split())
    assert status == 0 and f"{found['adjudicated']} of 4 games, from 5 empties" in words
    page = Path("page.html").read_text(encoding="utf-8")
    assert "The solver adjudicated" in page and "by perfect play" in page
    plain = run.json(line.replace("--adjudicate-from 5", "--adjudicate-from 0"))
    assert (plain["adjudicate_from"], plain["adjudicated"]) == (0, 0)


def test_faults_are_in_the_table_and_in_json(
    run: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("engine")
    name = engine(folder, "crash", every=3)
    line = (
        "match zero --game tic_tac_toe --depth 1 --pairs 4 --openings random --jobs 1 "
        f"--engine {shlex.quote(name)}"
    )
    assert run.json(line)["faults"] == {"a": {}, "b": {"crash": 2}}
    (folder / "engine.log").unlink()
    out = run.done(f"{line} --out event")
    assert "games forfeited (crash)" in " ".join(out.split())
    faults = run.json("games event --only faults")["games"]
    assert len(faults) == 2 and all("Segmentation fault" in game["note"] for game in faults)
    end_all()
    assert not any(is_running(pid) for pid in lives(folder))


def interrupted(line: str, folder: Path, *, later: float = 0.2) -> tuple[int, str, str]:
    """Return status, output and errors of a command that gets Ctrl-C after its first pair.

    That is pair number 0, which is shown before others, whatever ends first. `later` are the
    seconds from when it is in the folder: so much work has to be left.
    """
    process = start("-c", COMMAND, *shlex.split(line))
    watchdog = threading.Timer(TIMEOUT, process.kill)
    watchdog.start()
    journal = folder / "journal.jsonl"
    assert eventually(lambda: journal.exists() and '"number":0,' in journal.read_text())
    assert process.poll() is None
    time.sleep(later)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate()
    watchdog.cancel()
    return process.returncode, said, errors


def test_ctrl_c_shows_the_table_so_far_and_leaves_no_engine(tmp_path: Path) -> None:
    name, out = engine(tmp_path, "slow"), tmp_path / "event"
    line = f"match zero {shlex.quote(name)} --game tic_tac_toe --depth 1 --pairs 60"
    line += f" --openings random --opening-plies 4 --jobs 2 --out {out}"
    status, said, errors = interrupted(line, out)
    assert (status, errors.splitlines()[-1]) == (130, "samuel: interrupted")
    assert "interrupted" in said and "likelihood of superiority" in said
    kept = (out / "journal.jsonl").read_text().splitlines()
    assert 1 <= len(kept) < 60 and all(len(json.loads(one)) == 2 for one in kept)
    assert (out / "games.parquet").exists()
    assert eventually(lambda: not any(is_running(pid) for pid in lives(tmp_path)))


@pytest.mark.parametrize("line", [QUICK, QUICK.replace("match", "tournament")])
def test_an_interrupted_match_writes_its_page_and_says_what_is_kept(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str
) -> None:
    first: Callable[..., Any] = Journal.keep

    def keep(journal: Journal, pair: Pair) -> None:
        if len(journal.pairs) == enough:
            raise KeyboardInterrupt
        first(journal, pair)

    monkeypatch.setattr(Journal, "keep", keep)
    monkeypatch.setattr("samuel.arena.running._pairs_per_task", lambda meeting: 1)
    enough = 2
    line += " --jobs 1"  # pairs come in their order
    status, out, err = run(f"{line} --report page.html --out event")
    assert status == 130 and re.search(r"\b4 games|games +4:", out), out
    assert "complete results are saved in event; run the same command" in err
    assert "</html>" in (tmp_path / "page.html").read_text()
    status, out, err = run(f"{line} --json --report of-json.html")
    assert (status, out) == (130, "") and (tmp_path / "of-json.html").exists()
    assert "the games were not saved; use --out FOLDER to save them" in err
    enough = 0
    status, out, err = run(f"{line} --report none.html --out other")
    assert (status, out) == (130, "") and not (tmp_path / "none.html").exists()
    assert "no complete results in other yet; the same command starts again" in err


def on_a_terminal(
    line: str, *, interrupt_when: Callable[[str], bool] = lambda shown: False
) -> tuple[int, str]:
    """Return status and all that a command shows on a terminal of its own.

    It gets one Ctrl-C, when what it has shown so far is what `interrupt_when` waits for.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # which a process in the background ignores
        env = environment(TERM="xterm", COLUMNS="100", LINES="40")
        words = [sys.executable, "-c", COMMAND, *shlex.split(line)]
        os.execve(sys.executable, words, env)
    shown, is_interrupted, until = b"", False, time.monotonic() + TIMEOUT
    while time.monotonic() < until:
        ready, _, _ = select.select([terminal], [], [], 0.05)
        if ready:
            try:
                content = os.read(terminal, 65536)
            except OSError:  # the other end was closed
                break
            if not content:
                break
            shown += content
        if not is_interrupted and interrupt_when(shown.decode(errors="replace")):
            os.write(terminal, b"\x03")
            is_interrupted = True
    else:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode(errors="replace")


def test_the_progress_on_a_terminal() -> None:
    # of two such bounds no number of games decides
    line = "match classic wpc --depth 6 --pairs 5000 --sprt 0,0.001 --jobs 1"

    def is_drawn_again_and_again(shown: str) -> bool:
        rows = "games per second", " left", "LLR"
        return shown.count("classic against wpc") > 2 and all(row in shown for row in rows)

    status, shown = on_a_terminal(line, interrupt_when=is_drawn_again_and_again)
    assert status == 130
    assert "Traceback" not in shown
    assert is_drawn_again_and_again(shown)
    assert shown.rstrip().endswith("samuel: interrupted")


OWN = """
from samuel import Evaluator, register_evaluator
from samuel.kernels.bits import popcount

def stones(position, integers, floats):
    "Count stones."
    return floats[0] * (popcount(position[0]) - popcount(position[1]))

def at_times(position, integers, floats):
    if position[0] == 5:
        return 1.0

def never(position, integers, floats):
    position[0] + 1

def words(position, integers, floats):
    return "a"

register_evaluator(Evaluator("stones", "othello", stones, floats=[-1]))
for function in (at_times, never, words):
    register_evaluator(Evaluator(function.__name__, "othello", function))
"""


def test_an_evaluator_of_ones_own_has_a_name_where_its_file_is_loaded(run, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    line = "match stones zero --depth 1 --pairs 20 --seed 1"
    alone = run.json(f"{line} --jobs 1 --plugin own.py")
    assert alone["a"] == "stones" and alone["games"] == 40
    with parallel_config(backend="loky"):  # processes, where threads are usual
        assert run.json(f"{line} --jobs 2 --plugin own.py")["score"] == alone["score"]
    assert run.json("models --plugin own.py")["evaluators"]["stones"] == "Count stones."
    played = "selfplay --evaluator stones --games 20 --depth 1 --jobs 2 --out data"
    run.done(f"{played} --plugin own.py")
    err = run.refused("match at_times zero --depth 1 --plugin own.py")
    assert "at_times cannot be compiled: not every path through it ends in a return" in err
    for name in ("never", "words"):
        err = run.refused(f"match {name} zero --depth 1 --plugin own.py")
        assert f"{name} cannot be compiled: not every path through it ends in a return" in err
    assert run("models check own.py")[0] == 1


@pytest.mark.filterwarnings("ignore:.* forfeited a game")
def test_a_match_that_an_engine_forfeits_shows_its_games(run: Run, tmp_path: Path) -> None:
    line = f"match zero {shlex.quote(engine(tmp_path, 'crash'))} --game tic_tac_toe --depth 1"
    line += " --pairs 60 --openings random --opening-plies 4 --jobs 1 --report page.html"
    status, out, err = run(line)
    assert (status, err.splitlines()[-1][:8]) == (1, "samuel: ") and "6 games in a row" in err
    assert "likelihood of superiority" in out and "</html>" in Path("page.html").read_text()

"""`samuel dataset`: the JSON of its subcommands, and one line for what cannot be."""

import re
import shlex
import signal
import threading
import time
from pathlib import Path

import pytest

from tests.arena.engines.helpers import fake_uci
from tests.cli.conftest import Run
from tests.processes import ROOT, TIMEOUT, eventually, start

SHORTEST = "e6f4e3f6g5d6e7f5c5"
COMMAND = "from samuel.cli.main import main; main()"


def test_the_whole_chain_in_json(run: Run) -> None:
    a = run.json("selfplay --depth 1 --games 80 --epsilon 0.1 --seed 1 --out a")
    b = run.json("selfplay --depth 1 --games 40 --seed 2 --out b")
    merged = run.json("dataset merge a b --out m")
    assert merged.pop("seconds") >= 0
    assert merged == {"games": 120, "positions": a["positions"] + b["positions"], "out": "m"}
    sides = run.json("dataset split m --out-a train --out-b test --share 0.25 --seed 3")
    assert (sides["a"]["games"], sides["b"]["games"]) == (90, 30)
    assert sides["a"]["positions"] + sides["b"]["positions"] == merged["positions"]
    assert sides["left_out"] == 0
    apart = run.json("dataset split m --out-a x --out-b y --share 0.25 --seed 3 --distinct")
    assert (apart["left_out"], apart["shared"]) == (sides["shared"], 0)
    assert apart["b"]["positions"] == sides["b"]["positions"] - apart["left_out"]
    distinct = run.json("dataset dedupe m --out u")
    assert distinct["before"] == merged["positions"] >= distinct["positions"]
    middle = run.json("dataset filter m --plies 10-40 --plies-left 12-50 --max-score 20 --out f")
    assert middle["before"] == merged["positions"] > middle["positions"] > 0
    deeper = run.json("dataset relabel f --depth 2 --evaluator wpc --exact-from 0 --out r --jobs 2")
    assert deeper["positions"] == middle["positions"]
    info = run.json("dataset info r --samples 1")
    assert [step["command"] for step in info["history"]] == ["merge", "filter", "relabel"]
    assert info["settings"]["evaluator"] == "wpc" and info["complete"]
    assert min(map(int, info["plies"])) >= 10 and max(map(int, info["plies"])) <= 40
    assert info["sources"] == {"learned": middle["positions"]}
    outcomes, plies = run.done("dataset info m --samples 0").split("Positions by ply")
    pairs = re.findall(r"^ *(\d+) to (\d+) +([\d,]+) ", plies, re.MULTILINE)
    counts = [int(count.replace(",", "")) for *_, count in pairs]
    assert sum(counts) == merged["positions"] and len(counts) <= 12
    assert "-64 to -56" in outcomes and "+56 to +64" in outcomes


def test_a_dataset_that_is_not_complete_says_what_to_do(run: Run) -> None:
    run.done("selfplay --game nim --depth 1 --games 4 --out a")
    manifest = Path("a/manifest.json")
    manifest.write_text(manifest.read_text().replace('"complete": true', '"complete": false'))
    assert "no: run the command that makes it again" in run.done("dataset info a")


@pytest.mark.parametrize("format", ["transcripts", "ggf"])
def test_games_out_and_in(run: Run, format: str) -> None:
    played = run.json("selfplay --depth 1 --games 20 --seed 1 --out a")
    written = run.json(f"dataset export a --format {format} --out games.txt")
    assert (written["games"], written["left_out"]) == (20, 0)
    read = run.json("dataset import games.txt --out back")
    assert (read["games"], read["imported"], read["positions"]) == (20, 20, played["positions"])
    assert read["left_out"] == read["first_left_out"] == {} and read["seconds"] >= 0
    out = run.done("dataset info back")
    assert "History" in out and "games.txt" in out
    assert "score" not in out.split("to move (")[-1], "nothing was searched"


def test_what_is_left_out_of_an_import_is_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text(f"{SHORTEST}\nf5d6\n{SHORTEST}\na1\n")
    out = run.done("dataset import games.txt --out games")
    said = " ".join(out.split())
    assert "games 4 " in said and "imported 2 " in said and "positions 18 " in said
    assert "left out illegal move 1, not finished 1 " in said
    assert "not finished games.txt, line 2" in said


def test_csv_counts_positions(run: Run, tmp_path: Path) -> None:
    played = run.json("selfplay --game connect-four --depth 1 --games 5 --out a")
    written = run.json("dataset export a --out rows.csv")
    assert written["positions"] == played["positions"]
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == played["positions"] + 1


def test_an_own_game_goes_through(run: Run) -> None:
    game = ROOT / "examples/custom_game.py"
    run.json(f"selfplay --game {game} --evaluator zero --games 30 --depth 1 --out a")
    with_game = f"--plugin {game}"
    run.json(f"dataset dedupe a --out u {with_game}")
    run.json(f"dataset relabel a --depth 3 --evaluator zero --out r {with_game}")
    run.json(f"dataset export r --format transcripts --out g.txt {with_game}")
    read = run.json(f"dataset import g.txt --game {game} --out back")
    assert read["imported"] == 30


def test_an_engine_in_place_of_an_evaluator(run: Run, tmp_path: Path) -> None:
    run("selfplay --game chess --evaluator material --depth 1 --games 2 --seed 1 --out a")
    engine = shlex.quote(fake_uci(tmp_path, "plain", *["h3e3"] * 9999))
    made = run.json(f"dataset relabel a --engine {engine} --ms 20 --jobs 2 --out r")
    assert made["games"] == 2 and "without_score" not in made
    info = run.json("dataset info r")
    assert info["settings"]["program"] == "Fake 3" and info["settings"]["seconds"] == 0.02
    for options, message in (
        (f"--engine {engine}", "--engine needs a limit"),
        (f"--engine {engine} --nodes 9 --evaluator zero", "cannot be given with --engine"),
        ("--nodes 9", "are limits of an --engine"),
    ):
        assert message in run.misused(f"dataset relabel a {options} --out x")


def test_a_full_disk_gets_one_line_and_leaves_nothing(run: Run, small_disk: Path) -> None:
    run("selfplay --depth 1 --games 400 --seed 4 --out a")
    for line in ("merge a --out disk/m", "export a --out disk/a.csv"):
        assert "the disk is full" in run.refused(f"dataset {line}")
        assert not [f for f in small_disk.rglob("*") if f.is_file() and f.name != ".lock"]


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_searched(tmp_path: Path, run: Run) -> None:
    run("selfplay --depth 1 --games 50 --seed 4 --out a")
    line = f"dataset relabel {tmp_path}/a --depth 40 --out {tmp_path}/r"
    process = start("-c", COMMAND, *line.split())
    watchdog = threading.Timer(TIMEOUT, process.kill)
    watchdog.start()
    assert eventually((tmp_path / "r/manifest.json").exists) and process.poll() is None
    time.sleep(1)  # into the first game, which would take years
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    watchdog.cancel()
    assert (process.returncode, out) == (130, "")
    *lines, last = filter(None, err.splitlines())  # a slow machine has had time for lines of a log
    assert "the same command starts again" in lines[-1] and last == "samuel: interrupted"
    assert "Traceback" not in err

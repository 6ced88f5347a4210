"""The command in unusual company: huge numbers, closed pipes, full disks, own files."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.processes import ROOT, TIMEOUT, environment
from tests.rarely import rarely

HUGE = 10**20
BOARD = "-XXXX-XXXXOXXXX-XXXOXOXOXXOOXOOOXXOXOXOOXXOOOOO-XXOOXOXX-XOOXO-X"
COMMAND = "from samuel.cli.main import main; main()"


@pytest.mark.parametrize(
    "line",
    [
        f"search --depth 2 --nodes {HUGE}",
        "search --depth 2 --seconds inf",
        f"search --depth {HUGE} --nodes 100",
        f"search --nodes 100 --exact-from {HUGE}",
        f"match classic wpc --pairs 1 --depth 1 --seed {HUGE}",
        f"match classic wpc --pairs 1 --depth 1 --nodes {HUGE}",
        "match classic wpc --pairs 1 --depth 1 --ms inf",
        "match classic wpc --pairs 1 --depth 1 --ms 1e30",
        f"match classic zero --pairs 1 --depth 1 --exact-from {HUGE} --game tic_tac_toe",
        f"selfplay --out data --depth 1 --games 1 --exact-from {HUGE} --game tic_tac_toe",
        "selfplay --out data --depth 1 --games 1 --temperature inf",
        "dataset info data --boards 1000",
        f"perft --depth 3 --seed {HUGE}",
    ],
)
def test_huge_numbers_are_taken_or_refused(run: Run, line: str) -> None:
    if line.startswith("dataset"):
        run("selfplay --out data --depth 1 --games 1")
    status, out, err = run(f"{line} --json")
    assert status in (0, 2), err
    assert json.loads(out) if status == 0 else "Invalid value" in err


@pytest.mark.parametrize("option", ["nodes", "depth", "games"])
def test_numbers_beyond_the_range_of_an_option_are_wrong_usage(run: Run, option: str) -> None:
    status, out, err = run(f"selfplay --out data --{option} {HUGE}")
    assert (status, out) == (2, "") and "is not in the range" in err.replace("\n", " ")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("selfplay --out data --jobs 0", "0 workers"),
        ("match classic wpc --jobs 0", "0 workers"),
        ("match classic wpc --opening-plies 100 --pairs 1", "hardly ever last 100 plies"),
        ("search --evaluator .", "model.json"),
        ("solve /dev/null", "cannot be read"),
        ("evaluate /", "cannot be read"),
    ],
)
def test_numbers_that_make_no_sense_get_one_line(run: Run, line: str, message: str) -> None:
    status, out, err = run(line)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert message in err
    assert not Path("data").exists()


def test_an_own_file_that_fails_gets_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("1 / 0\n")
    for line in ("search --plugin broken.py", "search --game broken.py"):
        status, out, err = run(line)
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert "broken.py failed: ZeroDivisionError" in err


@pytest.mark.slow
def test_an_own_game_is_played_by_the_commands(run: Run) -> None:
    game = ROOT / "examples/custom_game.py"
    for line in (
        f"search --game {game} --evaluator zero --depth 3",
        f"perft --game {game} --depth 3",
        f"match zero zero --game {game} --pairs 2 --depth 1",
        f"selfplay --game {game} --evaluator zero --games 3 --depth 1 --out data",
        f"models --game {game}",
        f"search --plugin {game} --game three_in_a_row --evaluator zero --depth 2",
    ):
        status, out, err = run(f"{line} --json")
        assert status == 0, err
        assert json.loads(out)


def test_an_own_feature_is_listed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from samuel.features import feature\n"
        "@feature(game='tic_tac_toe')\n"
        "def my_centre(position):\n"
        "    return 1 if position[0] & 16 else 0\n"
    )
    status, out, _ = run("models --game tic_tac_toe --plugin mine.py --json")
    assert status == 0
    assert "my_centre" in json.loads(out)["features"]


def test_positions_of_the_wrong_game_get_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "p.obf").write_text(f"{BOARD} X\n")
    status, out, err = run("solve p.obf --game tic_tac_toe")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "p.obf, line 1" in err


def test_a_typed_position_may_have_more_moves_than_any_game(run: Run) -> None:
    # found by climbing over random boards; no game reaches more than 33 moves
    position = "------X--OOOOXO--OXX-XO------O---OXO--X--OXXXXO--XO-OXO--------- X"
    status, out, err = run(f"perft --depth 1 --position '{position}' --json")
    assert status == 0, err
    assert json.loads(out)["leaves"] == 35
    status, out, err = run(f"search --depth 3 --position '{position}' --json")
    assert status == 0, err
    assert len(json.loads(out)["pv"]) == 3


def test_a_closed_pipe_is_no_traceback() -> None:
    command = shlex.join([sys.executable, "-c", COMMAND, "perft", "--depth", "5", "--divide"])
    done = subprocess.run(
        ["bash", "-c", f"{command} | true"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert "Traceback" not in done.stderr


def test_a_full_disk_gets_one_line_and_the_run_can_go_on(run: Run, small_disk: Path) -> None:
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 200_000)
    line = f"selfplay --depth 1 --games 3000 --seed 4 --out {small_disk}/data --json"
    status, out, err = run(line)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "the disk is full" in err
    filler.unlink()
    status, out, err = run(line.replace("3000", "600"))
    assert status == 0 or "was asked for" in err or "the disk is full" in err


@pytest.mark.parametrize("closed", ["2>&-", "<&-", rarely("<&- >&- 2>&-")])
@pytest.mark.parametrize(
    "line", ["serve gtp --game tic_tac_toe", rarely("nboard"), "perft --depth 1"]
)
def test_closed_streams_are_empty(closed: str, line: str) -> None:
    command = shlex.join([sys.executable, "-c", COMMAND, *line.split()])
    found = subprocess.run(
        f"{command} {closed}",
        shell=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(),
        timeout=TIMEOUT,
    )
    assert found.returncode == 0 and b"Traceback" not in found.stderr


@pytest.mark.parametrize(("name", "message"), [("", "an empty name"), ("x\udcff", "is no Unicode")])
@pytest.mark.parametrize("line", ["selfplay", "train data", "dataset filter data"])
def test_an_output_has_a_name(run: Run, name: str, message: str, line: str) -> None:
    before = sorted(Path.cwd().iterdir())
    status, _, err = run(f"{line} --out {shlex.quote(name)}")
    assert status == 1 and message in err
    assert sorted(Path.cwd().iterdir()) == before


def test_a_current_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = shlex.join([sys.executable, "-c", COMMAND])
    found = subprocess.run(
        f"rmdir {shlex.quote(str(gone))}; {command} selfplay --out data --games 1 --depth 1",
        shell=True,
        cwd=gone,
        capture_output=True,
        text=True,
        env=environment(),
        timeout=TIMEOUT,
    )
    assert found.returncode == 1 and "the current folder is gone" in found.stderr

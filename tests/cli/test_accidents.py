"""The command in unusual company: huge numbers, full disks, own files, streams of any sort."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from samuel.cli.main import _plainly
from tests.cli.conftest import Run
from tests.processes import ROOT, TIMEOUT, environment, without_progress
from tests.rarely import rarely

HUGE = 10**20
BOARD = "-XXXX-XXXXOXXXX-XXXOXOXOXXOOXOOOXXOXOXOOXXOOOOO-XXOOXOXX-XOOXO-X"
SAMUEL = shlex.join([sys.executable, "-c", "from samuel.cli.main import main; main()"])


def shell(script: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a script of bash, and return its end, output and errors."""
    more = {"text": True, "env": environment(), **more}
    return subprocess.run(["bash", "-c", script], capture_output=True, timeout=TIMEOUT, **more)


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
        "dataset info data --samples 1000",
        f"perft --depth 3 --seed {HUGE}",
    ],
)
def test_huge_numbers_are_taken_or_refused(run: Run, line: str) -> None:
    if line.startswith("dataset"):
        run("selfplay --out data --depth 1 --games 1")
    status, out, err = run(f"{line} --json")
    assert status in (0, 2), err
    assert json.loads(out) if status == 0 else "must be a" in " ".join(err.split())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "match classic wpc --opening-plies 100 --pairs 1",
            "random games of othello rarely last 100 plies or more",
        ),
        ("search --evaluator .", "model.json"),
        ("solve /dev/null", "cannot be read"),
        ("evaluate /", "cannot be read"),
        ("learn compare --algorithms , --out data", "--algorithms is empty; give at least one"),
    ],
)
def test_numbers_that_make_no_sense_get_one_line(run: Run, line: str, message: str) -> None:
    assert message in run.refused(line)
    assert not Path("data").exists()


def test_an_own_file_that_fails_gets_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("1 / 0\n")
    for line in ("search --plugin broken.py", "search --game broken.py"):
        assert "broken.py failed: ZeroDivisionError" in run.refused(line)


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
        assert json.loads(run.done(f"{line} --json"))


def test_a_typed_position_may_have_more_moves_than_any_game(run: Run) -> None:
    # found by climbing over random boards; no game reaches more than 33 moves
    position = "------X--OOOOXO--OXX-XO------O---OXO--X--OXXXXO--XO-OXO--------- X"
    assert run.json(f"perft --depth 1 --position '{position}'")["leaves"] == 35
    assert len(run.json(f"search --depth 3 --position '{position}'")["pv"]) == 3


def test_a_full_disk_gets_one_line_and_the_run_can_go_on(run: Run, small_disk: Path) -> None:
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 200_000)
    line = f"selfplay --depth 1 --games 3000 --seed 4 --out {small_disk}/data --json"
    assert "the disk is full" in run.refused(line)
    filler.unlink()
    status, _, err = run(line.replace("3000", "600"))
    assert status == 0 or "give at least that many --games" in err or "the disk is full" in err


@pytest.mark.parametrize("closed", ["2>&-", "<&-", rarely("<&- >&- 2>&-")])
@pytest.mark.parametrize("line", [rarely("serve gtp --game tic_tac_toe"), "perft --depth 1"])
def test_closed_streams_are_empty(closed: str, line: str) -> None:
    found = shell(f"{SAMUEL} {line} {closed}", stdin=subprocess.DEVNULL)
    assert found.returncode == 0 and "Traceback" not in found.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "the name of the output is empty; give a name, or"),
        ("x\udcff", "udcff' is not valid Unicode; give another name"),
    ],
)
@pytest.mark.parametrize("line", ["selfplay", "train data", "dataset filter data"])
def test_an_output_has_a_name(run: Run, name: str, message: str, line: str) -> None:
    before = sorted(Path.cwd().iterdir())
    assert message in run.refused(f"{line} --out {shlex.quote(name)}")
    assert sorted(Path.cwd().iterdir()) == before


@pytest.mark.parametrize(
    "line",
    [
        "perft --depth 1 --game",
        "dataset import --out data --game chess",
        "evaluate x.obf --evaluator",
        "play --evaluator",
    ],
)
def test_a_name_that_the_locale_cannot_read_is_said_to_be_that(run: Run, line: str) -> None:
    Path("x\udce9.pgn").write_text("1. e4 e5 1-0")
    for name in ("x\udce9", "x\udce9.pgn"):
        assert "a name has bytes that are not utf-8" in run.refused(f"{line} {name}")


def test_a_current_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    play = f"{SAMUEL} selfplay --out data --games 1 --depth 1"
    found = shell(f"rmdir {shlex.quote(str(gone))}; {play}", cwd=gone)
    assert found.returncode == 1 and "the current folder no longer exists" in found.stderr


MANY = """
import json, sys
from samuel.cli.main import main
statuses = []
for words in json.loads(sys.argv[1]):
    sys.argv = ["samuel", *words]
    try:
        main()
    except SystemExit as end:
        statuses.append(end.code)
print(statuses)
"""
LINES = (
    "selfplay --game tic_tac_toe --depth 1 --games 20 --out donn\u00e9es",
    "dataset info donn\u00e9es --samples 1",
    "play --game tic_tac_toe",
    "match zero random --game tic_tac_toe --depth 1 --pairs 2 --out m --report \u2026.html",
    "games m",
    "models",
    "perft --help",
    "search --evaluator \u03b1\u03b2\u00e9",
)


@pytest.mark.parametrize("encoding", ["ascii", rarely("latin-1")])
def test_what_an_encoding_lacks_is_replaced(encoding: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MANY, json.dumps([shlex.split(line) for line in LINES])],
        env=environment(PYTHONIOENCODING=encoding),
        cwd=tmp_path,
        input=b"\xff1\nquit\n",
        capture_output=True,
        timeout=TIMEOUT,
    )
    said = done.stdout.decode(encoding) + done.stderr.decode(encoding)
    assert "Traceback" not in said and "rror:" not in said
    *_, statuses = done.stdout.decode(encoding).splitlines()
    assert statuses == "[0, 0, 0, 0, 0, 0, 0, 1]", said
    assert {"ascii": "donnees", "latin-1": "donn\u00e9es"}[encoding] in said
    assert "\u00b7".encode() not in done.stdout and "##" in said
    assert "</html>" in (tmp_path / "\u2026.html").read_text(encoding="utf-8")


def test_all_characters_of_the_program_have_plain_forms() -> None:
    texts = [
        path.read_text(encoding="utf-8")
        for path in ROOT.rglob("*.py")
        if path.relative_to(ROOT).parts[0] not in ("tests", "benchmarks", "build", "docs", ".venv")
    ]
    characters = "".join(sorted({one for text in texts for one in text if ord(one) > 127}))
    plain, _ = _plainly(UnicodeEncodeError("ascii", characters, 0, len(characters), ""))
    assert characters and plain.isascii() and "?" not in plain


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("| true", ""),
        (
            "> /dev/full",
            "the disk is full: the output was not written; free some space and run it again",
        ),
    ],
)
def test_streams_that_take_nothing_leave_no_noise(to: str, said: str) -> None:
    done = shell(f"{SAMUEL} perft --depth 2 {to}; exit ${{PIPESTATUS[0]}}")
    errors = without_progress(done.stderr).splitlines()
    assert done.returncode == 1 and [said] == [line[-len(said) :] for line in errors or [""]]

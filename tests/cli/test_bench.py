"""`samuel bench`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_match import interrupted

QUICK = "bench connect_four --nodes 20 --error 90 --pairs 20 --without learned"


def test_json_is_what_the_folder_has(run: Run, tmp_path: Path) -> None:
    found = run.json(QUICK)
    folder = tmp_path / "runs/bench-connect_four"
    assert found == json.loads((folder / "bench.json").read_text())
    assert [row["player"] for row in found["players"]] == ["classic", "zero"]
    assert "<html" in (folder / "bench.html").read_text()
    assert run.json(QUICK)["games"] == found["games"]
    assert len(run.json(f"games {folder}")["games"]) == found["games"]


def test_the_table(run: Run) -> None:
    out = run.quiet(f"{QUICK} random --out event")
    assert all(word in out for word in ("classic", "random", "time per move"))
    assert "event/bench.html has all results." in out


def test_programs_that_are_missing_are_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    out = run.done("bench gomoku --nodes 5 --pairs 1 --opening-plies 3")
    assert "Rapfi did not play: there is no program pbrain-rapfi (to install it: a build of" in out


@pytest.mark.slow
def test_ctrl_c_leaves_a_page_and_the_command_goes_on(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "event"
    line = f"bench connect_four --ms 20 --without learned --error 5 --jobs 1 --out {out}"
    status, said, errors = interrupted(line, out)
    assert status == 130 and "Traceback" not in errors
    assert "run the same command to continue" in errors and "Bench of connect_four" in said
    games = json.loads((out / "bench.json").read_text())["games"]
    assert games >= 2 and "<html" in (out / "bench.html").read_text()
    assert run.json(f"{line} --minutes 0")["games"] >= games


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{QUICK} nobody", "no evaluator called 'nobody'"),
        (f"{QUICK} --without nobody", "no player of the bench called 'nobody'"),
        (f"{QUICK} --engine gtp:no-such-program", "no-such-program"),
        ("bench nogame", "no game called 'nogame'"),
        (f"{QUICK} --out .", "holds other files"),
    ],
)
def test_errors_are_one_line(run: Run, line: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("")
    assert message in run.refused(line)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_wrong_usage_is_status_2(run: Run) -> None:
    for line in ("bench", f"{QUICK} --error 0", f"{QUICK} --pairs x"):
        assert "; see samuel " in run.misused(line)

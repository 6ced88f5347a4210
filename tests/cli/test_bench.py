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


@pytest.mark.slow
def test_ctrl_c_leaves_a_page_and_the_command_goes_on(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "event"
    line = f"bench connect_four --ms 20 --without learned --error 5 --jobs 1 --out {out}"
    status, said, errors = interrupted(line, out)
    assert status == 130 and "Traceback" not in errors
    assert "run the same command to continue" in errors and "Ratings" in said
    games = json.loads((out / "bench.json").read_text())["games"]
    assert games >= 2 and "<html" in (out / "bench.html").read_text()
    assert run.json(f"{line} --minutes 0")["games"] >= games

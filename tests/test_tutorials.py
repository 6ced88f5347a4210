"""The tutorials are scripts that run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import run

TUTORIALS = sorted((Path(__file__).parents[1] / "docs" / "tutorials").glob("*.py"))
QUICK = ("5",)
"""The numbers of those that the tests run; `make docs` runs all."""
AS_A_READER = """
import runpy, sys
import matplotlib
matplotlib.use("agg")
runpy.run_path(sys.argv[1])
"""


@pytest.mark.parametrize(
    "tutorial", [path for path in TUTORIALS if path.name[0] in QUICK], ids=lambda path: path.stem
)
def test_it_runs(tutorial: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("-c", AS_A_READER, str(tutorial))


def test_there_is_one_a_topic() -> None:
    assert len(TUTORIALS) == 7

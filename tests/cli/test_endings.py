"""`samuel models endings`, and an evaluator that knows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.mark.slow
def test_endings_are_solved_and_known(run: Any, as_json: Any) -> None:
    found = as_json("models endings --game checkers --pieces 2 --out two --json")
    assert found["positions"] == 3_488
    line = "search --game checkers --position B:WK32:BK23 --depth 1 --json"
    assert as_json(f"{line} --evaluator classic+two")["score"] != as_json(line)["score"]
    assert run("match classic+two classic --game checkers --depth 1 --pairs 2 --jobs 2")[0] == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("models endings --game othello --out x", "no endings of othello"),
        ("models endings --pieces 9 --out x", "9 pieces are too many"),
        ("search --game checkers --evaluator classic+none", "none"),
        ("search --evaluator classic+none", "no evaluator called"),
        ("search --game checkers --evaluator classic+text", "holds no endings"),
    ],
)
def test_what_cannot_be_gets_one_line(run: Any, tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "text").write_text("endings")
    status, _, err = run(line)
    assert (status, err.count("\n")) == (1, 1), err
    assert message in err

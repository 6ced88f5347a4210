"""`samuel learn again`: the settings it shows, going on, bad input."""

from pathlib import Path
from typing import Any

LESS = "--games 20 --generations 1 --gate-pairs 0 --curve-pairs 0"


def test_the_command(as_json: Any, run: Any, tmp_path: Path) -> None:
    line = f"learn again --game connect_four {LESS} --positions 100 --seed 3 --out it"
    found = as_json(line)
    assert found["best"] == "it/best" and (tmp_path / "it/best/model.json").exists()
    assert (tmp_path / "it/run-1/report.html").exists() and found["runs"][0]["generations"] == 1
    assert as_json(line) == found
    status, out, _ = run(line)
    assert status == 0 and "kept: it/best" in " ".join(out.split())
    assert run("compare it/run-1/generation-001/data --models it/best --depth 1")[0] == 0


def test_a_recipe_is_shown_as_settings(as_json: Any, run: Any) -> None:
    status, out, _ = run("learn again --seed 5 --show-settings")
    assert status == 0 and "Run 1 of 2 of learned, --generations 6" in out
    assert out.count("seed = 5 ") == 2 and 'model = "edax-wide-network"' in out
    assert 'first = "patterns"' in out and 'first = "run-1/best"' in out
    first, second = as_json("learn again --seed 5 --show-settings")["runs"]
    assert first["generations"] == 6 and first["settings"]["first"] == "patterns"
    assert second["settings"]["first"] == "run-1/best" and second["settings"]["seed"] == 5


def test_bad_input(run: Any, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    for line, message in (
        ("learn again classic --out other", "classic was made by hand, and not learned"),
        ("learn again --game gomoku --out other", "in gomoku these were learned: none"),
        ("learn again checkers --out other", "no learned evaluator called 'checkers'"),
        ("learn again --from classic --out other", "leave out --from"),
        ("learn again --positions 20 --out other", "positions"),
        ("learn again --game backgammon --positions 200 --out other", "has dice"),
        ("learn again", "--out"),
        ("learn again --out full", "full holds other files"),
        ("learn --games 3 again --out other", "options follow the subcommand"),
        ("learn again --games 20 --target nonsense --out other", "nonsense"),
    ):
        status, _, err = run(line)
        assert status in (1, 2) and message in " ".join(err.split())
        assert not (tmp_path / "other").exists(), line
    assert [file.name for file in (tmp_path / "full").iterdir()] == ["file"]

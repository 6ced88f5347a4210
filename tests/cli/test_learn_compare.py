"""`samuel learn compare`: its options, going on, bad input."""

from pathlib import Path
from typing import Any


def test_the_command(as_json: Any, run: Any, tmp_path: Path) -> None:
    (tmp_path / "ways.toml").write_text(
        'game = "tic_tac_toe"\nfirst = "zero"\nmodel = "tuples3"\ngames = 30\nmatch_depth = 1\n'
        '[ways.slow]\nmethod = "tdlambda"\nrate = 0.01\n[ways.fast]\nmethod = "tdlambda"\n'
    )
    line = "learn compare --settings ways.toml --seeds 1 --generations 1 --pairs 2 --out it"
    found = as_json(line)
    assert {row["way"] for row in found["ways"]} == {"slow", "fast"}
    assert as_json("learn compare --out it") == found
    status, out, _ = run("learn compare --out it")
    assert status == 0 and "slow" in out and (tmp_path / "it/report.html").exists()
    for line, message in (
        ("learn compare --methods nonsense --out other", "no method called 'nonsense'"),
        ("learn compare --methods ../x --out other", "begins with a letter"),
        ("learn --games 3 compare --out other", "options follow the subcommand"),
    ):
        status, _, err = run(line)
        assert status in (1, 2) and message in " ".join(err.split())
        assert not (tmp_path / "other").exists()

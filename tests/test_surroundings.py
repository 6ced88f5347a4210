"""The commands in an environment that people set for debugging, or by mistake."""

import json
import shlex
from pathlib import Path

import pytest

from samuel.cli.main import main
from samuel.games import Position
from samuel.models import load_evaluator
from samuel.search import analyse
from tests.processes import run

MANY = """
import json, shlex, sys
sys.argv = ["samuel"]
from samuel.cli.main import main
for line in json.load(open("lines")):
    sys.argv[1:] = shlex.split(line)
    try:
        main()
    except SystemExit as end:
        assert not end.code, line
"""
EVALUATORS, OTHERS = ("learned", "patterns", "classic"), ("checkers", "pig", "xiangqi")
LINES = (
    "selfplay --game tic_tac_toe --depth 1 --games 30 --jobs 1 --out t --json",
    "train t --model linear --out linear --json",
    "train t --model forest --out forest --json",
    "match linear forest --depth 1 --pairs 1 --jobs 1 --report page.html --json",
    *(f"perft --game {game} --depth 1 --json" for game in OTHERS),
)


def test_commands_run_as_plain_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a compiler, and with settings of other libraries that they refuse."""
    monkeypatch.chdir(tmp_path)
    searches = [f"search --evaluator {name} --depth 1 --json" for name in EVALUATORS]
    Path("lines").write_text(json.dumps([*searches, *LINES]))
    env = {"NUMBA_DISABLE_JIT": "1", "NUMBA_NUM_THREADS": "0", "MPLBACKEND": "nosuch"}
    found = [json.loads(line) for line in run("-c", MANY, env=env).splitlines()]
    for name, one in zip(EVALUATORS, found, strict=False):
        start = Position.start()
        compiled = analyse(start, load_evaluator(name, start.game), depth=1)
        assert (one["move"], one["nodes"]) == (compiled.move, compiled.nodes)
        assert one["score"] == pytest.approx(compiled.score, abs=1e-3)
    assert len(found) == len(searches) + len(LINES)
    assert found[len(searches) + 3]["games"] == 2 and Path("page.html").exists()


def test_too_little_for_another_thread_gets_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_thread: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", refuse)
    with pytest.raises(SystemExit) as stop:
        main(shlex.split("match zero random --game tic_tac_toe --depth 1 --pairs 1 --jobs 2"))
    out, err = capsys.readouterr()
    assert (stop.value.code, out) == (1, "")
    assert err.splitlines()[-1].startswith("samuel: the system refuses another thread")
    assert "Traceback" not in err

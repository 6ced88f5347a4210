"""Standard streams of any encoding, and those that take nothing more."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from samuel.cli.main import _plainly
from tests.processes import ROOT, TIMEOUT, environment

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
    "dataset info donn\u00e9es --boards 1",
    "play --game tic_tac_toe",
    "match zero random --game tic_tac_toe --depth 1 --pairs 2 --out m --report \u2026.html",
    "games m",
    "models",
    "perft --help",
    "search --evaluator \u03b1\u03b2\u00e9",
)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
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
    ("to", "said"), [("| true", ""), ("> /dev/full", "No space left on device")]
)
def test_streams_that_take_nothing_leave_no_noise(to: str, said: str) -> None:
    program = "from samuel.cli.main import main; main()"
    command = shlex.join([sys.executable, "-c", program, "perft", "--depth", "2"])
    done = subprocess.run(
        ["bash", "-c", f"{command} {to}; exit ${{PIPESTATUS[0]}}"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    errors = [line for line in done.stderr.splitlines() if "compiling" not in line]
    assert done.returncode == 1 and [said] == [line[-len(said) :] for line in errors or [""]]

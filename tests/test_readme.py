"""The examples of the README and of the first hour are run; their figures are those one gets."""

import json
import math
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = [README, (ROOT / "docs" / "tour.md").read_text()]
SMALL = {"games": 100, "pairs": 10, "positions": 150}
"""The most of each that is played where the figures do not matter."""
SHORT = {"try": "--games 100 --pairs 10 --depth 1",
         "learn": "--games 60 --generations 1 --depth 2 --match-depth 2 --gate-pairs 10 "
         "--curve-pairs 4 --model ridge", "learn policy": "--generations 2"}  # fmt: skip
RUNS_ALL = """
import contextlib, io, json, shlex, sys, warnings
from samuel.cli.main import main
for line in json.loads(sys.argv[1]):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            main(shlex.split(line, comments=True)[1:])
        except SystemExit as end:
            assert not end.code, f"{line} ended with {end.code}"
    assert out.getvalue().strip(), f"{line} printed nothing"
"""
ERRORS = 4
"""Standard errors that a score may be off: a fit's last digits, and so games, differ elsewhere."""


def blocks(language):
    text = "\n".join(PAGES)
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    return [text for of, text in found if of == language]


def commands():
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    return list(dict.fromkeys(line for line in lines if line.startswith("samuel ")))


def with_fewer_games(text):
    """Return commands, or Python, that play as few games as will do."""
    for name, most in SMALL.items():
        text = re.sub(rf"\b({name}[ =])(\d+)", lambda m, n=most: f"{m[1]}{min(int(m[2]), n)}", text)
    return text


def shortened(command):
    words = with_fewer_games(command).partition("#")[0]
    command, _, rest = words.partition(" ")[2].partition(" ")
    more = SHORT.get(f"{command} {rest.split()[0] if rest.split() else ''}", SHORT.get(command, ""))
    return f"{words} {more}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return with_examples(tmp_path_factory.mktemp("readme"))


def with_examples(folder):
    """Return a folder in which commands name examples as in the project's."""
    (folder / "examples").symlink_to(ROOT / "examples")
    return folder


@pytest.mark.long
def test_commands_work_in_order(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert len(commands()) >= 8
    run("-c", RUNS_ALL, json.dumps([shortened(command) for command in commands()]))
    assert (folder / "runs" / "compare.html").exists()


@pytest.mark.slow
@pytest.mark.long
def test_commands_give_the_figures_that_stand_beside_them(tmp_path):
    """Those of the tour as typed, a process a command, after the commands that they follow from."""
    here = with_examples(tmp_path)
    figures = {line: re.search(r"# ([\d.]+) %", line) for line in commands()}
    assert sum(found is not None for found in figures.values()) >= 5
    needed = []
    for command, printed in reversed(figures.items()):
        made = re.search(r"--out (\S+)", command)
        if printed or (made and any(re.search(rf"{made[1]}\b", later) for later in needed)):
            needed.insert(0, command)
    for command in needed:
        printed = figures[command]
        words = [*shlex.split(command, comments=True)[1:], *(["--json"] if printed else [])]
        program = [sys.executable, "-c", "from samuel.cli.main import main; main()"]
        done = subprocess.run([*program, *words], cwd=here, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        if printed:
            content = json.loads(done.stdout)
            found, expected = content.get("league", [content])[0], float(printed[1]) / 100
            error = math.sqrt(expected * (1 - expected) / found["games"])
            assert found["score"] == pytest.approx(expected, abs=ERRORS * error), command


def test_python_works_in_order(folder):
    program = with_fewer_games("\n".join(blocks("python")))
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


def test_make_targets_exist():
    targets = re.findall(r"^make ([a-z-]+)", "\n".join(blocks("sh")), flags=re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text()
    assert targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)


def test_folders_named_exist():
    (layout,) = (block for block in blocks("") if "games/" in block)
    for line in layout.splitlines():
        assert (ROOT / line.split()[0]).exists(), line


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target

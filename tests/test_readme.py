"""The figures beside the commands of the README and of the first hour are those one gets."""

import json
import math
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import blocks, commands

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "docs" / "tour.md"]
DOCS = ROOT / "docs"
FIGURE = r"\d+(?:\.\d+)? ?% \([\d.]+ to [\d.]+|\d+\.\d+ ?%"
"""A share in percent with its interval, or one with a decimal."""
KNOWN = ("53.06 %",)
"""Shares that are known from the literature."""
ERRORS = 4
"""Standard errors that a score may be off: a fit's last digits, and so games, differ elsewhere."""


def commands_of_pages():
    lines = [line for page in PAGES for block in blocks(page) for line in commands(block)]
    return list(dict.fromkeys(lines))


def with_examples(folder):
    """Return a folder in which commands name examples as in the project's."""
    (folder / "examples").symlink_to(ROOT / "examples")
    return folder


@pytest.mark.slow
@pytest.mark.long
def test_commands_give_the_figures_that_stand_beside_them(tmp_path):
    """Those of the tour as typed, a process a command, after the commands that they follow from."""
    here = with_examples(tmp_path)
    figures = {line: re.search(r"# ([\d.]+) %", line) for line in commands_of_pages()}
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
            expected = float(printed[1]) / 100
            error = math.sqrt(expected * (1 - expected) / content["games"])
            assert content["score"] == pytest.approx(expected, abs=ERRORS * error), command


def test_measured_figures_are_those_of_the_results():
    results = " ".join(" ".join(page.read_text() for page in DOCS.glob("results/*.md")).split())
    guide = [ROOT / "README.md", *DOCS.glob("*.md"), *DOCS.glob("games/*.md")]
    for page in guide:
        prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
        for figure in re.findall(FIGURE, " ".join(prose.split())):
            assert figure in results or figure in KNOWN, f"{page.name}: {figure}"

"""The README's examples are run as they stand."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
SAMUEL = [sys.executable, "-c", "from samuel.cli.main import main; main()"]


def blocks(language):
    found = re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)
    return [text for of, text in found if of == language]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("readme")


def test_commands_work_in_order(folder):
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    commands = [line for line in lines if line.startswith("samuel ")]
    assert len(commands) >= 8
    for command in commands:
        run = subprocess.run(
            [*SAMUEL, *shlex.split(command)[1:]], cwd=folder, capture_output=True, text=True
        )
        assert run.returncode == 0, f"{command}\n{run.stderr}"
        assert run.stdout.strip(), command
    assert (folder / "runs" / "compare.html").exists()


def test_python_works_in_order(folder):
    program = "\n".join(blocks("python"))
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

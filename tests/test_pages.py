"""Every command and every block of Python on every page is run, or parsed where it waits."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.pages import ROOT, WIDTH, blocks, check_output, parse, run_page, shortened

PAGES = [
    path
    for pattern in ("*.md", "docs/*.md", "docs/games/*.md", "docs/tutorials/*.ipynb")
    for path in sorted(ROOT.glob(pattern))
    if any(block.language in ("sh", "python") for block in blocks(path))
]
QUICK = ("README",)
NEEDED = {"openspiel": "pyspiel"}
"""Package that a page needs and that no extra of the tests installs."""


def _marked(page: Path) -> object:
    marks = [pytest.mark.long] if page.stem in QUICK else [pytest.mark.slow, pytest.mark.long]
    return pytest.param(page, marks=marks, id=page.stem)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("page", [_marked(page) for page in PAGES])
def test_blocks_run_in_order(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.stem in NEEDED:
        pytest.importorskip(NEEDED[page.stem])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("COLUMNS", WIDTH)
    run_page(page)


def test_no_command_is_kept_from_being_run() -> None:
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/games/*.md")]:
        for block in blocks(page):
            if block.language not in ("sh", "python"):
                found = re.search(r"^(samuel |import samuel|from samuel)", block.text, re.M)
                assert not found, f"{page.name}, line {block.line}: {block.text}"


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = [
        target
        for page in PAGES
        for block in blocks(page)
        for target in re.findall(r"^make ([a-z-]+)", block.text, re.M)
    ]
    assert named
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_a_word_that_no_command_knows_is_noticed() -> None:
    parse(["serve", "gtp", "--level", "6"])
    parse(["board", "runs", "--game", "checkers"])
    for wrong in (["serve", "gtp", "--no-such"], ["board", "--no-such"], ["serve", "nothing"]):
        with pytest.raises(Exception, match=r"no-such|nothing"):
            parse(wrong)


def test_a_command_is_made_short() -> None:
    line = "samuel learn --games 20000 --depth 4 --generations=8 --out runs/a  # ten hours"
    words = shortened(line)
    assert words[:5] == ["learn", "--games", "100", "--depth", "2"]
    assert "--generations=1" in words and words[-4:-2] == ["--curve-pairs", "4"]


def test_an_output_that_a_command_does_not_print_is_noticed() -> None:
    printed = "best move   f4\nscore       -1.852 (depth 10)\nnodes       137 in 0.12 s\n"
    check_output("score   -1.852 (depth 10)\n...\n", printed, is_exact=True)
    check_output(printed.replace("0.12", "0.13"), printed, is_exact=True)
    check_output(printed.replace("1.852", "1.861").replace("137", "140"), printed, is_exact=True)
    check_output("score   -2\n", printed, is_exact=False)
    for wrong, is_exact in (
        ("score -2\n", True),
        (printed.replace("1.852", "2.9"), True),
        (printed.replace("-1.8", "1.8"), True),
        (printed.replace("f4", "f5"), True),
        ("...\nlevel 1\n", True),
        ("level  1\n", False),
    ):
        with pytest.raises(AssertionError):
            check_output(wrong, printed, is_exact=is_exact)


@pytest.mark.parametrize("tutorial", sorted((ROOT / "docs" / "tutorials").glob("*.ipynb")))
def test_tutorials_open_with_a_result_and_keep_their_outputs(tutorial: Path) -> None:
    cells = json.loads(tutorial.read_text())["cells"]
    assert "**The result:**" in "".join(cells[0]["source"])
    last = [cell for cell in cells if cell["cell_type"] == "code"][-1]
    assert last["outputs"], f"run python docs/run_tutorials.py {tutorial.name}"

"""The guide has few words, no idioms, and no term before it is defined (docs/readability.py)."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from tests.pages import ROOT

READABILITY = runpy.run_path(str(ROOT / "docs" / "readability.py"))
GUIDE = [page for pattern in READABILITY["PAGES"] for page in sorted(ROOT.glob(pattern))]
SHORT = ["spsa", "wdl", "importing", "installing", "callbacks", "openspiel", "selfplay"]
SHORT += ["data_checks", "chess_files"]
"""Pages that answer one question each."""
NOTEBOOKS = sorted(ROOT.glob(READABILITY["NOTEBOOKS"]))


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [*GUIDE, *NOTEBOOKS], ids=name_of)
def test_a_page_has_no_idioms_and_defines_its_terms(page: Path) -> None:
    found = READABILITY["sentences"](page)
    faults = READABILITY["idioms"](found)
    if page.name != "concepts.md":
        faults += READABILITY["undefined"](found)
    assert not faults, "\n".join(f"line {one.line}: {fault}: {one.text}" for fault, one in faults)


def test_help_has_no_idioms() -> None:
    _, found = READABILITY["help_pages"]()
    assert not READABILITY["idioms"](found)


def test_the_guide_is_short() -> None:
    words = {name_of(page): len(page.read_text().split()) for page in GUIDE}
    short = [words.pop(f"docs/{page}.md") for page in SHORT]
    assert words["README.md"] <= 900
    assert sum(words.values()) <= 22_000
    assert max(short) <= 400


@pytest.mark.parametrize(
    "text, faults",
    [
        ("One thread a core takes 5 ms a move on its own squares.", ["a (per)"]),
        ("Options tell the engine what to do.", ["tell"]),
        ("The file holds rows; each lies in a table.", ["stands, lies, holds"]),
        ("The number of checkers a side has lies between 0 and 12.", []),
        ("Play ends after ten plies.", ["ply"]),
        ("A [ply](concepts.md#ply) is a move of one side. Ten plies follow.", []),
        ("**Held-out** games with `--plies 4`", []),
    ],
)
def test_what_is_found(text: str, faults: list[str], tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(f"# Title\n\n{text}\n")
    found = READABILITY["sentences"](tmp_path / "page.md")
    named = READABILITY["idioms"](found) + READABILITY["undefined"](found)
    assert [name for name, _ in named] == faults

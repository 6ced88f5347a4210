"""What docs/formats.md and docs/json_keys.txt say of columns and keys."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
_PAGE = (DOCS / "formats.md").read_text()

_OTHER_KEYS = {"--show-settings", "--suite"}
"""Options with which a command prints something else."""


_OF_MODELS = ("check", "export", "import", "probcut", "rote", "tune", "wdl")


def section(title: str) -> dict[str, str]:
    """Return the rows of a section's tables: each name in the first column, and what follows."""
    text = _PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`(?:, .*?)?) \| (.*) \|$", text, re.MULTILINE)
    return {name: rest for first, rest in rows for name in re.findall(r"`([^`]+)`", first)}


def commands() -> dict[str, str]:
    """Return the keys of each command, as the file has them."""
    lines = [line.split(": ", 1) for line in (DOCS / "json_keys.txt").read_text().splitlines()]
    return {name: keys for names, keys in lines for name in re.findall(r"`([^`]+)`", names)}


def keys_of(command: str) -> tuple[set[str], set[str]]:
    """Return the keys that a command always prints, and those that it may."""
    row = commands()[command]
    keys = [key for key in re.findall(r"`([^`]+)`", row) if not key.startswith("--")]
    sometimes = {key.removesuffix("?") for key in keys if key.endswith("?")}
    return set(keys) - {f"{key}?" for key in sometimes}, sometimes


def require_documented(line: str, found: set[str]) -> None:
    """Make sure that the keys printed by a command line are those of the page."""
    words = line.replace("models list", "models").split()
    is_of_two = words[0] in ("dataset", "serve") or words[:2] in (
        ["learn", "compare"],
        *(["models", name] for name in _OF_MODELS),
    )
    command = " ".join(words[: 2 if is_of_two else 1] + [w for w in words if w in _OTHER_KEYS])
    if command == "models" and words[1:] and not words[1].startswith("--"):
        command = "models NAME"
    always, sometimes = keys_of(command)
    assert always <= found <= always | sometimes, f"docs/json_keys.txt, {command}: {sorted(found)}"

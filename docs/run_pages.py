"""Run the commands of pages and store their outputs: `python docs/run_pages.py PAGE...`.

All blocks of a page are run in order, whole, in a temporary folder. A text block after a shell
block becomes the output of the block's last command; before and after a line `...`, as many lines
of the output are kept as the page had. Comments such as `# 72.4 %` become the score of a match.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from samuel.tests.pages import (
    WIDTH,
    Block,
    blocks,
    commands,
    is_only_parsed,
    label,
    run_python,
    shown,
)

ROOT = Path(__file__).resolve().parents[1]


def kept(old: str, printed: str) -> str:
    """Return the lines of an output that a page keeps, with `...` where it leaves lines out."""
    lines, parts = (
        shown(printed),
        [part.split("\n") for part in re.split(r"^\.{3}$", old, flags=re.M)],
    )
    sizes = [len("\n".join(part).strip("\n").splitlines()) for part in parts]
    if len(parts) == 1:
        return "\n".join(lines) + "\n"
    chosen = [lines[: sizes[0]]]
    for part, size in zip(parts[1:-1], sizes[1:-1], strict=True):  # from a row of the same label
        first = _words(next(filter(None, part)))
        at = next((n for n, line in enumerate(lines) if _words(line) == first), 0)
        chosen.append(lines[at : at + size])
    chosen.append(lines[len(lines) - sizes[-1] :])
    return "\n...\n".join("\n".join(one) for one in chosen).strip("\n") + "\n"


def _words(line: str) -> str:
    """Return the label of a row, or else the words of a line."""
    return label(line) or " ".join(re.findall(r"[a-zA-Z]{3,}", line))


def run_block(block: Block, text: str) -> str:
    """Run a shell block and return the text of its page with the outputs that it prints."""
    program = [sys.executable, "-c", "from samuel.cli.main import main; main()"]
    output = None
    for line in commands(block):
        words = shlex.split(line, comments=True)[1:]
        if is_only_parsed(words):
            print(f"not run: {line}", flush=True)
            output = None
            continue
        print(line, flush=True)
        done = subprocess.run([*program, *words], stdout=subprocess.PIPE, text=True, check=True)
        output = done.stdout
        if score := re.search(r"^ *score +([\d.]+) ?%", output, re.M):
            text = text.replace(line, re.sub(r"# [\d.]+ %", f"# {score[1]} %", line))
    if output and block.output:
        new = kept(block.output, output)
        text = text.replace(f"```text\n{block.output}```", f"```text\n{new}```", 1)
    return text


def run(page: Path) -> None:
    """Run the blocks of a page and write the page."""
    text, names = page.read_text(), dict[str, Any](__name__="__main__")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("examples").symlink_to(ROOT / "examples")
        for block in blocks(page):
            if block.language == "sh":
                text = run_block(block, text)
            elif block.language == "python":
                run_python(block.text, page.name, names)
        os.chdir(ROOT)
    page.write_text(text)


def main() -> None:
    """Run the pages that are named."""
    os.environ |= {"COLUMNS": WIDTH, "MPLBACKEND": "agg"}
    for page in [Path(name).resolve() for name in sys.argv[1:]]:
        run(page)


if __name__ == "__main__":
    main()

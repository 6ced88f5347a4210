"""The code blocks of a page, made short, and run in order as a reader would."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
MOST = {
    "games": 100,
    "pairs": 10,
    "positions": 150,
    "generations": 1,
    "gate-pairs": 10,
    "gate_pairs": 10,
    "curve-pairs": 4,
    "curve_pairs": 4,
    "match-depth": 2,
    "rounds": 2,
    "nodes": 20000,
}
"""The most of each that is played: what a page shows does not depend on the number of games."""
LESS = {
    "try": "--games 100 --pairs 10 --depth 1",
    "learn": "--games 60 --generations 1 --depth 2 --match-depth 2 --gate-pairs 10 "
    "--curve-pairs 4 --model ridge",
    "match": "--pairs 10",
    "tournament": "--pairs 2",
    "bench": "--nodes 50 --pairs 2",
}
"""What a command is given where a page leaves it out; a page's own number is capped."""
SHALLOW = ("selfplay", "learn", "learn compare", "tournament")
"""The commands of many games, which are played at depth 2 at most."""
WAITING = ("board", "play", "serve")
"""The commands that wait for a person or a program; they are parsed and not run."""
ENGINE = re.compile(r"(?:^|=)(?:gtp|nboard|uci|ucci|gnubg|gomocup)(?:\[.*?\])?:")
IMPORTS = (["dataset", "import"], ["models", "import"])


class Block(NamedTuple):
    """A block of code: its language, its text, and the line or the number of the cell."""

    language: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    """Return the blocks of code of a page, or the code cells of a notebook, in order."""
    text = page.read_text()
    if page.suffix == ".ipynb":
        cells = enumerate(json.loads(text)["cells"], 1)
        found_in = [(number, cell) for number, cell in cells if cell["cell_type"] == "code"]
        return [Block("python", "".join(cell["source"]), number) for number, cell in found_in]
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M)
    return [Block(one[1], one[2], text[: one.start()].count("\n") + 2) for one in found]


def commands(block: Block) -> list[str]:
    """Return the lines of a shell block that call `samuel`; a line may go on after a backslash."""
    lines = re.sub(r"\\\n\s*", "", block.text).splitlines()
    return [line for line in lines if line.startswith("samuel ")]


def name_of(words: list[str]) -> str:
    """Return the name of a command and of its part, as far as they are names."""
    named = [word for word in words[:2] if re.fullmatch(r"[a-z]+", word)]
    return " ".join(named if len(named) < 2 or words[0] in ("learn", "dataset") else named[:1])


def _capped(words: list[str], option: str, most: int) -> list[str]:
    """Return a command's words with an option's number at most so high."""
    found = [*words]
    for place, word in enumerate(words):
        name, equal, value = word.partition("=")
        if name == option and equal and value.isdigit():
            found[place] = f"{name}={min(int(value), most)}"
        if word == option and place + 1 < len(words) and words[place + 1].isdigit():
            found[place + 1] = str(min(int(words[place + 1]), most))
    return found


def shortened(line: str) -> list[str]:
    """Return the arguments of a command line with as few games as will do."""
    words = shlex.split(line, comments=True)[1:]
    name = name_of(words)
    for option, most in MOST.items():
        words = _capped(words, f"--{option}", most)
    if "--clock" in words:
        words[words.index("--clock") + 1] = "0.2+0.01"
    if name in SHALLOW:
        words = _capped(words, "--depth", 2)
    more = shlex.split(LESS.get(name, ""))
    for option, value in zip(more[::2], more[1::2], strict=True):
        # a method of a run's own may fit no model
        given = (option, "--method") if option == "--model" else (option,)
        if not any(word.partition("=")[0] in given for word in words):
            words += [option, value]
    return words


def short_python(text: str) -> str:
    """Return Python in which as few games are played as will do."""
    for name, most in MOST.items():
        pattern = rf"\b({name}=)(\d[\d_]*)"
        text = re.sub(
            pattern, lambda m, n=most: f"{m[1]}{min(int(m[2].replace('_', '')), n)}", text
        )
    return text


def _is_only_parsed(words: list[str]) -> bool:
    waits = words[0] in WAITING
    needs = any(ENGINE.search(word) for word in words)
    is_import = words[:2] in IMPORTS and not all(
        any(Path().glob(word)) for word in words[2:] if "." in word and not word.startswith("-")
    )
    return waits or needs or is_import


def parse(words: list[str]) -> None:
    """Parse a command line without running it; raise where a word is not known."""
    from samuel.cli.app import command

    command().parse_args([*words], print_error=False, exit_on_error=False)


def _run(line: str) -> None:
    from samuel.cli.main import main

    words = shortened(line)
    if _is_only_parsed(words):
        parse(words)
        return
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            main(words)
        except SystemExit as end:
            assert not end.code, f"{line} ended with {end.code}"
    assert out.getvalue().strip(), f"{line} printed nothing"


@contextlib.contextmanager
def _of(page: Path, block: Block) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        error.add_note(f"in the block of {page.name} at {block.line}")
        raise


def run_page(page: Path) -> None:
    """Run the blocks of a page, in the current folder and in this process.

    A Python block whose first line is a comment with a file's name is written to that file.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        with _of(page, block):
            if block.language == "sh":
                for line in commands(block):
                    print(line, flush=True)
                    _run(line)
            elif block.language == "python":
                if file := re.match(r"# (\w+\.py)\n", block.text):
                    Path(file[1]).write_text(block.text)
                else:
                    exec(compile(short_python(block.text), page.name, "exec"), names)

"""The code blocks of a page, made short, and run in order as a reader would."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import textwrap
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
TIMED = ("--ms", "--seconds", "--minutes", "--clock", "--ms-b", "--seconds-b")
"""The options with which a command prints something else each time."""
WIDTH = "100"
"""The columns of the outputs that pages show."""
_NUMBERS = re.compile(r"(?<![\w.])([-+]?\d[\d,]*(?:\.\d+)?)(?!\w)")
_TIMES = re.compile(r"[\d.,]+ (?:[mnµ]?s|min|h|[kMG])\b|(?<=seconds)\s+[\d.]+")


class Block(NamedTuple):
    """A block of code: its language, its text, the line or the number of the cell, its output.

    The output is the text block that follows, with at most a line such as "It prints:" between.
    """

    language: str
    text: str
    line: int
    output: str | None = None


def blocks(page: Path) -> list[Block]:
    """Return the blocks of code of a page, or the code cells of a notebook, in order."""
    text = page.read_text()
    if page.suffix == ".ipynb":
        cells = enumerate(json.loads(text)["cells"], 1)
        found_in = [(number, cell) for number, cell in cells if cell["cell_type"] == "code"]
        return [Block("python", "".join(cell["source"]), number) for number, cell in found_in]
    after = r"(?=\n\s*(?:[^\n`#|]+\n\s*)?```text\n(?P<output>.*?)^```$)?"
    found = re.finditer(rf"^```(\w*)\n(.*?)^```${after}", text, re.S | re.M)
    return [Block(*one.group(1, 2), text[: one.start()].count("\n") + 2, one[3]) for one in found]


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
        # an algorithm of a run's own may fit no model
        given = (option, "--algorithm") if option == "--model" else (option,)
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


def is_only_parsed(words: list[str]) -> bool:
    """Return whether a command is not run: it waits, or needs an engine or a file."""
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


def shown(text: str) -> list[str]:
    """Return the lines of an output as a page shows them."""
    parts = re.split(r"\n(?:[^\S\n]*\n)+", re.sub(r"[^\S\n]+$", "", text, flags=re.M).strip("\n"))
    return "\n\n".join(textwrap.dedent(part) for part in parts).split("\n")


def label(line: str) -> str:
    """Return the words of a row's first column; a line of one column has none."""
    first, *others = re.split(r"\s{2,}|│", line.strip(" │"))
    return " ".join(re.findall(r"[a-zA-Z]{3,}", first)) if others else ""


def check_output(page: str, output: str, is_exact: bool) -> None:
    """Fail where a page shows a line, or else the label of a row, that a command did not print."""
    if not is_exact:
        printed = {label(line) for line in shown(output)}
        missing = {label(line) for line in shown(page)} - printed - {""}
        assert not missing, f"no rows {missing} in\n{output}"
        return
    lines, printed_lines = (
        [" ".join(_TIMES.sub("#", line).replace("─", "").split()) for line in shown(text)]
        for text in (page, output)
    )
    if "..." not in lines:
        assert len(lines) == len(printed_lines), output
    rest = iter(printed_lines)
    for line in lines:
        is_there = line == "..." or any(alike(line, one) for one in rest)
        assert is_there, f"{line!r} is not, or not there, in\n{output}"


def alike(line: str, printed: str) -> bool:
    """Return whether lines have the same words, and numbers that differ by a fifth at most.

    The last digits of sums depend on the processor, and with them fits, games and best lines.
    """
    if line.startswith("line "):
        return printed.startswith("line ")
    ours, theirs = (_NUMBERS.split(text.replace(" *", "")) for text in (line, printed))
    if ours[::2] != theirs[::2]:
        return False
    pairs = [
        [float(x.replace(",", "")) for x in both]
        for both in zip(ours[1::2], theirs[1::2], strict=True)
    ]
    return all(abs(x - y) <= 0.2 * max(abs(x), abs(y)) + (0.1 if x % 1 else 3) for x, y in pairs)


def _reads_files(words: list[str]) -> bool:
    parts = [part for word in words for part in re.split(r"[=,:+]", word)]
    return any(part.count("/") and Path(part).exists() for part in parts if part[:8] != "examples")


def _run(line: str) -> str:
    """Run a command and return what it prints; "" if it is only parsed."""
    from samuel.cli.main import main

    words = shortened(line)
    if is_only_parsed(words):
        parse(words)
        return ""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            main(words)
        except SystemExit as end:
            assert not end.code, f"{line} ended with {end.code}"
    assert out.getvalue().strip(), f"{line} printed nothing"
    return out.getvalue()


@contextlib.contextmanager
def _of(page: Path, block: Block) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        error.add_note(f"in the block of {page.name} at {block.line}")
        raise


def run_page(page: Path) -> None:
    """Run the blocks of a page, in the current folder and in this process, and compare outputs.

    Output is compared exactly if neither the command nor one that made its files is shortened.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    is_whole = True
    for block in blocks(page):
        with _of(page, block):
            if block.language == "sh":
                for line in commands(block):
                    print(line, flush=True)
                    words = shlex.split(line, comments=True)[1:]
                    is_exact = words == shortened(line) and not {*TIMED} & {*words}
                    is_exact = is_exact and (is_whole or not _reads_files(words))
                    is_whole = is_whole and is_exact
                    output = _run(line)
                if block.output and commands(block) and output:
                    check_output(block.output, output, is_exact)
            elif block.language == "python":
                is_whole = is_whole and short_python(block.text) == block.text
                run_python(short_python(block.text), page.name, names)


def run_python(text: str, name: str, names: dict[str, Any]) -> None:
    """Run a block of Python, or write it to the file that a comment in its first line names."""
    if file := re.match(r"# (\w+\.py)\n", text):
        Path(file[1]).write_text(text)
    else:
        exec(compile(text, name, "exec"), names)

"""What people read uses the words of the field: pages, tutorials, help, docstrings, messages."""

from __future__ import annotations

import ast
import json
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from samuel.cli.app import COMMANDS, place_of

ROOT = Path(__file__).parents[1]
FOLDERS = (
    *("arena", "cli", "features", "games", "kernels", "learning", "models", "play", "reports"),
    *("search", "selfplay", "testing"),
)


class Text(NamedTuple):
    """Something that people read: its file, its first line, its text, and what it is."""

    path: str
    line: int
    text: str
    kind: str


class Word(NamedTuple):
    """A word that the field does not use, as an expression, and the word in its place."""

    pattern: str
    instead: str


def _option(name: str, instead: str) -> Word:
    return Word(rf"(?<![\w-])--{name}(?![\w-])", instead)


def _name(name: str, instead: str) -> Word:
    return Word(rf"(?-i:(?<!\w)(?:{name})(?!\w))", instead)


WORDS = (
    # classes and functions of the code
    _name("_?Allowance", "Limits"),
    _name("Switches", "SearchOptions"),
    _name("chooser", "Method"),
    _name("pendings", "quiescence rules"),
    _name("QUIET", "REVERSIBLE"),
    _name("Teaching|Lesson|Doing", "LearnOptions"),
    _name("Making|Curriculum", "Recipe"),
    _name("Carried|Parcel", "Serialized..."),
    _name("Desk|Shelf", "AppState, Library"),
    _name("Thinker|Referee|Diary", "its work: EngineLoop, SearchTrace, ..."),
    _name("PLAYED|PIPS", "PLIES, DIE_SIDES"),
    _name("TreeNode", "ListNode"),
    _name("models[/.]live", "models/trainable"),
    _name(
        "`(?:Course|Conditions|Asked|Settings|Contest|Form|Kind|Live|Watch|Guide|Notes|Work|Parts|"
        "Frame|Room|Sheet|Shown|Played|people|today's)`",
        "the class of that meaning",
    ),
    # options
    _option("patience", "--timeout"),
    _option("explore", "--epsilon"),
    _option("trace", "--lambda"),
    _option("rate", "--learning-rate"),
    _option("(?:coherent|equal-steps)", "--tcl"),
    _option("yardsticks?", "--baselines"),
    # words
    Word(r"\bpatien(?:ce|t)\b", "timeout, early stopping"),
    Word(r"\bpending\b", "noisy"),
    Word(r"\bexplor(?:e|es|ed|ing)\b", "epsilon, share of random moves"),
    Word(r"\b(?:coherent\w*|equal[_ ]steps)\b", "per-weight adaptive steps (TCL)"),
    Word(r"\byardsticks?\b", "baseline"),
    Word(r"\bcontests?\b", "experiment"),
    Word(r"\bjudg\w+", "evaluate, held-out"),
    Word(r"\bremaining (?:squares?|plies|fields?|cells?)", "empty squares, plies left"),
    Word(r"\b(?:squares?|plies) remaining", "empty squares, plies left"),
    Word(r"\bshare of (?:an?|its|the|their) error", "learning rate"),
    Word(r"\b(?:takes?|took) away\b", "learning rate, remove"),
    Word(r"\btoday's\b|\| (?:people|now) \|", "a name defined in docs/results/index.md"),
    # sentences
    Word(r"\bsay which\.", "show the version and exit"),
    Word(r"no number to go by", "must be a finite number"),
    Word(r"\b(?:begins?|began) anew\b", "train from scratch, start again"),
    Word(r"\bg(?:o|oes) on from the one before", "continue from the previous fit (warm start)"),
    Word(r"leaves? unexplained", "1 - R²"),
    Word(r"knows the window", "evaluation with a window (lazy evaluation)"),
    Word(r"ends? in a traceback", "fail"),
    Word(r"\bof (?:all|its|those)[.;,]", "the noun"),
)

OPENERS = re.compile(
    r"(?:^|(?<=[.!?])|(?<=[.!?][\"')`*]))\s*(?:[-*]\s+|\d+\.\s+)?[*(]*"
    r"((?:Who|Whose|Whom|Of|What|Whether|How many|How much|How often|How far|How long)\b"
    r"[^.!?]*(?:\.\w[^.!?]*)*[.!?]?)"
)
NOT_A_SENTENCE = re.compile(r"^(?:Of course\b)|\?$")


def _paragraphs(name: str, text: str) -> Iterator[Text]:
    """Yield the paragraphs of a page; headings and code are paragraphs of their own."""
    kind, first, fence = "page", 1, ""
    lines: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        opens = re.match(r"\s*(```|~~~)", line)
        ends = not line.strip() or line.startswith(("#", "|", ":::")) or opens
        is_item = re.match(r"\s*(?:[-*]|\d+\.)\s", line)
        if (ends or is_item or fence) and lines:
            yield Text(name, first, "\n".join(lines), kind)
            lines = []
        if opens:
            fence = "" if fence else opens[1]
        elif fence:
            yield Text(name, number, line, "code")
        elif line.startswith("#"):
            yield Text(name, number, line, "heading")
        elif line.startswith("|"):
            yield Text(name, number, line, "row")
        elif line.strip():
            first = first if lines else number
            lines.append(line)


def _tutorial(path: Path) -> Iterator[Text]:
    """Yield the paragraphs of a notebook's cells of Markdown, by the lines of the notebook."""
    name, source = str(path.relative_to(ROOT)), path.read_text("utf-8")
    for cell in json.loads(source)["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"])
            first = json.dumps(text.split("\n")[0], ensure_ascii=False)[1:-1]
            line = source.count("\n", 0, max(0, source.find(first))) + 1
            for one in _paragraphs(name, text):
                yield one._replace(line=line + one.line - 1)


def _pages() -> Iterator[Text]:
    paths = [ROOT / f"{name}.md" for name in ("README", "CHANGELOG", "CONTRIBUTING")]
    for path in (*paths, *sorted((ROOT / "docs").rglob("*.md"))):
        yield from _paragraphs(str(path.relative_to(ROOT)), path.read_text("utf-8"))
    for path in sorted((ROOT / "docs/tutorials").glob("*.ipynb")):
        yield from _tutorial(path)
    for path in (ROOT / "docs/reference.rst", ROOT / "docs/tutorials/README.rst"):
        if path.exists():
            yield from _paragraphs(str(path.relative_to(ROOT)), path.read_text("utf-8"))
    for folder in ("play/web/page", "reports/templates"):
        for path in sorted((ROOT / folder).iterdir()):
            for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
                for text in re.findall(r'"[^"]* [^"]*"|`[^`]* [^`]*`|>[^<>]* [^<>]*<', line):
                    yield Text(str(path.relative_to(ROOT)), number, text[1:-1], "message")


def _help() -> Iterator[Text]:
    for name in COMMANDS:
        command = pkgutil.resolve_name(place_of(name))
        for text in (command.about, *(one.about for one in command.options)):
            yield Text(f"samuel {name} --help", 1, text, "help")


def _sources() -> list[Path]:
    found = sorted(ROOT.glob("*.py"))
    for folder in FOLDERS:
        found += sorted((ROOT / folder).rglob("*.py"))
    return found


def _literal(node: ast.AST) -> str | None:
    """Return the text of a string or f-string; a blank-free name stands for what is filled in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(one.value if isinstance(one, ast.Constant) else "X" for one in node.values)
    return None


def _strings(path: Path) -> Iterator[Text]:
    """Yield the docstrings of a module, and its strings with a blank, which are messages."""
    name = str(path.relative_to(ROOT))
    waiting: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr) and (text := _literal(node.value)) is not None:
            yield Text(name, node.lineno, text, "docstring")
            continue
        text = _literal(node)
        if text is not None:
            if re.search(r"\w \w", text):
                yield Text(name, node.lineno, text, "message")
            continue
        waiting += ast.iter_child_nodes(node)


@cache
def read() -> list[Text]:
    """Return everything that people read."""
    return [*_pages(), *_help(), *(one for path in _sources() for one in _strings(path))]


ALLOWED = {}
"""What may stand where, as expressions of file and word, and why."""


def _is_allowed(path: str, word: str) -> bool:
    return any(re.search(at, path) and word == one for at, one in ALLOWED)


def test_words_are_those_of_the_field() -> None:
    every = re.compile("|".join(f"(?:{word.pattern})" for word in WORDS), re.IGNORECASE)
    faults = []
    for one in read():
        for found in every.finditer(one.text):
            line = one.line + one.text.count("\n", 0, found.start())
            (instead, *_) = [
                word.instead
                for word in WORDS
                if re.fullmatch(word.pattern, found[0], re.IGNORECASE)
            ] or ["see WORDS"]
            if not _is_allowed(one.path, found[0]):
                faults.append(f"{one.path}:{line}: {found[0]!r}: {instead}")
    assert not faults, "\n".join(faults)


def test_sentences_begin_with_a_noun_or_a_verb() -> None:
    faults = []
    for one in read():
        for found in OPENERS.finditer(one.text) if one.kind not in ("code", "heading") else ():
            sentence = " ".join(found[1].split())
            line = one.line + one.text.count("\n", 0, found.start(1))
            if not NOT_A_SENTENCE.search(sentence):
                faults.append(f"{one.path}:{line}: {sentence[:80]}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    "text, words, openers",
    [
        ("--explore 3 and a TreeNode", 3, 0),
        ("Set --timeout. What is timed runs alone.", 0, 1),
        ("The treenode of judgement. Of its rows, two stay.", 1, 1),
        ("What is a model? A fitted evaluator.", 0, 0),
        ("Whether it is stronger.\nWho wins moves on.", 0, 2),
    ],
)
def test_what_the_search_finds(text: str, words: int, openers: int) -> None:
    found = [one for word in WORDS for one in re.findall(word.pattern, text, re.IGNORECASE)]
    begun = [one[1] for one in OPENERS.finditer(text)]
    begun = [one for one in begun if not NOT_A_SENTENCE.search(" ".join(one.split()))]
    assert (len(found), len(begun)) == (words, openers)

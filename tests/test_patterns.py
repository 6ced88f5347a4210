"""Every regular expression of the package takes time in proportion to what it reads.

They are found in the source, and tried on long inputs that their own structure suggests: what a
repeat may repeat, again and again, behind what has to come before it.
"""

from __future__ import annotations

import ast
import importlib
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from samuel.games.catalog import game_named, game_names
from samuel.selfplay.data.positions.formats import patterns_alone

parser: Any = importlib.import_module("re._parser")

ROOT = Path(__file__).resolve().parents[1]
NO_PACKAGE = {"setup.py", "tests", "docs", "benchmarks", "build", "examples", ".venv"}
LONGEST, SLOWEST = 20_000, 0.1
"""Characters of the longest input, and seconds that are too long for it; a quadratic pattern takes
several times as many on any machine."""
LENGTHS = (24, 100, 400, 1600, 6400, LONGEST)
"""One that doubles its time with each character is to be noticed, not waited for."""
END = "\n\0"
"""What few patterns match: so that they try all else first."""
USUAL = " \ta1Z-.\"',;/=[("
FUNCTIONS = (
    "compile",
    "match",
    "search",
    "fullmatch",
    "sub",
    "subn",
    "split",
    "findall",
    "finditer",
)
ANCHORED = ("match", "fullmatch")


class Use(NamedTuple):
    """A pattern, and how it is used."""

    place: str
    pattern: re.Pattern[Any]
    method: str


class Source:
    """A module of the package as text and as it is when imported."""

    def __init__(self, path: Path) -> None:
        self.path = path.relative_to(ROOT)
        self.tree = ast.parse(path.read_text())
        self.parents = {
            child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)
        }

    def calls(self) -> Iterator[ast.Call]:
        """Yield the calls of functions of `re` that take a pattern."""
        for node in ast.walk(self.tree):
            function = node.func if isinstance(node, ast.Call) else None
            if (
                isinstance(function, ast.Attribute)
                and isinstance(function.value, ast.Name)
                and function.value.id == "re"
                and function.attr in FUNCTIONS
            ):
                yield node  # type: ignore[misc]

    def pattern(self, call: ast.Call) -> re.Pattern[Any]:
        """Return the pattern of a call; what is known at run time alone counts as `x`."""
        flags = [word.value for word in call.keywords if word.arg == "flags"]
        if call.func.attr == "compile":  # type: ignore[attr-defined]
            flags += call.args[1:2]
        return re.compile(self.value(call.args[0], call), *(self.value(one, call) for one in flags))

    def value(self, expression: ast.expr, near: ast.AST) -> Any:
        names = ".".join(["samuel", *self.path.with_suffix("").parts]).removesuffix(".__init__")
        local: dict[str, Any] = {}
        code = compile(ast.Expression(expression), str(self.path), "eval")
        while True:
            try:
                return eval(code, vars(importlib.import_module(names)), local)
            except NameError as error:
                assigned = self.assigned(error.name, near)
                local[error.name] = "x" if assigned is None else self.value(assigned, near)
            except (AttributeError, TypeError, ValueError):
                return "x"

    def assigned(self, name: str, near: ast.AST) -> ast.expr | None:
        """Return what the function, or class, around a node assigns to a name."""
        while near in self.parents:
            near = self.parents[near]
            for node in ast.walk(near) if isinstance(near, ast.FunctionDef | ast.ClassDef) else ():
                if isinstance(node, ast.Assign) and [
                    target.id for target in node.targets if isinstance(target, ast.Name)
                ] == [name]:
                    return node.value
        return None

    def name(self, call: ast.Call) -> str:
        """Return the name that a pattern is assigned to, if to one."""
        parent = self.parents[call]
        targets = [*getattr(parent, "targets", []), getattr(parent, "target", None)]
        return next((one.id for one in targets if isinstance(one, ast.Name)), "")

    def methods(self, name: str) -> set[str]:
        """Return the methods that are called of what has a name."""
        return {
            node.attr
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Attribute)
            and name == getattr(node.value, "id", getattr(node.value, "attr", None))
            and node.attr in FUNCTIONS
        }


def uses() -> Iterator[Use]:
    """Yield all patterns of the package."""
    paths = [
        path
        for path in sorted(ROOT.rglob("*.py"))
        if not NO_PACKAGE.intersection(path.relative_to(ROOT).parts)
    ]
    sources = [Source(path) for path in paths if "re." in path.read_text()]
    for source in sources:
        for call in source.calls():
            function = call.func.attr  # type: ignore[attr-defined]
            known = {function}
            if function == "compile":
                name = source.name(call)
                known = source.methods(name) or {
                    method for one in sources for method in one.methods(name)
                }
            pattern = source.pattern(call)
            for method in known or {"finditer"}:
                used = method if method in (*ANCHORED, "search") else "finditer"
                yield Use(f"{source.path}:{call.lineno}", pattern, used)
    for text in {text for game in game_names() for text in patterns_alone(game_named(game))}:
        yield Use("patterns_alone", re.compile(text), "match")


class Samples:
    """Texts that parts of a pattern match."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        text = pattern.pattern
        self.text = text.decode("latin-1") if isinstance(text, bytes) else text
        self.flags = pattern.flags & ~re.UNICODE if isinstance(text, bytes) else pattern.flags
        self.alphabet = list(dict.fromkeys([*USUAL, *(c for c in self.text if c.isascii())]))
        self.random = random.Random(1)
        self.tree = parser.parse(self.text, self.flags)
        alike = {}
        known = [set(self.characters(*part)) for part in self.singles(self.tree)]
        for character in reversed(self.alphabet):  # one of those that no part tells apart
            alike[tuple(character in one for one in known)] = character
        self.alphabet = list(alike.values())
        others = "".join(c for c in self.alphabet if self.is_excluded(c))
        self.ends = [END, *others]

    def inputs(self) -> Iterator[tuple[str, str]]:
        """Yield what to begin with, and what to repeat."""
        yield from dict.fromkeys([*self.repeats(self.tree, ""), *self.beginnings(self.tree)])

    def singles(self, tree: Any) -> Iterator[tuple[Any, Any]]:
        """Yield the parts that match one character, wherever they stand."""
        for kind, value in tree:
            if str(kind).endswith("REPEAT"):
                yield from self.singles(value[-1])
            else:
                yield kind, value
                for inner in self.inner(str(kind), value):
                    yield from self.singles(inner)

    def beginnings(self, tree: Any) -> Iterator[tuple[str, str]]:
        for end in range(1, len(tree) + 1):
            for part in dict.fromkeys(self.sample(tree[:end]) for _ in range(3)):
                yield "", part

    def repeats(self, tree: Any, before: str) -> Iterator[tuple[str, str]]:
        for i, (kind, value) in enumerate(tree):
            begin = before + self.sample(tree[:i])
            if str(kind).endswith("REPEAT"):
                _, most, body = value
                if most > 50:
                    bodies = self.characters(*body[0]) if len(body) == 1 else []
                    for part in bodies or [self.sample(body) for _ in range(4)]:
                        yield begin, part
                yield from self.repeats(body, begin)
            else:
                for inner in self.inner(str(kind), value):
                    yield from self.repeats(inner, begin)

    @staticmethod
    def inner(kind: str, value: Any) -> list[Any]:
        if kind == "BRANCH":
            return list(value[1])
        if kind in ("SUBPATTERN", "ASSERT", "ASSERT_NOT"):
            return [value[-1]]
        return [value] if kind == "ATOMIC_GROUP" else []

    def characters(self, kind: Any, value: Any) -> list[str]:
        """Return characters of the alphabet that a part of one character matches."""
        name = str(kind)
        if name == "LITERAL":
            return [chr(value)]
        if name == "NOT_LITERAL":
            return [c for c in self.alphabet if ord(c) != value]
        if name == "ANY":
            return self.alphabet
        return [c for c in self.alphabet if self.is_in(value, c)] if name == "IN" else []

    def is_excluded(self, character: str) -> bool:
        """Return whether a part matches all but this character and others."""
        return any(
            str(kind) == "NOT_LITERAL" or (str(kind) == "IN" and str(value[0][0]) == "NEGATE")
            for kind, value in self.singles(self.tree)
            if character not in self.characters(kind, value)
        )

    def is_in(self, items: Any, character: str) -> bool:
        negated, found = str(items[0][0]) == "NEGATE", False
        for kind, value in items:
            name = str(kind)
            if name == "LITERAL":
                found |= ord(character) == value
            elif name == "RANGE":
                found |= value[0] <= ord(character) <= value[1]
            elif name == "CATEGORY":
                letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[str(value).rpartition("_")[2]]
                letter = letter.upper() if "_NOT_" in str(value) else letter
                found |= re.match("\\" + letter, character) is not None
        return found != negated

    def sample(self, tree: Any) -> str:
        """Return a text that a sequence of parts matches, looks around apart."""
        return "".join(self.part(kind, value) for kind, value in tree)

    def part(self, kind: Any, value: Any) -> str:
        name = str(kind)
        if name.endswith("REPEAT"):
            least, most, body = value
            return "".join(self.sample(body) for _ in range(max(least, min(1, most))))
        if name == "SUBPATTERN":
            return self.sample(value[-1])
        if name == "BRANCH":
            return self.sample(self.random.choice(value[1]))
        if name == "ATOMIC_GROUP":
            return self.sample(value)
        found = self.characters(kind, value)
        return self.random.choice(found) if found else ""


def slowest(use: Use) -> tuple[float, str]:
    """Return the seconds of the worst input, and what it is; at once when they are too many."""
    worst = 0.0, ""
    samples = Samples(use.pattern)
    for begin, part in samples.inputs():
        for end in samples.ends if part else ():
            for length in LENGTHS:
                seconds = duration(use, begin + part * (length // len(part)) + end)
                worst = max(worst, (seconds, f"{begin!r} + {part!r} * {length // len(part)}"))
                if seconds > SLOWEST:
                    return worst
    return worst


def duration(use: Use, text: str) -> float:
    """Return the seconds of processor time that a pattern takes for a text."""
    given: Any = text.encode() if isinstance(use.pattern.pattern, bytes) else text
    began = time.thread_time()
    if use.method == "finditer":
        for _ in use.pattern.finditer(given):
            pass
    else:
        getattr(use.pattern, use.method)(given)
    return time.thread_time() - began


def test_every_pattern_is_linear() -> None:
    found = list(dict.fromkeys(uses()))
    times = [(*slowest(use), use) for use in found]
    slow = [
        f"{use.place} ({use.method}): {how}, {took:.2f} s"
        for took, how, use in times
        if took > SLOWEST
    ]
    print(f"{len(found)} patterns, the slowest {max(took for took, _, _ in times):.3f} s")
    assert len(found) > 100
    assert not slow, "\n".join(slow)


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"\s+$", "search"),
        (r"\s*:?\s*x", "match"),
        (r"(?:a|a)*b", "match"),
        (r"\[[^]]*\]\(", "finditer"),
        (r'([A-Za-z]\w*)((?:"[^"]*"|[^;"])*)(?:;|$)', "finditer"),
        (r"x(?:\w+\s*)*;", "fullmatch"),
        (r"<m>.*?</m>", "finditer"),
    ],
)
def test_one_that_is_not_is_found(pattern: str, method: str) -> None:
    assert slowest(Use("", re.compile(pattern, re.DOTALL), method))[0] > SLOWEST

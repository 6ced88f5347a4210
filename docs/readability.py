"""Words, reading ease, idioms and undefined terms of pages: `python docs/readability.py --show`.

Reading ease is Flesch's (R. Flesch, "A new readability yardstick", 1948). Sentences are those of
paragraphs and lists; code blocks are left out, and a span of code counts as one short word. A term
is defined where it is bold, and a link at its first use on a page leads to its definition.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "CONTRIBUTING.md", "docs/*.md", "docs/games/*.md", "docs/tutorials/index.md")
NOTEBOOKS = "docs/tutorials/*.ipynb"
_UNIT = (
    r"(?:batch|cell|core|day|feature|file|game|generation|hour|minute|model|move|node|page|pair|"
    r"period|piece|player|ply|position|process|round|row|search|second|side|square|stage|step|"
    r"term|thread|turn|week|weight)\b(?!-| (?:can|gives|has|is|leads|makes|may|must|needs|was)\b)"
)
_NUMBER = r"(?:\d[\d.,]*|one|two|three|four|five|six|eight|ten|twice)"
_PLURAL = (
    r"(?:bits|bytes|columns|cores|discs|evaluations|files|games|kB|MB|GB|ms|nodes|numbers|pairs|"
    r"plies|points|positions|rows|s|seconds|squares|threads|times|updates|values|words)"
)
_PREPOSITION = (
    r"(?:after|and|as|at|before|by|ends|for|from|has|how|if|in|is|of|on|or|per|so|than|that|to|what|"
    r"when|where|which|whose|with)"
)
IDIOMS = {
    "a (per)": rf"\b(?:{_NUMBER}|{_PLURAL}|{_NUMBER} (?!{_PREPOSITION}\b)[a-z]+) an? {_UNIT}"
    rf"|\ban? (?!{_PREPOSITION}\b)[a-z]+ a {_UNIT}",
    "tell": r"\b(?:tells?|told|telling)\b",
    "whole number": r"\bwhole numbers?\b",
    "alone": r"\balone\b",
    "stands, lies, holds": r"\b(?:stands?|stood|lies?|lay)\b"
    r"(?= (?:at|behind|beside|first|here|in(?! \[)|next|under|with)\b)|\bholds\b(?! out)",
    "anew": r"\banew\b|\bfrom the first(?=[.,;:)])",
    "knows no": r"\b(?:knows?|takes?) no\b",
    "in place of": r"\bin (?:its |their )?place of\b",
    "what it is worth": r"\bwhat (?:\w+ ){1,3}(?:is|are) worth\b|\bwhat comes of\b",
    "there is none": r"\bthere (?:is|are) none\b|\b(?:is|are) there\b",
    "people": r"\bpeople\b",
    "likes, wants, asks": r"\b(?:likes|wants|asks|asked)\b|(?<!you )\bask for\b",
    "says": r"\b(?:says|said)\b|\bsay(?= (?:how|if|so|that|what|when|where|whether|which|why)\b)",
    "the same": r"\bthe same(?= *(?:[.;:)]|$))"
    r"|(?<!\bis )(?<!\bare )(?<!; )\bthe same(?= (?:and|as|for|in|on|or|to|when|with)\b)",
    "besides, behind": r"\bbesides\b|\bbehind (?:it|them|what|which|this|these)\b|\bis behind\b",
    "good": r"\b(?:are|is|too|looks?) good(?= *(?:[.,;:)]|$|and\b|but\b))",
    "of one's own": r"\bof (?:its|my|one's|our|their|your|a \w+'s|\w+s') own\b",
    "of elsewhere": r"\b(?:of|from) elsewhere\b|\bdoors?\b|\b(?:its|the|whose) past\b",
    "pass": r"\b(?:nobody|nothing) pass",
    "object first": r"(?-i:^(?:Of|Who|Whom) [^?]*$)",
}
"""Idioms that readers stumbled over, as patterns of the text of one sentence or cell."""
TERMS = {
    "ply": r"\bpl(?:y|ies)\b",
    "Elo": r"\bElo\b",
    "SPRT": r"\bSPRT\b",
    "quiet": r"\bquiet\b",
    "held-out": r"\bheld[- ]out\b",
    "ProbCut": r"\bProbCut\b",
    "leaf": r"\bleaf\b|\b(?:at|of|the|their|tree) leaves\b",
    "plugin": r"\bplugins?\b",
    "TCL": r"\bTCL\b",
    "quiescence": r"\bquiescence\b",
    "@jit": r"`@jit`",
    "perft": r"\bperft\b",
    "logit": r"\blogits?\b",
    "K": r"(?<![\w+'-])K(?![\w+'-])",
    "Wilson": r"\bWilson\b",
    "Bradley-Terry": r"\bBradley-Terry\b",
}
"""Terms that a page links or defines where it first uses them."""
OPENING_TERMS = {
    "stage": r"\bstages?\b",
    "epsilon": r"\bepsilon\b",
    "blend": r"\bblend\b",
    "target": r"\btargets?\b",
    "warm start": r"\bwarm starts?\b",
    "self-play": r"\bself-play\b",
    "gate": r"\bgates?\b",
    "baseline": r"\bbaselines?\b",
}
"""Terms that are linked or defined where a page uses them before its first section."""


class Sentence(NamedTuple):
    """A sentence, a heading or a table's cell, and the line or the number of its cell."""

    kind: str
    line: int
    text: str

    @property
    def plain(self) -> str:
        """The text without marks of links and emphasis."""
        text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", self.text)
        return re.sub(r"(?<!\w)_|_(?!\w)|\*", "", text).strip()


def _masked(text: str) -> str:
    """Return Markdown with its blocks and spans of code unreadable, line by line as before."""
    text = re.sub(r"^(```|~~~)(.*?)^\1", lambda m: "\n" * m[0].count("\n"), text, flags=re.S | re.M)
    text = re.sub(r"<!--.*?-->|<[^<>\n]+>", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    text = re.sub(r"^(:::.*|---|\|[ :|-]+\||\[.*?\]:.*|\([\w-]+\)=)$", "", text, flags=re.M)
    spans = r"(`+|\$)(\S|\S[^$]*?\S)\1"
    return re.sub(
        spans, lambda m: m[0] if m[2] == "@jit" else "`code`" + "\n" * m[0].count("\n"), text
    )


def _split(text: str, start: int) -> Iterator[Sentence]:
    """Yield what a text of Markdown says, a sentence, a heading or a cell at a time."""
    for found in re.finditer(r"(?:^[ >]*\S.*\n?)+", _masked(text), re.M):
        line = start + _masked(text)[: found.start()].count("\n")
        for part in re.split(r"^(?=[ >]*(?:[-*] |\d+\. |\||#))", found[0], flags=re.M):
            mark = part.strip()[:1]
            if mark in ("#", "|"):
                kind = "heading" if mark == "#" else "cell"
                cells = [part.strip(" #\n")] if mark == "#" else part.strip(" |\n").split(" | ")
                yield from (Sentence(kind, line, cell.strip()) for cell in cells if cell.strip())
            else:
                at, body = line, re.sub(r"^[ >]*(?:[-*]|\d+\.) ", "", part)
                for one in re.split(r"(?<=[.!?:])([\"')*_]*\s+)(?=[\"'(\[*_A-Z`])", body):
                    if one.strip("\"')*_ \n"):
                        yield Sentence("sentence", at, " ".join(one.split()))
                    at += one.count("\n")
            line += part.count("\n")


def texts(page: Path) -> list[tuple[int, str]]:
    """Return the Markdown of a page and the number of its first line; a notebook has many."""
    if page.suffix != ".ipynb":
        return [(1, page.read_text())]
    cells = enumerate(json.loads(page.read_text())["cells"], 1)
    return [(number, "".join(one["source"])) for number, one in cells if one["cell_type"] != "code"]


def sentences(page: Path) -> list[Sentence]:
    """Return the sentences, headings and cells of tables of a page, in order."""
    found = [(number, one) for number, text in texts(page) for one in _split(text, number)]
    return [one._replace(line=n) if page.suffix == ".ipynb" else one for n, one in found]


def help_pages() -> tuple[int, list[Sentence]]:
    """Return the number of words that `--help` of all commands prints, and their sentences."""
    from samuel.cli.app import COMMANDS, GROUPS, command

    out, found = io.StringIO(), []
    for number, name in enumerate(dict.fromkeys(["", *GROUPS, *COMMANDS])):
        with contextlib.redirect_stdout(out):
            command().help_print(name.split())
        shown = command().parse_commands(name.split())[1][-1].default_command
        about = [GROUPS.get(name, "")] if shown is None else [shown.about]
        options = [] if shown is None else [one.about for one in shown.options]
        found += [one for text in [*about, *options] for one in _split(text, number)]
    return len(out.getvalue().split()), [*dict.fromkeys(one._replace(line=0) for one in found)]


def idioms(found: list[Sentence]) -> list[tuple[str, Sentence]]:
    """Return the idioms of sentences, headings and cells."""
    return [
        (name, one)
        for one in found
        for name, pattern in IDIOMS.items()
        if re.search(pattern, one.plain, re.I)
    ]


def undefined(found: list[Sentence]) -> list[tuple[str, Sentence]]:
    """Return the terms that a page neither links nor defines where it first uses them."""
    text = [one for one in found if one.kind != "heading"]
    sections = [n for n, one in enumerate(found) if one.kind == "heading"][1:2]
    opening = [one for one in found[: (sections or [None])[0]] if one.kind != "heading"]
    uses = [(text, TERMS), (opening, OPENING_TERMS)]
    missing = []
    for parts, terms in uses:
        for name, pattern in terms.items():
            for one in parts:
                line = re.sub(r"\]\([^)]*\)", "]()", one.text)
                if use := re.search(pattern, line, re.I if len(name) > 1 else 0):
                    marked = re.finditer(r"\[[^\]]*\]\(\)|\*\*.+?\*\*", line)
                    if not any(m.start() <= use.start() < m.end() for m in marked):
                        missing.append((name, one))
                    break
    return missing


def reading_ease(found: list[str]) -> float:
    """Return Flesch's reading ease of sentences; nan where there are no words."""
    words = [word.lower() for one in found for word in re.findall(r"[A-Za-z][\w'-]*", one)]
    silent = re.compile(r"(?<=[a-z]{2})(?<![le])e$")
    syllables = sum(max(1, len(re.findall(r"[aeiouy]+", silent.sub("", one)))) for one in words)
    if not words:
        return float("nan")
    return 206.835 - 1.015 * len(words) / len(found) - 84.6 * syllables / len(words)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="list each idiom and undefined term")
    parser.add_argument("--help-pages", action="store_true", help="measure --help of all commands")
    parser.add_argument("pages", nargs="*", type=Path, help="pages (default: the guide)")
    given = parser.parse_args()
    rows = {}
    for page in given.pages or [p for g in (*PAGES, NOTEBOOKS) for p in sorted(ROOT.glob(g))]:
        words = sum(len(text.split()) for _, text in texts(page))
        name = str(page.resolve().relative_to(ROOT))
        rows[name] = (words, sentences(page))
    if given.help_pages:
        rows["--help"] = help_pages()
    print(f"{'':32} words  words/sentence  over 25  reading ease  idioms  undefined")
    total = [0, 0, 0, 0]
    for name, (words, found) in rows.items():
        plain = [one.plain for one in found if one.kind == "sentence"]
        plain = [one for one in plain if len(one.split()) > 2]
        long = sum(len(one.split()) > 25 for one in plain)
        mean = sum(len(one.split()) for one in plain) / max(1, len(plain))
        bad = idioms(found)
        missing = [] if name in ("docs/concepts.md", "--help") else undefined(found)
        print(
            f"{name[-32:]:32} {words:5} {mean:15.1f} {long:8} {reading_ease(plain):13.1f} "
            f"{len(bad):7} {len(missing):10}"
        )
        if given.show:
            for word, one in [*bad, *missing]:
                print(f"    {name}:{one.line}: [{word}] {one.plain}")
        counts = (words, long, len(bad), len(missing))
        total = [a + b for a, b in zip(total, counts, strict=True)]
    print(f"{'all':32} {total[0]:5} {'':15} {total[1]:8} {'':13} {total[2]:7} {total[3]:10}")


if __name__ == "__main__":
    main()

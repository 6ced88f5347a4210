"""The games of a file in PDN as they stand there, before any rule of checkers is asked.

A game is a section of tags, which may be missing, then moves, comments and variations, and a
result. Whatever stands in a game, it ends at its result, or where the next game's tags begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from samuel.games.scanning import Ahead, LineCounter

_DASH = "-\u2010\u2011\u2012\u2013\u2014\u2212"
_TIMES = "xX\u00d7"
_NAME = r"[^\W\d][\w+#=-]*+"
_TAG = rf"\[\s*+(?P<tag>{_NAME})\s*+\"(?P<value>(?:[^\"\\\n]|\\.)*+)\"\s*+\]"
_TOKEN = re.compile(
    rf"""(?P<brace>\{{)
    |;[^\n]*+ | ^%[^\n]*+ | \[%[^\]\n]*+\]?
    |{_TAG}
    |(?P<open>\[)
    |(?P<bracket>[()])
    |\$\s*+\d++
    |(?P<result>1/2(?:\s?+[{_DASH}]\s?+1/2)?+|\u00bd(?:\s?+[{_DASH}]\s?+\u00bd)?+
        |1\s?[{_DASH}]\s?0|0\s?[{_DASH}]\s?1|[02][{_DASH}][02]|1[{_DASH}]1|\*)(?![\d/])
    |(?P<move>\d{{1,2}}(?:(?:[ \t]*+[{_DASH}{_TIMES}][ \t]*+|:)\d{{1,2}})++(?!\d))[!?*]*+
    |\d++[.\u2026]++ | \d++:(?=\s)
    |(?P<number>\d++(?=[\s)]|\Z))
    |[^\s\d()\[{{;$*]++
    |(?P<other>\S)""",
    re.VERBOSE | re.MULTILINE,
)
"""It never looks at a part of the text twice: a file may be one long run of anything."""
_NEXT_TAGS = re.compile(rf"^[ \t]*+{_TAG}", re.MULTILINE)
_LOOSE_TAG = re.compile(rf'\[\s*+({_NAME})\s++"(.*)"\s*\]\s*')
"""A line with quotes in a value that should have been escaped."""
_ADJACENT = re.compile(rf"^[ \t]*+{_TAG}[ \t]*+\n[ \t]*+\[", re.MULTILINE)
_ROSTER = {"event", "site", "date", "round", "white", "black", "result"}
_PLAIN = str.maketrans(_DASH + _TIMES + ":", "-" * len(_DASH) + "x" * len(_TIMES) + "x")


@dataclass
class GameText:
    """A game as it stands in the file: its tags, its moves, how it ended, what is wrong with it.

    Attributes
    ----------
    line
        of the file on which it begins, from 1.
    """

    tags: dict[str, str] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)
    end: str = ""
    fault: str = ""
    line: int = 0

    def __bool__(self) -> bool:
        return bool(self.tags or self.moves)


def game_texts(content: str) -> Iterator[GameText]:
    """Yield the games of a file, whose lines end in newlines; see the page above."""
    return _Reader(content).games()


class _Reader:
    """Where the reading of a file stands."""

    def __init__(self, content: str) -> None:
        self.content, self.text = content, GameText()
        self.depth = 0
        """Of variations."""
        self.is_done_with_tags = False
        """Whether a blank line or a comment came after the game's tags, or more of the game."""
        self.has_body = False
        self.first_tag = ""
        self.blank_lines_count = _ADJACENT.search(content) is not None
        self._lines = LineCounter(content)
        self._close, self._tags = Ahead(content, re.compile(r"\}")), Ahead(content, _NEXT_TAGS)

    def games(self) -> Iterator[GameText]:
        end = 0
        while (found := _TOKEN.search(self.content, end)) is not None:
            gap = self.content[end : found.start()]
            if gap.count("\n") > 1:
                self.is_done_with_tags = True
            is_first = not end or "\n" in gap
            at, end = found.start(), found.end()
            kind = found.lastgroup
            if kind == "value":
                yield from self._tag(found["tag"], re.sub(r"\\(.)", r"\1", found["value"]), at)
            elif kind == "open" and is_first and (line := _line_at(self.content, at)):
                end = at + len(line)
                loose = _LOOSE_TAG.fullmatch(line)
                if loose is not None:
                    yield from self._tag(loose[1], loose[2], at)
                elif re.match(rf'\[\s*{_NAME}\s+"', line):  # a value without an end
                    if self.text.moves:
                        yield self._ended()
                    self.text.fault = "not readable"
                else:
                    self._fault()
            elif kind == "brace":
                end = self._comment(at)
                self.is_done_with_tags = True
            elif kind == "bracket":
                self.depth = max(0, self.depth + (1 if found[0] == "(" else -1))
            elif not self.depth:
                yield from self._plain(kind, found, at)
        if self.text:
            yield self._ended()

    def _plain(self, kind: str | None, found: re.Match[str], at: int) -> Iterator[GameText]:
        """Take a token of the game itself."""
        if kind == "move":
            if not self.text:
                self.text.line = self._lines.at(at)
            self.has_body = True
            self.text.moves.append(re.sub(r"\s", "", found["move"]).translate(_PLAIN))
        elif kind == "result" and self.text:
            self.text.end = re.sub(r"\s", "", found["result"]).translate(_PLAIN)
            yield self._ended()
        elif kind == "number":  # one that does not follow is what is left of something else
            if abs(int(found[0][:9]) - len(self.text.moves) // 2 - 1) > 1 and self.text.moves:
                self._fault()
        elif kind in ("other", "open"):
            self._fault()

    def _tag(self, name: str, value: str, at: int) -> Iterator[GameText]:
        """Take a tag; it may be the first of the next game."""
        name = name.lower()
        if self.text and self._is_next(name):
            yield self._ended()
        if not self.text:
            self.text.line = self._lines.at(at)
            self.first_tag = self.first_tag or name
            self.depth, self.is_done_with_tags, self.has_body = 0, False, False
        self.text.tags[name] = value

    def _is_next(self, name: str) -> bool:
        if self.has_body or name in self.text.tags or name in ("event", self.first_tag):
            return True
        return self.is_done_with_tags and self.blank_lines_count and name in _ROSTER

    def _comment(self, at: int) -> int:
        """Return where a comment ends that opens at a place.

        One that nobody closed ends at the next game's tags: it has no end, or another opens after
        those tags and before it.
        """
        close, tags = self._close.after(at), self._tags.after(at)
        if tags >= 0 and (close < 0 or tags < close):
            another = self.content.find("{", tags, close if close >= 0 else None)
            if close < 0 or another >= 0:
                self._fault()
                return tags
        if close < 0:
            self._fault()
            return len(self.content)
        return close + 1

    def _fault(self) -> None:
        if self.text:
            self.text.fault = "not readable"

    def _ended(self) -> GameText:
        text, self.text = self.text, GameText()
        self.depth, self.is_done_with_tags, self.has_body = 0, False, False
        return text


def _line_at(content: str, at: int) -> str:
    end = content.find("\n", at)
    return content[at : end if end >= 0 else None]

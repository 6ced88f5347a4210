"""The games of a file in PDN as they stand there, before any rule of checkers is asked.

A game is a section of tags, which may be missing, then moves, comments and variations, and a
result. Whatever stands in a game, it ends at its result, or where the next game's tags begin.

Tags belong to the moves after them: neither their order, nor a tag given twice, nor a blank line or
comment between them begins another game. A game may have tags alone, however (nobody came): the
tag that most games of the file begin with, after the first gap, begins the next one where it
repeats or the result was told. Tags that may be those of two games are not readable.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from samuel.games.records import DASH, Ahead, LineCounter, not_understood

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
    |(?P<result>1/2(?:\s?+[{DASH}]\s?+1/2)?+|\u00bd(?:\s?+[{DASH}]\s?+\u00bd)?+
        |1\s?[{DASH}]\s?0|0\s?[{DASH}]\s?1|[02][{DASH}][02]|1[{DASH}]1|\*)(?![\d/])
    |(?P<move>\d{{1,2}}(?:(?:[ \t]*+[{DASH}{_TIMES}][ \t]*+|:)\d{{1,2}})++(?!\d))[!?*]*+
    |(?P<count>\d++)(?P<dots>[.\u2026]++) | \d++:(?=\s)
    |(?P<number>\d++(?=[\s)]|\Z))
    |(?P<word>[^\s\d()\[{{;$*]++)
    |(?P<other>\S)""",
    re.VERBOSE | re.MULTILINE,
)
"""It never looks at a part of the text twice: a file may be one long run of anything."""
_NEXT_TAGS = re.compile(rf"^[ \t]*+{_TAG}", re.MULTILINE)
_LOOSE_TAG = re.compile(rf'\[\s*+({_NAME})\s++"(.*)"\s*\]\s*')
"""A line with quotes in a value that should have been escaped."""
_ADJACENT = re.compile(rf"^[ \t]*+{_TAG}[ \t]*+\n[ \t]*+\[", re.MULTILINE)
_OPENING = re.compile(rf'(?:\A|[^\]}}\s][ \t]*+\n)\s*+\[\s*+({_NAME})\s*+"')
"""A tag that begins a game for sure: the file's first, or one after a line of moves."""
_MARKS = re.compile(rf"[!?+#=,.:\u2026\u00b1\u2213\u221e]++|N|[+=]/?[{DASH}]|[{DASH}]/?\+")
"""Marks of how good a move is, and signs between moves."""
_DECIDING = ("fen", "gametype", "result")
_PLAIN = str.maketrans(DASH + _TIMES + ":", "-" * len(DASH) + "x" * len(_TIMES) + "x")


@dataclass
class GameText:
    """A game as it stands in the file: its tags, its moves, how it ended, what is wrong with it."""

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
    """State of reading a file."""

    def __init__(self, content: str) -> None:
        self.content, self.text = content, GameText()
        self.depth = 0
        """Depth of nested variations."""
        self.has_gap = False
        """True if a blank line or a comment came after the last tag."""
        self.gaps = 0
        """Before the last tag."""
        self.is_broken = False
        """True if the game's first tag, or a comment, has no end: the next may begin behind it."""
        self.is_in_doubt = False
        """True if the tags may be those of two games."""
        self.has_body = False
        self.word = ""
        """First word among the moves."""
        self.number = 0
        """Number of the first move, as it stands before it."""
        self.repeated: set[str] = set()
        """Tags that the game has twice."""
        openings = Counter(name.lower() for name in _OPENING.findall(content))
        usual = openings.most_common(1)
        is_most = bool(usual) and 2 * usual[0][1] > openings.total()
        self.opener = usual[0][0] if is_most else "event"
        self.blank_lines_count = _ADJACENT.search(content) is not None
        self._lines = LineCounter(content)
        self._close, self._tags = Ahead(content, re.compile(r"\}")), Ahead(content, _NEXT_TAGS)

    def games(self) -> Iterator[GameText]:
        end = 0
        while (found := _TOKEN.search(self.content, end)) is not None:
            gap = self.content[end : found.start()]
            if gap.count("\n") > 1:
                self.has_gap = self.blank_lines_count
            is_first = not end or "\n" in gap or self.content[end - 1] == "\n"
            at, end = found.start(), found.end()
            kind = found.lastgroup
            if kind == "value":
                value = re.sub(r"\\(.)", r"\1", found["value"])
                yield from self._tag(found["tag"], value, at, is_first)
            elif kind == "open" and is_first and (line := _line_at(self.content, at)):
                end = at + len(line)
                loose = _LOOSE_TAG.fullmatch(line)
                if loose is not None:
                    yield from self._tag(loose[1], loose[2], at, is_first)
                elif broken := re.match(rf'\[\s*({_NAME})\s+"', line):  # a value without an end
                    if self.text.moves:
                        yield self._ended()
                    self.text.fault = "not readable"
                    self.is_broken = broken[1].lower() == self.opener
                else:
                    self._fault()
            elif kind == "brace":
                end = self._comment(at)
                self.has_gap = self.blank_lines_count
            elif kind == "bracket":
                self.depth = max(0, self.depth + (1 if found[0] == "(" else -1))
            elif not self.depth:
                yield from self._plain(kind, found, at)
        if self.text:
            yield self._ended()

    def _plain(self, kind: str | None, found: re.Match[str], at: int) -> Iterator[GameText]:
        """Take a token of the game itself."""
        if kind == "word" and self.text.moves and not _MARKS.fullmatch(found[0]):
            self.word = self.word or found[0]
        elif kind == "move":
            if self.word:  # one behind all moves may tell the result
                self._fault(not_understood(self.word))
            if not self.text:
                self.text.line = self._lines.at(at)
            self.has_body = True
            is_rest = not self.text.moves and self.number > 1 and "fen" not in self.text.tags
            self.text.moves.append(re.sub(r"\s", "", found["move"]).translate(_PLAIN))
            if is_rest:
                self._fault()
        elif kind == "result" and self.text:
            self.text.end = re.sub(r"\s", "", found["result"]).translate(_PLAIN)
            yield self._ended()
        elif kind == "number":  # one that does not follow is what is left of something else
            if abs(int(found[0][:9]) - len(self.text.moves) // 2 - 1) > 1 and self.text.moves:
                self._fault()
        elif kind == "dots":
            self._count(int(found["count"][:9]), is_black=len(found["dots"]) > 1)
        elif kind in ("other", "open"):
            self._fault()

    def _count(self, number: int, is_black: bool) -> None:
        """Take a move's number: it shows where the rest of another game begins, or the next one."""
        begun = len(self.text.moves)
        self.number = self.number if begun else number
        if number == 1 and begun > 1 and not is_black:
            self._fault()

    def _tag(self, name: str, value: str, at: int, is_first: bool) -> Iterator[GameText]:
        """Take a tag, the first of its line or not; it may be the first of the next game."""
        name = name.lower()
        self.gaps += self.has_gap
        if self.has_body and not is_first:  # moves on both sides: of one game or of two
            self._fault()
            yield self._ended()
            self.text.fault = "not readable"
        elif self.text and self._is_next(name):
            yield self._ended()
        elif self.text and self._is_doubtful(name, value):
            self.is_in_doubt = True
            self._fault()
        if not self.text:
            self.text.line = self._lines.at(at)
            self._begin()
        self.text.tags[name] = value
        self.has_gap, self.number = False, 0

    def _is_next(self, name: str) -> bool:
        tags = self.text.tags
        if self.has_body or self.is_in_doubt or name != self.opener:
            return self.has_body
        return self.is_broken or (
            self.has_gap and self.gaps == 1 and (name in tags or "result" in tags)
        )

    def _is_doubtful(self, name: str, value: str) -> bool:
        """Return whether the tags may be those of two games, or say two things."""
        tags = self.text.tags
        if name not in tags:
            return self.has_gap and (name == self.opener or "result" in tags)
        self.repeated.add(name)
        if value != tags[name] and (self.has_gap or name in _DECIDING):
            return True
        return len(self.repeated) > 1 or (name == self.opener and len(tags) > 1)

    def _comment(self, at: int) -> int:
        """Return where a comment ends that opens at a place."""
        close, tags = self._close.after(at), self._tags.after(at)
        if tags >= 0 and (close < 0 or tags < close):
            another = self.content.find("{", tags, close if close >= 0 else None)
            if close < 0 or another >= 0:
                self.is_broken = True
                self._fault()
                return tags
        if close < 0:
            self._fault()
            return len(self.content)
        return close + 1

    def _fault(self, reason: str = "not readable") -> None:
        if self.text:
            self.text.fault = self.text.fault or reason

    def _ended(self) -> GameText:
        text, self.text = self.text, GameText()
        if self.depth:
            text.fault = text.fault or "cut-off record"
        self._begin()
        return text

    def _begin(self) -> None:
        self.depth, self.has_gap, self.has_body, self.repeated = 0, False, False, set()
        self.number, self.gaps, self.word = 0, 0, ""
        self.is_broken = self.is_in_doubt = False


def _line_at(content: str, at: int) -> str:
    end = content.find("\n", at)
    return content[at : end if end >= 0 else None]

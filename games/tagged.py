"""Games of a PGN or PDN file as text, before any rule of the game is applied.

PGN standard (S. Edwards, 1994). Every token between the tags and the result is a number, a mark of
how good a move is, a comment, a variation or else a move: nothing is passed over. White space of
any kind separates tokens. Comments and variations are read to their end first.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from samuel.common.errors import UserError, plain_name
from samuel.common.text_files import open_text
from samuel.games.records import DASHES, TERMINATIONS, GameRecord, not_understood

_UNSEEN = (0, 0x1A, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF)
"""NULs, ends of files, byte-order marks and other characters without width separate, too."""
_PLAIN = DASHES | dict.fromkeys(_UNSEEN, " ")
_NAME = r"\w[\w+#=:-]*+"
_SIGNS = "\u00b1\u2213\u2a72\u2a71\u221e\u25a1"
"""Signs of a position's worth: either side is better, unclear, or the only move."""
_OTHER = r"[^][\s{}();$*]"
_TAG = re.compile(rf'\[\s*+(?P<name>{_NAME})\s*+"(?P<tag>(?:[^"\\]|\\.)*+)"\s*+\]')


def _tokens(end: str, number: str, word: str) -> str:
    """Return the pattern of a format's tokens, given those of results, numbers and moves."""
    return rf"""{_TAG.pattern}
        |(?P<end>{end})
        |(?P<number>{number})
        |(?P<mark>\$\s*+\d++|(?:[!?+#]++|e\.?p\.?|[N={_SIGNS}]|\+/?[-=]|[-=]/?\+)(?!{_OTHER}))
        |{word}
        |(?P<sign>\S)"""


PGN = re.compile(
    _tokens(
        rf"\*|(?:1-0|0-1|1/2(?:-1/2)?+|½(?:-½)?+)(?!{_OTHER})",
        rf"\d*+[.\u2026]++|\d++(?!{_OTHER})",
        rf"(?P<word>{_OTHER}++)",
    ),
    re.VERBOSE,
)
PDN = re.compile(
    _tokens(
        r"(?:1/2(?:\s?+-\s?+1/2)?+|½(?:\s?+-\s?+½)?+|1\s?-\s?0|0\s?-\s?1|[02]-[02]|1-1|\*)(?![\d/])",
        rf"\d*+[.\u2026]++|\d++(?:\)|:(?=\s)|(?!{_OTHER}|[ \t]*+[-xX\u00d7]))",
        r"(?P<word>\d{1,2}(?:(?:[ \t]*+[-xX\u00d7][ \t]*+|:)\d{1,2})++(?!\d))[!?*]*+"
        rf"|(?P<clock>\[%[^\]\n]*+\]?)|(?P<remark>{_OTHER}++)",
    ),
    re.VERBOSE,
)
_TAG_LINE = re.compile(rf'\s*+\[\s*+({_NAME})\s*+"(.*)"\s*+\]\s*+')
"""A line with quotes in a value that should have been escaped."""
_BEGINS_TAG = re.compile(rf'\s*+\[\s*+{_NAME}\s*+"')
_DECIDING = ("fen", "result", "variant", "gametype")
_LONGEST_COMMENT, _AHEAD = 1 << 16, 1 << 20
"""Characters that are kept of a comment, and that are read ahead where one may have no end."""
_MOST_MOVES = 1 << 12
_LONGEST = 1 << 20
"""Bytes of the longest line; a file of a longer one is no such file."""
_WIDTH = 79


@dataclass
class GameText:
    """Text of a game."""

    line: int
    tags: dict[str, str] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)
    comments: list[tuple[int, str]] = field(default_factory=list)
    end: str = ""
    fault: str = ""


class TaggedReader:
    """Reader of the games in lines of text, the first of which has the number `line` + 1."""

    def __init__(self, lines: Iterator[str], tokens: re.Pattern[str] = PGN) -> None:
        self._lines, self._tokens, self.line = lines, tokens, 0
        self._returned: list[str] = []
        """Lines that were read ahead, the next one last."""
        self._game: GameText | None = None
        self._depth = 0
        """Depth of nested variations."""
        self._block: list[str] = []
        """Names of the tags since the last blank line or comment."""
        self._remark = ""
        """Word among the moves, which may be the last."""

    def games(self) -> Iterator[GameText]:
        """Yield the games."""
        while line := self._next_line():
            if line.isspace():
                self._block = []
            elif not line.startswith("%"):
                yield from self._read_line(line)
        yield from self._ended()

    def _next_line(self) -> str:
        line = self._returned.pop() if self._returned else next(self._lines, "").translate(_PLAIN)
        self.line += bool(line)
        return line

    def _read_line(self, line: str) -> Iterator[GameText]:
        at, is_first = 0, True
        if _BEGINS_TAG.match(line) and not _TAG.match(line.lstrip()):
            whole = _TAG_LINE.fullmatch(line)
            name, value = (whole[1], whole[2]) if whole else ("?", "")
            yield from self._tag(name, value, line, is_first)
            if not whole:
                self._fault(not_understood(line))
            return
        while (found := self._tokens.search(line, at)) is not None:
            at, kind = found.end(), found.lastgroup
            token = found["word"] if kind == "word" else found[0]
            if token == "{":
                line, at = self._comment(line[at:]), 0
            elif token == ";":
                self._add_comment(line[at:])
                return
            elif token in "()":
                self._parenthesis(token)
            elif kind == "tag" and (is_first or not self._depth):
                value = re.sub(r"\\(.)", r"\1", found["tag"])
                yield from self._tag(found["name"], value, token, is_first)
                continue  # another one may follow
            elif not self._depth:
                yield from self._token(kind, token, is_first)
            elif token.endswith(")"):  # a number that ends a variation
                self._depth -= 1
            is_first = False

    def _tag(self, name: str, value: str, token: str, is_first: bool) -> Iterator[GameText]:
        """Take a tag: it may be the first of the next game."""
        name, game = name.lower(), self._game
        if game is not None and (game.moves or game.end or self._depth):
            if not is_first and not game.end:
                self._fault(not_understood(token))
                return
            yield from self._ended()
        elif game is not None and name in game.tags:
            opens = name == next(iter(game.tags))
            if not self._block or (opens and self._block[0] == name):
                yield from self._ended()
            elif opens or (name in _DECIDING and value != game.tags[name]):
                self._fault("tags of two games may be mixed")
        self._begun().tags[name] = value
        self._block.append(name)

    def _token(self, kind: str | None, token: str, is_first: bool) -> Iterator[GameText]:
        """Take a token of the game itself."""
        number = int(re.sub(r"\D", "", token)[:9] or 0) if kind == "number" else 0
        if self._game is not None and self._game.end and kind != "mark":
            if number == 1 or (is_first and kind == "word"):
                yield from self._ended()
            elif kind != "end" or _result(token) != self._game.end:
                self._fault("moves after the result")
        game = self._begun()
        if kind == "end":
            game.end = game.end or _result(token)
        elif kind == "number":
            self._count(number, is_black=token.endswith(("..", "\u2026")))
        elif kind == "word" and len(game.moves) < _MOST_MOVES:
            if self._remark:
                self._fault(not_understood(self._remark))
            game.moves.append(token)
        elif kind == "remark":
            self._remark = self._remark or token * bool(game.moves)
        elif kind not in ("mark", "clock"):
            self._fault("too many moves" if kind == "word" else not_understood(token))

    def _count(self, number: int, is_black: bool) -> None:
        """Take a move's number: it may show that a part of another game is here."""
        game = self._begun()
        if not game.moves and number > 1 and "fen" not in game.tags:
            self._fault("moves without their beginning")
        elif len(game.moves) > 1 and number == 1 and not is_black:
            self._fault("two games without a result between them")

    def _parenthesis(self, token: str) -> None:
        if token == ")" and not self._depth:
            self._fault(not_understood(token))
        else:
            self._depth += 1 if token == "(" else -1

    def _comment(self, text: str) -> str:
        """Take a comment in braces that begins with `text`; return the rest of its last line."""
        parts, length = [text], 0
        ahead: list[str] = []
        while "}" not in text.partition("{")[0] if ahead else "}" not in text:
            is_lost = bool(ahead) and ("{" in text or length > _AHEAD)
            text = "" if is_lost else self._next_line()
            if not text:
                self._fault("comment without an end")
                self.line -= len(ahead)
                self._returned += reversed(ahead)
                self._block = []
                return ""
            if ahead or _TAG_LINE.fullmatch(text):
                ahead.append(text)
            length += len(text)
            if length < _LONGEST_COMMENT:
                parts.append(text)
        end = text.index("}")
        parts[-1] = parts[-1][:end] if parts[-1] is text else parts[-1]
        self._add_comment("".join(parts))
        return text[end + 1 :]

    def _add_comment(self, text: str) -> None:
        self._block = []
        if self._game is not None and not self._depth and not self._game.end:
            self._game.comments.append((len(self._game.moves), text))

    def _begun(self) -> GameText:
        if self._game is None:
            self._game, self._depth = GameText(self.line), 0
        return self._game

    def _fault(self, reason: str) -> None:
        game = self._begun()
        game.fault = game.fault or reason

    def _ended(self) -> Iterator[GameText]:
        """Yield the game that ends here, if there is one."""
        if self._game is not None:
            if self._depth:
                self._fault("variation without an end")
            yield self._game
        self._game, self._depth, self._block, self._remark = None, 0, [], ""


def _result(token: str) -> str:
    plain = "".join(token.split())
    return "1/2-1/2" if plain[0] in "½1" and plain != "1-0" else plain


def games_in(path: Path, tokens: re.Pattern[str]) -> Iterator[tuple[int, GameText]]:
    """Yield the games of a file, each with the line that it begins on."""
    with open_text(path) as stream:
        for game in TaggedReader(_lines(stream, path), tokens).games():
            yield game.line, game


def _lines(stream: IO[bytes], path: Path) -> Iterator[str]:
    text = io.TextIOWrapper(stream, "utf-8")
    while line := text.readline(_LONGEST):
        if len(line) == _LONGEST:
            raise UserError(f"{path} has a line of more than {_LONGEST:,} bytes")
        yield line


def written(played: GameRecord, tags: Mapping[str, str], moves: Sequence[str], end: str) -> str:
    """Return a game as text: its tags, its moves with their numbers, and its result."""
    start, first = played.start, played.ply // 2 + 1
    forfeit = {"Termination": TERMINATIONS[played.forfeit]} if played.forfeit else {}
    lines = [""]
    for k, move in enumerate([*moves, end], start.side):
        number = f"{first + k // 2}"
        before = f"{number}. " if k % 2 == 0 else f"{number}... " if k == start.side else ""
        part = move if k == start.side + len(moves) else before + move
        if lines[-1] and len(lines[-1]) + len(part) >= _WIDTH:
            lines.append("")
        lines[-1] += f" {part}" if lines[-1] else part
    texts = {
        name: re.sub(r'(["\\])', r"\\\1", plain_name(tag))
        for name, tag in {**tags, **forfeit}.items()
    }
    return "\n".join([*(f'[{name} "{text}"]' for name, text in texts.items()), "", *lines, ""])

"""GGF, the Generic Game Format of the game servers of the 1990s, for Othello.

Michael Buro, "Generic Game Format", https://skatgame.net/mburo/ggsa/ggf: a game is
`(;GM[Othello]PC[place]...RE[+4.000]BO[8 ---...--- *]B[F5//1.2]W[D6]...;)`; `*` is Black, the first
player, and a move may be followed by an evaluation and a time. Files hold several games.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from samuel.common.errors import UserError, plain_name
from samuel.common.text_files import read_text, sniffed
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.records import (
    GameRecord,
    ReadGame,
    RecordFormat,
    Records,
    RefusedError,
    first_of,
    not_understood,
    read_games,
    start_of,
)
from samuel.games.rules import PASS

_TITLE = "Othello"
_START = re.compile(r"\(;")
_NEXT_GAME = re.compile(r"\(;\s*+GM\s*+\[[^][\n]++\](?=\s*+(?:[A-Z]++\s*+\[|;\s*+\)))")
_STEP = re.compile(r"(?<![A-Z])(?P<name>[A-Z]++)\s*+\[|(?P<end>;\s*+\))|\(;")
"""Text that may follow a value: the next one, the game's end, or another game without one."""
_VALUE_END = re.compile(r"\](?=\s*+(?:[A-Z]++\s*+\[|;\s*+\)|\(;|\Z))")
"""Brackets and ends of games may stand within a value: the last of it has something behind it."""
_BRACKETS = str.maketrans("[]\\", "()/")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?")


def read_ggf(path: Path, game: Game) -> Iterator[Records]:
    """Yield the games of a GGF file."""
    content = read_text(path)
    numbered = _numbered(content)
    first = next(numbered, None)
    if first is None:
        raise UserError(f"{path} has no game in GGF; such a game begins with (;GM[Othello]")
    yield from read_games(game, itertools.chain([first], numbered), lambda text: _read(text, game))


def _numbered(content: str) -> Iterator[tuple[int, GameText]]:
    """Yield the games in a text, each with the line that it begins on."""
    line, counted = 1, 0
    for text in game_texts(content):
        line, counted = line + content.count("\n", counted, text.at), text.at
        yield line, text


class GameText(NamedTuple):
    """A game as it stands in the file: where, its properties in order, whether it has an end."""

    at: int
    properties: list[tuple[str, str]]
    is_whole: bool


def game_texts(content: str) -> Iterator[GameText]:
    """Yield the games in a text; other text between them does not count."""
    next_game, at = _Ahead(content, _NEXT_GAME), 0
    while (found := _START.search(content, at)) is not None:
        properties: list[tuple[str, str]] = []
        at = found.end()
        while (step := _STEP.search(content, at)) is not None and step["name"]:
            if gap := content[at : step.start()].strip():
                properties.append(("", gap))
            following = next_game.after(step.end())
            limit = following if following >= 0 else len(content)
            end = _VALUE_END.search(content, step.end(), limit)
            if end is None:
                at, step = limit, None
                break
            value = content[step.end() : end.start()]
            properties.append((step["name"], re.sub(r"\\([\]\\])", r"\1", value)))
            at = end.end()
        if step is not None and step["end"]:
            at = step.end()
        yield GameText(found.start(), properties, step is not None and bool(step["end"]))


def read_position(text: str, game: Game) -> tuple[Position, list[int]]:
    """Return where the one game in `text`, which may go on, starts, and the moves so far."""
    require_ggf(game)
    try:
        found = next(game_texts(text), None)
        if found is None:
            raise RefusedError("no game")
        told = _read(found, game)
    except RefusedError as error:
        raise UserError(f"not a game of {game.name} in GGF: {error}") from None
    start = told.start or first_of(game)
    return Position(game, start.words, start.side), list(told.moves)


def has_ggf(game: Game) -> bool:
    """Return whether games of a game are written in GGF here."""
    return game.defaults.title == _TITLE


def require_ggf(game: Game) -> None:
    """Raise UserError unless they are."""
    if not has_ggf(game):
        raise UserError(f"GGF is for {_TITLE}, not for {game.name}; use transcripts")


def _read(text: GameText, game: Game) -> ReadGame:
    if not text.is_whole:
        raise RefusedError("cut-off record")
    for name, value in text.properties:
        if not name:
            raise RefusedError(not_understood(value))
    about = {name: value for name, value in text.properties if name not in ("B", "W")}
    # type 8a is anti-Othello, whose loser wins
    if about.get("GM", "").strip().lower() != _TITLE.lower() or "a" in about.get("TY", ""):
        raise RefusedError("another game")
    try:
        start = start_of(_board(about["BO"], game)) if "BO" in about else None
        moves = [
            game.notation.read_move(value.split("/")[0])
            for name, value in text.properties
            if name in ("B", "W")
        ]
    except UserError:
        raise RefusedError("not readable") from None
    return ReadGame(moves, start, _result(about.get("RE", ""), game))


def _board(text: str, game: Game) -> Position:
    size, *parts = text.split() or [""]
    if game.shape is None or size != str(game.shape[0]):
        raise RefusedError("wrong board size")
    squares = "".join(parts)
    return Position.parse(f"{squares[:-1]} {squares[-1:]}", game)


def _result(text: str, game: Game) -> float:
    """Return Black's result; NaN where none is told, or not by the board alone."""
    result = float(text) if _NUMBER.fullmatch(text.strip()) else math.nan
    return result if abs(result) <= game.scores.max_utility else math.nan


def write_ggf(played: GameRecord) -> str:
    """Return a game in GGF; Black moves first."""
    start, result = played.start, played.result
    game = start.game
    squares, mover = start.text.replace("X", "*").split()
    rows, _ = game.shape or (8, 8)
    black, white = (plain_name(n).translate(_BRACKETS) for n in played.names)
    texts = ["PA" if m == PASS else game.notation.write_move(m).upper() for m in played.moves]
    sides = "BW" if start.side == 0 else "WB"
    moves = "".join(f"{sides[k % 2]}[{text}]" for k, text in enumerate(texts))
    told = "?" if math.isnan(result) else f"{result:+z.3f}"
    how = f"{told}:{played.forfeit}" if played.forfeit else told
    return (
        f"(;GM[Othello]PC[samuel]PB[{black}]PW[{white}]RE[{how}]TY[{rows}]"
        f"BO[{rows} {squares} {mover}]{moves};)"
    )


class _Ahead:
    """The next place of something in a text."""

    def __init__(self, content: str, what: re.Pattern[str]) -> None:
        self._content, self._what = content, what
        self._next: int | None = None

    def after(self, at: int) -> int:
        """Return the first place from `at` on, which never falls; -1 where there is none."""
        if self._next is None or 0 <= self._next < at:
            found = self._what.search(self._content, at)
            self._next = -1 if found is None else found.start()
        return self._next


FORMATS = (RecordFormat("ggf", "ggf", lambda start: "(;" in sniffed(start), read_ggf, write_ggf),)

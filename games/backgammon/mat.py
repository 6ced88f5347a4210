"""Games as Jellyfish, GNU Backgammon and eXtreme Gammon keep them: `.mat`, a match a file.

After ` 7 point match` (0 for money) come the games: ` Game 1`, a line of names and scores, then
lines such as ` 12) 52: 13/8 24/22              63: 8/5 11/5`, a column a player. The bar is 25,
off is 0. Doubles, takes and drops stand in place of throws; `Wins 2 points` ends a game.

Here nothing is doubled: the cube is read over, and a win that the board does not tell (a drop, a
resignation) counts its points by the cube's value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from samuel.common.errors import UserError
from samuel.common.text_files import read_text, sniffed
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.records import (
    ReadGame,
    RecordFormat,
    Records,
    RefusedError,
    not_understood,
    read_games,
)
from samuel.games.rules import PASS

_MATCH = re.compile(r"^[^\S\n]*\d+[^\S\n]+point match\b", re.IGNORECASE | re.MULTILINE)
_GAME = re.compile(r"\s*Game\s+\d+\s*", re.IGNORECASE)
_VARIATION = re.compile(r'^; *\[Variation "(?!backgammon")', re.IGNORECASE | re.MULTILINE)
_NUMBER = re.compile(r"\s*\d+\)")
_ACTION = re.compile(
    r"(?P<dice>[1-6][1-6]):|(?:Re)?doubles\s*=>\s*(?P<cube>\d{1,6})|(?P<takes>Takes)|"
    r"Drops|Passes|Wins\s+(?P<points>\d{1,6})\s+points?",
    re.IGNORECASE,
)
_NO_PLAY = re.compile(r"(?:cannot move|\?+)?", re.IGNORECASE)
_RIGHT = 20
"""Where at the latest the second player's column has begun, if the first one's is empty."""


@dataclass
class _Told:
    """Plays and result of a game as its lines tell them; a side is 0 for who throws first."""

    plays: list[tuple[str, str]] = field(default_factory=list)
    cube: int = 1
    points: int = 0
    winner: int = 0


def read_mat(path: Path, game: Game) -> Iterator[Records]:
    """Yield the games of a file."""
    content = read_text(path)
    if not _MATCH.search(content):
        raise UserError(f"{path} is not a match of backgammon: it has no line like 7 point match")
    if _VARIATION.search(content):
        raise UserError(f"{path} is a match of another variant; only backgammon can be read")
    lines = content.split("\n")
    firsts = [k for k, line in enumerate(lines) if _GAME.fullmatch(line)]
    texts = ((a + 1, lines[a + 1 : b]) for a, b in pairwise([*firsts, len(lines)]))
    yield from read_games(game, texts, lambda text: _read_game(text, game), may_stop=True)


def _read_game(lines: Sequence[str], game: Game) -> ReadGame:
    told = _told(lines)
    moves: list[int] = []
    position = Position.start(game)
    for k, (dice, text) in enumerate(told.plays):
        if position.is_terminal:
            raise RefusedError("moves after the end")
        throw = game.notation.read_move(dice)
        thrown = position.play(throw)
        playable = game.moves_in(thrown.row).tolist()
        if not text and playable not in ([], [PASS]):
            if k == len(told.plays) - 1 and told.points:
                break  # given up instead of playing
            raise RefusedError("illegal move")
        try:
            move = thrown.meant(text or "pass", playable)
            position = thrown.play(move)
        except UserError:
            raise RefusedError("illegal move") from None
        moves += [throw, move]
    return ReadGame(moves, result=_result(told, position))


def _told(lines: Sequence[str]) -> _Told:
    told, left = _Told(), 0
    for line in lines[1:]:  # after the names, which may say anything
        number = _NUMBER.match(line)
        begin = number.end() if number else 0
        actions = list(_ACTION.finditer(line, begin))
        before = line[begin : actions[0].start() if actions else None].strip()
        if number and before:
            raise RefusedError(not_understood(before))
        ends = [action.start() for action in actions[1:]] + [len(line)]
        for action, end in zip(actions, ends, strict=False):
            if told.points:
                raise RefusedError("moves after the end")
            is_right = action.start() >= _RIGHT
            if action["dice"]:
                if not told.plays:
                    left = int(is_right)  # the second player throws first
                text = line[action.end() : end].strip()
                told.plays.append((action["dice"], "" if _NO_PLAY.fullmatch(text) else text))
            elif action["cube"]:
                offered = int(action["cube"])
                if offered != 2 * told.cube:
                    raise RefusedError("not readable")
            elif action["takes"]:
                told.cube *= 2
            elif action["points"]:
                told.points, told.winner = int(action["points"]), int(is_right) ^ left
    return told


def _result(told: _Told, position: Position) -> float:
    """Return the points of who throws first; NaN where the board tells them, or nothing does."""
    sign = 1 if told.winner == 0 else -1
    if position.is_terminal:
        ahead = position.utility() * (1 if position.side == 0 else -1)
        if told.points and ahead * sign < 0:
            raise RefusedError("final score differs")
        return math.nan
    if not told.points:
        return math.nan
    points, rest = divmod(told.points, told.cube)
    if rest or not 1 <= points <= position.game.scores.max_utility:
        raise RefusedError("not readable")
    return float(sign * points)


FORMATS = (
    RecordFormat("mat", "mat", lambda start: _MATCH.search(sniffed(start)) is not None, read_mat),
)

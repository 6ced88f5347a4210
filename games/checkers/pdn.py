"""PDN, Portable Draughts Notation, for checkers (English draughts, its GameType 21).

A. Millett's proposal of 1995 and version 3.0 of M. Bergen and others: as in PGN, tags
`[White "name"]`, then moves such as `1. 11-15 22-18 2. 15x22 25x18`, with numbers, comments in
braces, variations in parentheses and marks of how good a move is, which are read over, and the
result. A game with anything else between its moves is left out. Files hold several games. A jump of
several may be given by its ends.

People end most games before the rules do: given up, or agreed a draw. The result that is told is
the outcome then (`Records.may_stop`).

`1-0` is White's win in version 3.0, but that of Black, who moves first, in many collections. A file
is taken to mean the side that is ahead where most of its games with a winner end (of the first
4,096), by the rules or by material; where that says nothing, White.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from pathlib import Path

from samuel.common.errors import UserError
from samuel.common.text_files import sniffed
from samuel.games.checkers.listing import KINGS, MEN, THEIR_KINGS, THEIR_MEN
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.records import (
    DASHES,
    GameRecord,
    ReadGame,
    RecordFormat,
    Records,
    RefusedError,
    read_games,
    result_told,
    start_of,
)
from samuel.games.tagged import PDN, GameText, games_in, written

_TYPE = "21"
_FOR_WHITE = {
    "1-0": 1,
    "2-0": 1,
    "1/2-1/2": 0,
    "1/2": 0,
    "1-1": 0,
    "=": 0,
    "draw": 0,
    "0-1": -1,
    "0-2": -1,
}
_MAN, _KING = 2, 3
_PLAIN = str.maketrans("X\u00d7:", "xxx")


def read_pdn(path: Path, game: Game) -> Iterator[Records]:
    """Yield the games of a file; a game that stops before its end has the result that is told."""
    texts = (one for one in games_in(path, PDN) if one[1].tags or one[1].moves)
    first = next(texts, None)
    if first is None:
        raise UserError(f'{path} has no game in PDN, such as [Result "1-0"] 1. 11-15 ... 1-0')
    ahead: list[int] = []
    whites_win = 0  # 1 where it is what 1-0 means, -1 where that is Black's

    def read(text: GameText) -> ReadGame:
        start, moves, end = _played(text, game)
        result = _told(text)
        ahead.append(_white_lead(end))
        return ReadGame(moves, start_of(start), result)

    def settle(games: list[ReadGame]) -> list[ReadGame]:
        nonlocal whites_win
        results = [one.result for one in games]
        if not whites_win:
            votes = sum(a * b for a, b in zip(results, ahead, strict=True) if not math.isnan(a))
            whites_win = 1 if votes >= 0 else -1
        ahead.clear()
        return [one._replace(result=-whites_win * one.result) for one in games]

    yield from read_games(game, itertools.chain([first], texts), read, settle, may_stop=True)


def _played(text: GameText, game: Game) -> tuple[Position, list[int], Position]:
    """Return where a game starts, its moves, and where it ends."""
    kind = text.tags.get("gametype", _TYPE).split(",")[0].strip()
    if kind != _TYPE:
        raise RefusedError("another game")
    if text.fault or (text.moves and not text.end and math.isnan(_told(text))):
        raise RefusedError(text.fault or "cut-off record")
    fen = text.tags.get("fen", "").translate(DASHES)
    if not text.moves and not fen:
        raise RefusedError("no moves")
    try:
        start = Position.parse(fen, game) if fen else Position.start(game)
    except UserError:
        raise RefusedError("not readable") from None
    position, moves = start, []
    for name in text.moves:
        try:
            playable = position.game.moves_in(position.row).tolist()
            moves.append(position.meant("".join(name.translate(_PLAIN).split()), playable))
            position = position.play(moves[-1])
        except UserError:
            reason = "moves after the end" if position.is_terminal else "illegal move"
            raise RefusedError(reason) from None
    return start, moves, position


def _told(text: GameText) -> float:
    """Return 1, 0 or -1 for the result, 1 for `1-0`; NaN where none is told."""
    return result_told(_result(text.tags.get("result", "*")), _result(text.end))


def _result(text: str) -> float:
    plain = "".join(text.translate(DASHES).split()).replace("\u00bd", "1/2").lower()
    return _FOR_WHITE.get(plain, math.nan)


def _white_lead(position: Position) -> int:
    """Return 1 where White has won or has more material, -1 where Black, else 0."""
    mover = -1 if position.side == 0 else 1
    if position.game.is_over(position.row):
        return -mover
    counts = [word.bit_count() for word in position.words[:4]]
    men, kings = counts[MEN] - counts[THEIR_MEN], counts[KINGS] - counts[THEIR_KINGS]
    lead = _MAN * men + _KING * kings
    return mover * ((lead > 0) - (lead < 0))


def write_pdn(played: GameRecord) -> str:
    """Return a game in PDN; `1-0` is White's win."""
    start, result = played.start, played.result
    end = "*" if math.isnan(result) else {0: "1/2-1/2", 1: "0-1", -1: "1-0"}[round(result)]
    black, white = played.names
    tags = {"Event": "?", "Black": black, "White": white, "Result": end, "GameType": _TYPE}
    if start.words != start.game.start:
        tags |= {"SetUp": "1", "FEN": start.text}
    return written(played, tags, [*map(start.game.notation.write_move, played.moves)], end)


def _is_pdn(start: bytes) -> bool:
    before = r"(?:\s|[;%][^\n]*\n|\{[^}]*\})*+"
    return re.match(rf'{before}\W*\[\s*[\w-]+\s*"', sniffed(start)) is not None


FORMATS = (RecordFormat("pdn", "pdn", _is_pdn, read_pdn, write_pdn),)

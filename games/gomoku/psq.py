"""Games as Piskvork and Gomocup keep them: `.psq`, a file a game; here also several in one.

The first line is `Piskvorky 15x15, 11:11, 0`, the columns and rows and settings of the program;
then a line a move, `8,8,120`: column and row, counted from 1 from the upper left square, and
milliseconds. Names of the programs may follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from samuel.common.errors import UserError, plain_name
from samuel.common.text_files import read_text, sniffed
from samuel.games.gomoku.boards import Layout
from samuel.games.gomoku.rules import layout_of, move_at, place_of
from samuel.games.interface import Game
from samuel.games.records import (
    GameRecord,
    ReadGame,
    RecordFormat,
    Records,
    RefusedError,
    read_games,
)

_SIGN = "Piskvorky"
_FIRST = re.compile(rf"\s*{_SIGN}\s+(\d{{1,3}})\s*x\s*(\d{{1,3}})\b", re.IGNORECASE)
_MOVE = re.compile(r"\s*(\d{1,3})\s*[,;]\s*(\d{1,3})(?:\s*+[,;][-+\d.,;\s]*+)?+\s*+")


def read_psq(path: Path, game: Game) -> Iterator[Records]:
    """Yield the games of a file; their results are those of the board.

    Raises
    ------
    UserError
        The file holds no such game, or `game` is another.
    """
    layout = layout_of(game)
    lines = read_text(path).split("\n")
    firsts = [k for k, line in enumerate(lines) if _FIRST.match(line)]
    if not firsts or any(line.strip() for line in lines[: firsts[0]]):
        raise UserError(
            f"{path} is not a game of Piskvork: its first line must begin with {_SIGN} 15x15,"
        )
    pairs = pairwise([*firsts, len(lines)])
    texts = ((first + 1, lines[first:end]) for first, end in pairs)
    yield from read_games(game, texts, lambda text: ReadGame(_read_game(text, layout)))


def _read_game(lines: Sequence[str], layout: Layout) -> list[int]:
    """Return the moves of a game."""
    first = _FIRST.match(lines[0])
    if first is None or (int(first[1]), int(first[2])) != (layout.columns, layout.rows):
        raise RefusedError("wrong board size")
    moves, is_over = [], False
    for line in lines[1:]:
        found = _MOVE.fullmatch(line)
        if found is None:
            is_over |= bool(line.strip())
            continue
        if is_over:  # something that is no move stands between moves
            raise RefusedError("not readable")
        try:
            moves.append(move_at(layout, int(found[1]) - 1, int(found[2]) - 1))
        except UserError:
            raise RefusedError("not readable") from None
    return moves


def write_psq(played: GameRecord) -> str:
    """Return a game; stones that stand there at its start come first, in turns."""
    layout = layout_of(played.start.game)
    each, side = layout.words, played.start.side
    stones: list[list[int]] = [[], []]
    for bit in layout.bits:
        for who in range(2):
            word = played.start.words[each * (who ^ side) + bit // 64]
            if word >> bit % 64 & 1:
                stones[who].append(bit)
    before = [stones[k % 2][k // 2] for k in range(len(stones[0]) + len(stones[1]))]
    places = [place_of(layout, move) for move in [*before, *played.moves]]
    lines = [f"{column + 1},{row + 1},0" for column, row in places]
    given = map(plain_name, played.names)
    names = (f"({n})" if _MOVE.fullmatch(n) or _FIRST.match(n) else n for n in given)
    return "\n".join([f"{_SIGN} {layout.columns}x{layout.rows}, 11:11, 0", *lines, *names])


def _is_psq(start: bytes) -> bool:
    return sniffed(start).lstrip().lower().startswith(_SIGN.lower())


FORMAT = RecordFormat("psq", "psq", _is_psq, read_psq, write_psq)

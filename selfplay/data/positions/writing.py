"""Labelled positions as the lines that authors of other programs read (formats.py)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from samuel.games.game import Game
from samuel.games.grid_notation import GridNotation
from samuel.games.rules import NO_MOVE, Words


class Labelled(NamedTuple):
    """Position with its labels, for the side to move and in the game's unit."""

    words: Words
    ply: int
    side: int
    score: float
    outcome: float
    move: int


LineWriter: TypeAlias = Callable[[Labelled, Game], str | None]
"""Returns the lines of a position, with their ends; None where it lacks a label."""


def centi(game: Game) -> float:
    """Return how many of a file's units of score one unit of the game is."""
    return 100.0 if game.scores.unit == "pawns" else 1.0


def _share(it: Labelled, game: Game, *, first: bool) -> float:
    """Return the result from 0 to 1, of the first player or of the mover; NaN where unknown."""
    sign = -1 if first and it.side else 1
    return (sign * it.outcome / game.scores.max_utility + 1) / 2


def _plain_number(number: float) -> str:
    return f"{number:.6g}"


def _score(it: Labelled, game: Game, *, first: bool) -> str:
    sign = -1 if first and it.side else 1
    points = sign * it.score * centi(game)
    return str(round(points)) if game.scores.unit == "pawns" else _plain_number(points)


def _text(it: Labelled, game: Game) -> str:
    """Return the position's text; FENs tell the number of the move."""
    text = game.notation.write(it.words, it.side)
    return f"{text[:-1]}{it.ply // 2 + 1}" if text.endswith(" 0 1") else text


def epd(it: Labelled, game: Game) -> str | None:
    """Return a line of EPD, with the result as the operand c9."""
    if math.isnan(it.outcome):
        return None
    share = _share(it, game, first=True)
    told = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}.get(share, _plain_number(share))
    return f'{_text(it, game).removesuffix(f" 0 {it.ply // 2 + 1}")} c9 "{told}";\n'


def _decimal(share: float) -> str:
    return f"{share:.1f}" if share in (0, 0.5, 1) else _plain_number(share)


def fen(it: Labelled, game: Game) -> str | None:
    """Return a line of FEN and the result of the first player."""
    if math.isnan(it.outcome):
        return None
    return f"{_text(it, game)}; [{_decimal(_share(it, game, first=True))}]\n"


def bullet(it: Labelled, game: Game) -> str | None:
    """Return a line of bullet's text."""
    if math.isnan(it.outcome) or math.isnan(it.score):
        return None
    share = _decimal(_share(it, game, first=True))
    return f"{_text(it, game)} | {_score(it, game, first=True)} | {share}\n"


def plain(it: Labelled, game: Game) -> str | None:
    """Return the lines of Stockfish's plain format; the result is a whole number there."""
    if math.isnan(it.outcome) or math.isnan(it.score):
        return None
    result = (it.outcome > 0) - (it.outcome < 0)
    move = game.notation.write_move(it.move) if it.move != NO_MOVE else "0000"
    told = _score(it, game, first=False)
    return f"fen {_text(it, game)}\nmove {move}\nscore {told}\nply {it.ply}\nresult {result}\ne\n"


def egaroucid(it: Labelled, game: Game) -> str | None:
    """Return a line of Egaroucid's board data: the board and the result of the side to move."""
    if math.isnan(it.outcome):
        return None
    board = game.notation.write(it.words, 0).split()[0]
    return f"{board} {it.outcome:.0f}\n"


def line_writers(game: Game) -> Mapping[str, LineWriter]:
    """Return the formats that positions of a game are written in, by name."""
    found: dict[str, LineWriter] = {"epd": epd, "fen": fen, "bullet": bullet, "plain": plain}
    squares = len(game.squares)
    if isinstance(game.notation, GridNotation) and game.scores.unit == "discs" and squares == 64:
        found["egaroucid"] = egaroucid
    return found

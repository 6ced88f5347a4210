"""PGN, Portable Game Notation (S. Edwards, 1994), for chess and Chess960.

A game with a token that is not understood is left out (games/tagged.py). Variations, marks
and comments without a score are read over. Most games end before the rules do, given up or agreed a
draw: the result that is told is the outcome then (`Records.may_stop`).

Scores in comments of PGN, as programs that run matches and servers of games write them.

cutechess and fastchess tell what the mover found before its move, `+0.31/12 0.5s` (pawns and
depth) or `-M6/20 1.2s` (plies to mate); Lichess what White may hope for after it, `[%eval 0.31]`
or `[%eval #-3]` (moves to mate).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

from samuel.common.errors import UserError
from samuel.common.text_files import sniffed
from samuel.games.chess.notation import ChessNotation
from samuel.games.chess.san import letter_hint, san_of
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.records import (
    GameRecord,
    ReadGame,
    RecordFormat,
    Records,
    RefusedError,
    Start,
    Unwanted,
    all_wanted,
    first_of,
    not_understood,
    read_games,
    result_told,
)
from samuel.games.tagged import PGN, GameText, games_in, written

_OWN = re.compile(
    r"\s*+([-+]?)(?:(?<=[-+])M(\d{1,4})|(\d{1,6}\.\d{1,4}|(?<=[-+])\d{1,6}))"
    r"/(\d{1,3})(?![\d/]|[.,]\d)"
)
"""A score has a sign or a decimal point: what has neither is a date, a share or a result."""
_EVAL = re.compile(
    r"\[%eval\s(?:#([-+]?\d{1,4})|([-+]?(?:\d{0,6}\.\d{1,4}|\d{1,6}\.?)))(?:,\d+)?\]"
)
_A_PLY, _MOST_PLIES = 1e-3, 120
"""Cost of a ply to mate, and the most plies that count (search/score.py)."""


def own_score(comment: str, most: float) -> float | None:
    """Return the score of the side that has moved, in pawns; a mate is `most` less its plies."""
    found = _OWN.match(comment)
    if found is None:
        return None
    sign, mate, pawns, depth = found.groups()
    if mate is None and float(pawns) == int(depth) == 0:
        return None
    score = min(float(pawns), most) if mate is None else _mate(int(mate), most)
    return -score if sign == "-" else score


def score_after(comment: str, side: int, most: float) -> float | None:
    """Return the score of the side that moves next, 0 for White, in the same way."""
    found = _EVAL.search(comment)
    if found is None:
        return None
    mate, pawns = found.groups()
    if mate is None:
        score = max(-most, min(float(pawns), most))
        return -score if side else score
    moves = -int(mate) if side else int(mate)
    if moves == 0:
        return None  # the game is over
    plies = 2 * moves - 1 if moves > 0 else -2 * moves
    return _mate(plies, most) if moves > 0 else -_mate(plies, most)


def _mate(plies: int, most: float) -> float:
    return most - _A_PLY * min(plies, _MOST_PLIES)


_RESULTS = {"1-0": 1.0, "0-1": -1.0, "1/2-1/2": 0.0}
_CHESS = ("", "standard", "chess", "classical", "normal", "illegal", "from position", "?")
_CHESS_960 = re.compile(r"chess\W?960|fischer?r?andom|fischer random|wild/[0-8]a?")
_NO_BRACES = str.maketrans("{}", "()")


def read_pgn(path: Path, game: Game, unwanted: Unwanted = all_wanted) -> Iterator[Records]:
    """Yield the games of a file, with the scores that comments tell."""

    def read(text: GameText) -> ReadGame:
        if fault := unwanted(text.tags) or text.fault:
            raise RefusedError(fault)
        start = _start_of(text, game)
        tag = text.tags.get("result", "").strip()
        result = result_told(_RESULTS.get(tag, math.nan), _RESULTS.get(text.end, math.nan))
        result *= game.scores.max_utility
        return ReadGame(_moves_of(text, game, start), start, result, _scores(text, start, game))

    yield from read_games(game, games_in(path, PGN), read, may_stop=True)


def _start_of(text: GameText, game: Game) -> Start:
    variant = text.tags.get("variant", "").strip().lower()
    if variant not in _CHESS and not _CHESS_960.fullmatch(variant):
        raise RefusedError("another game")
    fen = text.tags.get("fen", "")
    if not fen:
        return first_of(game)
    try:
        start = Position.parse(fen, game)
    except UserError:
        raise RefusedError("not readable") from None
    number = re.search(r" (\d{1,4})$", fen.rstrip())
    ply = 2 * (max(1, int(number[1])) - 1) if number else 0
    return Start(start.words, ply + start.side, start.side)


def _moves_of(text: GameText, game: Game, start: Start) -> list[int]:
    """Return the moves of a game, all of them legal."""
    notation, row, moves = game.notation, game.row(start.words), []
    assert isinstance(notation, ChessNotation)
    for token in text.moves:
        legal = game.moves_in(row).tolist()
        try:
            move = notation.among(token, legal, row.tolist())
        except UserError:
            if notation.meanings(token) == []:
                raise RefusedError(not_understood(token) + letter_hint(token)) from None
            move = -1
        if move not in legal:
            raise RefusedError("illegal move" if legal else "moves after the end")
        moves.append(move)
        row = game.child_of(row, move)
    return moves


def _scores(text: GameText, start: Start, game: Game) -> list[float]:
    """Return the score in comments of the position before each move; NaN for none."""
    scores, own = [math.nan] * (len(text.moves) + 1), [math.nan] * len(text.moves)
    for number, comment in text.comments:
        if number and (found := own_score(comment, game.scores.max_utility)) is not None:
            own[number - 1] = found
        after = score_after(comment, (start.side + number) % 2, game.scores.max_utility)
        if after is not None and math.isnan(scores[number]):
            scores[number] = after
    return [b if math.isnan(a) else a for a, b in zip(own, scores, strict=False)]


def write_pgn(played: GameRecord) -> str:
    """Return a game in PGN."""
    start, result = played.start, played.result
    game, notation = start.game, start.game.notation
    assert isinstance(notation, ChessNotation)
    end = "*" if math.isnan(result) else "1/2-1/2" if not result else "1-0" if result > 0 else "0-1"
    white, black = played.names
    told = {"Event": "?", **played.tags}
    roster = ("Event", "Site", "Date", "Round")
    tags: dict[str, str] = {name: told.pop(name) for name in roster if name in told}
    tags |= {"White": white, "Black": black, "Result": end, **told}
    if start.words != start.game.start:
        fen = " ".join([*start.text.split()[:5], str(max(0, played.ply) // 2 + 1)])
        tags |= {"SetUp": "1", "FEN": fen}
    row, parts = start.row, []
    if notation.castles_elsewhere(start.words):
        tags["Variant"] = "Chess960"
    comments = iter(played.comments)
    for move in played.moves:
        comment = next(comments, "").translate(_NO_BRACES)
        parts.append(san_of(game, row, move) + (f" {{{comment}}}" if comment else ""))
        row = game.child_of(row, move)
    return written(played, tags, parts, end)


def _is_pgn(start: bytes) -> bool:
    tagged = r'(?:\s|[;%][^\n]*+\n|\{[^}]*+\})*+\[\s*+\w++\s*+"'
    a_line = r"\s*+1\.[^\n]*?\s(?:1-0|0-1|1/2-1/2|\*)[^\S\n]*+(?:\n|\Z)"
    return re.match(f"{tagged}|{a_line}", sniffed(start)) is not None


FORMATS = (RecordFormat("pgn", "pgn", _is_pgn, read_pgn, write_pgn, select=read_pgn),)

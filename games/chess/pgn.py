"""PGN, Portable Game Notation (S. Edwards, 1994), for chess and Chess960.

python-chess reads the moves and writes them; it comes with the extra `chess`. Variations, marks
and comments without a score are left out. Most games end before the rules do, given up or agreed a
draw: the result that is told is the outcome then (`Records.may_stop`).
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from samuel.errors import UserError
from samuel.games.chess.comments import own_score, score_after
from samuel.games.chess.moves import CASTLING, KIND_OF_MOVE
from samuel.games.chess.squares import SQUARES
from samuel.games.interface import Game
from samuel.games.position import Position
from samuel.games.records import (
    TERMINATIONS,
    GameRecord,
    ReadGame,
    RecordFormat,
    Records,
    RefusedError,
    Start,
    Unwanted,
    all_wanted,
    one_line,
    read_games,
)
from samuel.text_files import sniffed, text_streams

if TYPE_CHECKING:
    import chess

_RESULTS = {"1-0": 1.0, "0-1": -1.0, "1/2-1/2": 0.0}
_END = re.compile(r"(^|\s)(1-0|0-1|1/2-1/2|\*)\s*$")
_LONGEST = 1 << 20
"""Bytes of the longest line; a file of a longer one is no PGN."""
_MOST_MOVES = 1 << 12
_NO_BRACES = str.maketrans("{}", "()")
_WIDTH = 79


class _Told(NamedTuple):
    """A game as python-chess reads it: its tags, its moves, their scores, and what is wrong."""

    tags: dict[str, str]
    moves: list[int]
    scores: dict[int, float]
    fault: str


def _library() -> Any:
    try:
        import chess.pgn
    except ImportError:
        raise UserError(
            "PGN needs python-chess; install it: pip install 'samuel-learning[chess]'"
        ) from None
    return chess


class _Text:
    """Lines of a stream as python-chess asks for them, counted; a result ends a game.

    python-chess takes an empty line alone for an end, which files of a game a line do not have.
    """

    def __init__(self, stream: IO[bytes], path: Path, line: int) -> None:
        self._text = io.TextIOWrapper(stream, "utf-8", "replace")
        self._path, self.line, self._ended = path, line, False

    def readline(self) -> str:
        if self._ended:
            self._ended = False
            return "\n"
        text = self._text.readline(_LONGEST)
        if len(text) == _LONGEST:
            raise UserError(f"{self._path} has a line of more than {_LONGEST:,} bytes")
        self.line += bool(text)
        self._ended = not text.startswith("[") and _END.search(text) is not None
        return text


def _visitor(text: _Text, most: float, unwanted: Unwanted) -> Any:
    """Return what python-chess tells a game to; `most` is the highest score."""
    library = _library()

    class Visitor(library.pgn.BaseVisitor):  # type: ignore[misc,name-defined,unused-ignore]
        def begin_game(self) -> None:
            self.line, self.fault = text.line, ""
            self.tags: dict[str, str] = {}
            self.moves: list[int] = []
            self.scores: dict[int, float] = {}
            self.side = 0

        def visit_header(self, name: str, value: str) -> None:
            self.tags[name.lower()] = value

        def end_headers(self) -> Any:
            self.fault = unwanted(self.tags)
            return library.pgn.SKIP if self.fault else None

        def visit_board(self, board: chess.Board) -> None:
            self.side = int(not board.turn)

        def visit_comment(self, comment: str) -> None:
            number = len(self.moves)
            if number and (own := own_score(comment, most)) is not None:
                self.scores[number - 1] = own
            if (score := score_after(comment, self.side, most)) is not None:
                self.scores.setdefault(number, score)

        def begin_variation(self) -> Any:
            return library.pgn.SKIP

        def visit_move(self, board: chess.Board, move: chess.Move) -> None:
            if type(board) is not library.Board:
                self.fault = self.fault or "another game"
            elif not move:
                self.fault = self.fault or "illegal move"
            elif len(self.moves) == _MOST_MOVES:
                self.fault = self.fault or "too many moves"
            if not self.fault:
                self.moves.append(_move_of(board, move))

        def visit_result(self, result: str) -> None:
            self.tags.setdefault("result", result)

        def handle_error(self, error: Exception) -> None:
            reason = "illegal move" if self.moves or "fen" not in self.tags else "not readable"
            self.fault = self.fault or reason

        def result(self) -> tuple[int, _Told]:
            return self.line, _Told(self.tags, self.moves, self.scores, self.fault)

    return Visitor


def _move_of(board: chess.Board, move: chess.Move) -> int:
    """Return a legal move of python-chess as the rules number it."""
    kind, end = (move.promotion or 1) - 1, move.to_square
    if board.is_castling(move):
        kind = CASTLING
        if not board.chess960:
            end += 1 if end > move.from_square else -2
    return KIND_OF_MOVE * kind + SQUARES * move.from_square + end


def _games_in(path: Path, most: float, unwanted: Unwanted) -> Iterator[tuple[int, _Told]]:
    """Yield the games of a file, of all members of a zip, each with the line that it begins on."""
    library, line = _library(), 0
    with text_streams(path) as found:
        for stream in found:
            text = _Text(stream, path, line)
            visitor = _visitor(text, most, unwanted)
            while (told := library.pgn.read_game(text, Visitor=visitor)) is not None:
                yield told
            line = text.line


def read_pgn(path: Path, game: Game, unwanted: Unwanted = all_wanted) -> Iterator[Records]:
    """Yield the games of a file, with the scores that comments tell.

    Parameters
    ----------
    path, game
        The file, and chess.
    unwanted
        Says which games are left out by their tags; the moves of those are not read.

    Raises
    ------
    UserError
        The file cannot be read, is cut off, or python-chess is not installed.
    """

    def read(told: _Told) -> ReadGame | None:
        if not told.moves and not told.tags and not told.fault:
            return None
        if told.fault or not told.moves:
            raise RefusedError(told.fault or "no moves")
        result = _RESULTS.get(told.tags.get("result", "*").strip(), math.nan)
        scores = [told.scores.get(k, math.nan) for k in range(len(told.moves))]
        return ReadGame(told.moves, _start_of(told, game), game.max_utility * result, scores)

    found = _games_in(path, game.max_utility, unwanted)
    yield from read_games(game, found, read, may_stop=True)


def _start_of(told: _Told, game: Game) -> Start | None:
    fen = told.tags.get("fen", "")
    if not fen:
        return None
    try:
        start = Position.parse(fen, game)
    except UserError:
        raise RefusedError("not readable") from None
    number = re.search(r" (\d{1,4})\s*$", fen)
    ply = 2 * (max(1, int(number[1])) - 1) if number else 0
    return Start(start.words, ply + start.side, start.side)


def write_pgn(played: GameRecord) -> str:
    """Return a game in PGN."""
    library, start, result = _library(), played.start, played.result
    end = "*" if math.isnan(result) else "1/2-1/2" if not result else "1-0" if result > 0 else "0-1"
    white, black = played.names
    told = {"Event": "?", **played.tags}
    roster = ("Event", "Site", "Date", "Round")
    tags: dict[str, str] = {name: told.pop(name) for name in roster if name in told}
    tags |= {"White": white, "Black": black, "Result": end, **told}
    if played.forfeit:
        tags["Termination"] = TERMINATIONS[played.forfeit]
    if start.words != start.game.start:
        fen = " ".join([*start.text.split()[:5], str(max(0, played.ply) // 2 + 1)])
        tags |= {"SetUp": "1", "FEN": fen}
    board, parts = library.Board(start.text, chess960=True), []
    if board.has_chess960_castling_rights():
        tags["Variant"] = "Chess960"
    first, comments = played.ply // 2 + 1, iter(played.comments)
    for k, move in enumerate(played.moves, start.side):
        number = f"{first + k // 2}"
        before = f"{number}. " if k % 2 == 0 else f"{number}... " if k == start.side else ""
        kind, squares = divmod(move, KIND_OF_MOVE)
        promoted = kind + 1 if 0 < kind < CASTLING else None
        meant = library.Move(*divmod(squares, SQUARES), promotion=promoted)
        comment = next(comments, "").translate(_NO_BRACES)
        parts.append(before + board.san_and_push(meant) + (f" {{{comment}}}" if comment else ""))
    lines = [""]
    for part in [*parts, end]:
        if lines[-1] and len(lines[-1]) + len(part) >= _WIDTH:
            lines.append("")
        lines[-1] += f" {part}" if lines[-1] else part
    texts = {name: re.sub(r'(["\\])', r"\\\1", one_line(tags[name])) for name in tags}
    return "\n".join([*(f'[{name} "{text}"]' for name, text in texts.items()), "", *lines, ""])


def _is_pgn(start: bytes) -> bool:
    tagged = r'(?:\s|[;%][^\n]*\n)*\[\s*\w+\s*"'
    a_line = r"\s*1\.[^\n]*\s(?:1-0|0-1|1/2-1/2|\*)\s*(?:\n|$)"
    return re.match(f"{tagged}|{a_line}", sniffed(start)) is not None


FORMAT = RecordFormat("pgn", "pgn", _is_pgn, read_pgn, write_pgn, select=read_pgn)

"""An evaluator behind UCI and UCCI (see arena.engines.uci); the first word says which it is."""

from __future__ import annotations

import itertools
import re
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from samuel.arena.clocks import moves_left
from samuel.arena.engines.uci import CHESS960, VARIANT, with_ranks
from samuel.common.errors import UserError, require_number
from samuel.common.versions import version_of
from samuel.games.chess.notation import ChessNotation
from samuel.games.position import Position
from samuel.games.xiangqi.notation import XiangqiNotation
from samuel.play.engine import MEGABYTES, MOST_MEGABYTES, EnginePlayer
from samuel.play.levels import Level, levels_of
from samuel.play.servers.conversation import move_said, number_said, seconds_told
from samuel.search import Result
from samuel.search.analysis import MOST_THREADS
from samuel.search.score import MAX_PLY, MOST_DEPTH, SCORE_UNIT
from samuel.search.wdl import chances_of, per_mille

MOST_NODES = 1 << 50
_LEVEL, _TABLE, _THREADS, _LINES = "Level", "Hash", "Threads", "MultiPV"
_MILLISECONDS, _CHANCES = "usemillisec", "UCI_ShowWDL"
_ENDLESS = ("infinite", "ponder")
_AMONG = "searchmoves"
_GO = {
    *(_AMONG, *_ENDLESS, "depth", "nodes", "mate", "movetime", "movestogo"),
    *("wtime", "btime", "winc", "binc", "time", "increment", "draw"),
    *("opptime", "oppmovestogo", "oppincrement"),
}
"""The words of `go`, which are no moves."""
_VARIANTS = {"standard": "chess", "normal": "chess"}
"""Names of chess in other programs, and the game."""
_UCCI_MOVE = re.compile("[a-i][0-9][a-i][0-9]")


class UciServer:
    """Answers commands of UCI and UCCI, one at a time; it neither reads nor writes by itself."""

    STOPPING: ClassVar[tuple[str, ...]] = ("stop", "ponderhit", "quit")
    THINKING: ClassVar[tuple[str, ...]] = ("go",)
    AT_ONCE: ClassVar[dict[str, str]] = {"isready": "readyok"}

    def __init__(self, engine: EnginePlayer) -> None:
        if not isinstance(engine.game.notation, XiangqiNotation | ChessNotation):
            name = engine.game.name
            raise UserError(f"UCI plays chess and xiangqi, not {name}: add --game chess")
        self.is_over = self.is_endless = False
        self._engine = engine
        self._position: Position | None = Position.start(engine.game)
        """None after one that was refused: what was before is not to be played."""
        self._is_ucci = self._is_960 = self._has_chances = False
        self._unit = 1e-3
        """Unit of the times that are told, in seconds."""
        self._stopped = threading.Event()
        self._lines = 1

    def stop(self) -> None:
        """End a search that goes on in another thread, so that its answer ends soon."""
        self._stopped.set()
        self._engine.stop()

    def answer(self, line: str) -> Iterator[str]:
        """Yield the lines of the answer; of unknown commands there are none."""
        command, *words = line.split() or [""]
        try:
            if command == "ucci" and isinstance(self._engine.game.notation, ChessNotation):
                raise UserError("UCCI is for Chinese chess; this engine plays chess by UCI")
            if command in ("uci", "ucci"):
                self._is_ucci = command == "ucci"
                yield from self._introduction(command)
            elif command == "isready":
                self._engine.wait()
                yield "readyok"
            elif command == "setoption":
                self._set(words)
            elif command == "ucinewgame":
                self._begin_game()
            elif command == "position":
                self._position = None
                self._position = self._read_position(words)
            elif command == "go":
                yield from self._go(words)
            elif command == "quit":
                self.is_over = True
                yield from ["bye"] * self._is_ucci
        except UserError as error:
            yield f"info string {error}"

    def _introduction(self, protocol: str) -> Iterator[str]:
        name = " " if self._is_ucci else " name "
        game = self._engine.game.name
        yield f"id name samuel {version_of('samuel-learning') or '0'} ({self._engine.name})"
        yield "id author the samuel project"
        yield f"option{name}{VARIANT} type combo default {game} var {game}"
        most = len(levels_of(self._engine.game))
        yield f"option{name}{_LEVEL} type spin default 0 min 0 max {most}"
        table = f"default {MEGABYTES} min 1 max {MOST_MEGABYTES}"
        yield f"option{name}{_TABLE} type spin {table}"
        yield f"option{name}{_THREADS} type spin default 1 min 1 max {MOST_THREADS}"
        if self._engine.has_lines and not self._is_ucci:
            most = self._engine.game.max_moves
            yield f"option name {_LINES} type spin default 1 min 1 max {most}"
        if self._engine.evaluator.wdl is not None and not self._is_ucci:
            yield f"option name {_CHANCES} type check default false"
        if isinstance(self._engine.game.notation, ChessNotation):
            yield f"option name {CHESS960} type check default false"
        if self._is_ucci:
            yield f"option {_MILLISECONDS} type check default true"
            yield "option newgame type button"
        yield f"{protocol}ok"

    def _begin_game(self) -> None:
        self._engine.wait()
        self._engine.forget()

    def _set(self, words: list[str]) -> None:
        """Take an option; those that are not known here do not matter."""
        if self._is_ucci:
            name, value = "".join(words[:1]).lower(), " ".join(words[1:])
        else:
            before, after = _split_at("value", words)
            name, value = " ".join(before).removeprefix("name ").lower(), " ".join(after)
        if name == "newgame":
            self._begin_game()
        elif name == _MILLISECONDS:
            self._unit = 1e-3 if value.lower() != "false" else 1.0
        elif name == VARIANT.lower():
            if _VARIANTS.get(value.lower(), value.lower()) == self._engine.game.name:
                return
            raise UserError(f"this engine plays {self._engine.game.name}, not {value}")
        elif name == _LEVEL.lower():
            level = round(_number(value))
            if level > 0:
                self._engine.set_level(level)
            else:
                self._engine.set_free()
        elif name == _TABLE.lower():
            self._engine.wait()
            self._engine.set_table(round(_number(value)))
        elif name == _THREADS.lower():
            self._engine.set_threads(round(_number(value)))
        elif name == _LINES.lower() and self._engine.has_lines:
            lines = round(_number(value))
            require_number(_LINES, lines, 1, self._engine.game.max_moves)
            self._lines = lines
        elif name == CHESS960.lower():
            self._is_960 = value.lower() == "true"
        elif name == _CHANCES.lower():
            self._has_chances = value.lower() == "true"

    def _read_position(self, words: list[str]) -> Position:
        board, moves = _split_at("moves", words)
        kind, fen = "".join(board[:1]), " ".join(board[1:])
        game = self._engine.game
        if kind not in ("startpos", "fen"):
            raise UserError(f"a position must be startpos or fen (got {kind[:40]!r})")
        position = Position.start(game) if kind == "startpos" else Position.parse(fen, game)
        for move in moves:
            position = position.playing_on().play(self._read_move(move))
        return position.playing_on()

    def _read_move(self, text: str) -> str:
        move = move_said(text)
        if not self._is_ucci:
            return move
        if not _UCCI_MOVE.fullmatch(move):
            raise UserError(f"{text[:40]!r} is not a move; UCCI writes moves like h2e2")
        return with_ranks(move, 1)

    def _go(self, words: list[str]) -> Iterator[str]:
        position = self._position
        self._engine.wait()
        if position is None:
            yield "info string the last position was refused, and there is no move"
            yield "nobestmove" if self._is_ucci else "bestmove 0000"
            return
        if position.is_terminal:
            yield "nobestmove" if self._is_ucci else "bestmove (none)"
            return
        self.is_endless = any(word in words for word in _ENDLESS)
        move = ""
        moves, errors = self._among(position, words)
        yield from (f"info string {error}" for error in errors)
        try:
            for results in self._searched(position, words, moves):
                move = results[0].move or ""
                for number, result in enumerate(results, 1):
                    yield self._told(position, result, number)
        except UserError as error:  # whatever fails, the other side waits for a move
            yield f"info string {error}"
        finally:
            self.is_endless = False
        for result in [] if move else self._once(position, []):
            move = result.move or ""
        yield f"bestmove {self._line(position, [move])}"

    def _among(self, position: Position, words: list[str]) -> tuple[list[int], list[UserError]]:
        """Return the legal moves of `searchmoves`, and errors of those that are not."""
        moves, errors = [], []
        for word in itertools.takewhile(lambda word: word not in _GO, _split_at(_AMONG, words)[1]):
            try:
                moves.append(position.number_of(self._read_move(word)))
            except UserError as error:
                errors.append(error)
        return moves, errors

    def _searched(
        self, position: Position, words: list[str], moves: Sequence[int]
    ) -> Iterator[list[Result]]:
        """Yield the best lines at one depth after another, or the only one."""
        if moves or self._lines > 1:
            yield from self._ranked(position, words, moves)
        else:
            search = self._deepened if self.is_endless else self._once
            yield from ([result] for result in search(position, words))

    def _ranked(
        self, position: Position, words: list[str], moves: Sequence[int]
    ) -> Iterator[list[Result]]:
        """Yield the best lines at one depth after another, of some moves or all."""
        self._stopped.clear()
        usual = self._engine.level
        try:
            seconds, nodes = None, None
            if self.is_endless:
                self._engine.level = Level(MOST_DEPTH)
            else:
                seconds, nodes = self._limited(position, words)
            for results in self._engine.lines(position, self._lines, seconds, nodes, moves):
                yield results
                if self._stopped.is_set():
                    break
        finally:
            self._engine.level = usual
        if self.is_endless:
            self._stopped.wait()

    def _once(self, position: Position, words: list[str]) -> Iterator[Result]:
        """Yield a search within the limits that were told."""
        usual = self._engine.level
        try:
            yield self._engine.think(position, *self._limited(position, words))
        finally:
            self._engine.level = usual

    def _limited(self, position: Position, words: list[str]) -> tuple[float | None, int | None]:
        """Set the depth that was told, and return the seconds and nodes for a move."""
        told = {a: b for a, b in itertools.pairwise(words)}
        if "depth" in told:
            self._engine.set_depth(max(1, min(round(_number(told["depth"])), MOST_DEPTH)))
        nodes = None
        if "nodes" in told:
            nodes = max(1, min(round(_number(told["nodes"])), MOST_NODES))
            if "depth" not in told:
                self._engine.level = Level(MOST_DEPTH)
        return self._seconds(told, position), nodes

    def _deepened(self, position: Position, _words: list[str]) -> Iterator[Result]:
        """Yield searches to one depth after another until `stop`, each going on from the last."""
        usual, nodes, began = self._engine.level, 0, time.perf_counter()
        best: Result | None = None
        self._stopped.clear()
        try:
            for depth in range(1, MOST_DEPTH + 1):
                self._engine.level = Level(depth)
                found = self._engine.think(position)
                nodes += found.nodes
                if best is None or found.depth >= best.depth:
                    best = replace(found, nodes=nodes, seconds=time.perf_counter() - began)
                    yield best
                if self._stopped.is_set() or found.depth < depth:
                    break
        finally:
            self._engine.level = usual
        self._stopped.wait()  # it may be done before, and then has to be silent

    def _seconds(self, told: dict[str, str], position: Position) -> float | None:
        """Return the seconds for a move; None where nobody limits them."""
        side = "wb"[position.side]
        own, more = ("time", "increment") if self._is_ucci else (f"{side}time", f"{side}inc")
        movetime, left, increment, moves = (
            _number(told[name]) if name in told else None
            for name in ("movetime", own, more, "movestogo")
        )
        usual = moves_left(position.game.plies_left_in(position.row))
        return seconds_told(
            None if movetime is None else self._unit * movetime,
            None if left is None else self._unit * left,
            self._unit * (increment or 0.0),
            int(moves) if moves is not None and moves >= 1 else usual,
        )

    def _told(self, position: Position, result: Result, number: int = 1) -> str:
        """Return a line about a search, or about one of several lines of it."""
        which = f" multipv {number}" if self._lines > 1 else ""
        line = self._line(position, result.pv)
        speed = round(result.nodes / max(result.seconds, 1e-3))
        score = self._score(result.score) + self._chances(position, result)
        return (
            f"info depth {result.depth}{which} score {score} "
            f"nodes {result.nodes} nps {speed} time {round(1000 * result.seconds)} pv {line}"
        )

    def _score(self, score: float) -> str:
        """Return a score in hundredths of a pawn, or in chess moves to mate."""
        game = self._engine.game
        plies = round((game.scores.max_utility - abs(score)) * SCORE_UNIT)
        if plies > MAX_PLY:
            return f"cp {round(100 * score)}"
        return f"mate {(plies + 1) // 2 if score > 0 else -(plies // 2)}"

    def _chances(self, position: Position, result: Result) -> str:
        """Return the chances of a win, a draw and a loss per mille, where they are asked for."""
        chances = chances_of(self._engine.evaluator, position, result)
        if chances is None or not self._has_chances:
            return ""
        return " wdl {} {} {}".format(*per_mille(chances))

    def _line(self, position: Position, moves: Sequence[str]) -> str:
        """Return moves from a position on, as they are told."""
        if self._is_ucci:
            return " ".join(with_ranks(move, -1) for move in moves)
        if not self._is_960:
            return " ".join(moves)
        notation = position.game.notation
        told = []
        for move in moves:
            number = position.number_of(move)
            told.append(notation.king_takes_rook(number))
            position = position.play(number)
        return " ".join(told)


def _split_at(word: str, words: list[str]) -> tuple[list[str], list[str]]:
    """Return the words before a word and those behind it; none behind where it is missing."""
    place = words.index(word) if word in words else len(words)
    return words[:place], words[place + 1 :]


def _number(text: str) -> float:
    try:
        return number_said(text, float)
    except ValueError:
        raise UserError(f"{text[:40]!r} must be a finite number") from None

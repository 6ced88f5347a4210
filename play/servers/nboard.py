"""An evaluator behind the NBoard protocol, version 2 (see arena.engines.nboard)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from samuel.arena.engines.nboard import write_move
from samuel.common.errors import UserError
from samuel.games.catalog import game_names, known_game
from samuel.games.game import Game
from samuel.games.othello.ggf import has_ggf, read_position, require_ggf
from samuel.games.position import Position
from samuel.games.rules import PASS
from samuel.play.engine import EnginePlayer
from samuel.play.servers.conversation import Number, number_said
from samuel.search import Result

_SIZE = re.compile(r"BO\[(\d{1,3})")
_FIRST_HINT = 4
"""Plies of the first, quick hint before that of the depth asked for."""


class NBoardServer:
    """Answers NBoard commands, one at a time; it neither reads nor writes by itself."""

    STOPPING: ClassVar[tuple[str, ...]] = ("ping", "quit")
    THINKING: ClassVar[tuple[str, ...]] = ()
    AT_ONCE: ClassVar[dict[str, str]] = {}
    is_endless = False

    def __init__(self, engine: EnginePlayer) -> None:
        require_ggf(engine.game)
        self.is_over = False
        self._engine = engine
        self._positions = [Position.start(engine.game)]
        """Positions of the game, the first one first; none after one that was refused."""

    @property
    def position(self) -> Position:
        """The position that commands relate to; UserError after one that could not be taken."""
        if not self._positions:
            raise UserError("no position: the last one was refused; send set game first")
        return self._positions[-1]

    def stop(self) -> None:
        """End a search that goes on in another thread, so that its answer ends soon."""
        self._engine.stop()

    def answer(self, line: str) -> Iterator[str]:
        """Yield the lines of the answer, as they are found; of unknown commands there are none."""
        command, *words = line.split() or [""]
        rest = " ".join(words)
        if command not in ("nboard", "quit") and not rest.startswith("depth"):
            self._engine.wait()
        try:
            if command == "nboard":
                yield self._name()
            elif command == "ping":
                yield f"pong {rest}"
            elif command == "quit":
                self.is_over = True
            elif command == "set":
                yield from self._set(*rest.partition(" ")[::2])
            elif command == "move":
                self._move(rest)
            elif command == "hint":
                yield from self._hint(_number(rest or "1", int))
            elif command == "go":
                yield from self._go()
            elif command == "analyze":
                yield from self._analyze()
            elif command == "learn":
                yield "learned"
            elif len(command) == 2 and not rest:  # as NBoard 1.1 tells a move
                self._move(command)
        except UserError as error:
            yield f"status {error}"

    def _set(self, what: str, value: str) -> Iterator[str]:
        if what == "depth":
            self._engine.set_depth(_number(value, int))
            yield self._name()
        elif what == "movetime":
            seconds = _number(value, float)
            self._engine.seconds = seconds if seconds > 0 else None
            self._engine.set_free()
        elif what == "game":
            self._set_game(value)

    def _name(self) -> str:
        level = self._engine.level
        depth = "" if level is None or level.depth is None else str(level.depth)
        return f"set myname samuel{depth}"

    def _set_game(self, text: str) -> None:
        self._positions = []  # what was before is not to be played where this is refused
        game = _game_in(text, self._engine.game)
        start, moves = read_position(text, game)
        positions = [start]
        for move in moves:
            _append(positions, move)
        if game.name != self._engine.game.name:
            self._engine.set_game(game)
            self._engine.wait()
        if len(moves) < 2:
            self._engine.forget()
        self._positions = positions

    def _move(self, text: str) -> None:
        positions = [*self._positions[:-1], self.position]
        self._positions = []  # as for a game that is refused
        _append(positions, self._engine.game.notation.read_move(re.split(r"[/\s]", text)[0]))
        self._positions = positions

    def _go(self) -> Iterator[str]:
        position = self.position
        if position.is_terminal or position.legal_moves() == ["pass"]:
            yield "=== PA"
            return
        yield "status thinking"
        result = self._engine.think(position)
        move = write_move(
            position.game.notation, position.game.notation.read_move(result.move or "")
        )
        yield _told(position, result, result.pv, result.score)
        yield f"nodestats {result.nodes} {result.seconds:.2f}"
        yield f"=== {move}/{result.score:.2f}/{result.seconds:.2f}"

    def _hint(self, n: int) -> Iterator[str]:
        position = self.position
        if position.is_terminal:
            yield "status the game is over"
            return
        yield "status analyzing"
        level = self._engine.level
        quick = level is None or level.depth is None or level.depth > _FIRST_HINT
        for depth in [_FIRST_HINT] * quick + [None]:
            result = self._engine.hints(position, depth)
            best = result.move or ""
            moves = result.moves or {best: result.score}
            for move, score in list(moves.items())[: max(1, n)]:
                line = result.pv if move == best else [move]
                yield _told(position, result, line, score)
            yield f"nodestats {result.nodes} {result.seconds:.2f}"
            if result.exact:
                break
        yield "status"

    def _analyze(self) -> Iterator[str]:
        """Send the score of every position of the game, from the last one back."""
        _ = self.position
        yield "status analyzing"
        for number, position in reversed(list(enumerate(self._positions))):
            if position.is_terminal:
                score = position.utility()
            else:
                score = self._engine.evaluate(position).score
            yield f"analysis {number} {score:.2f}"
        yield "status"


def _number(text: str, kind: type[Number]) -> Number:
    try:
        return number_said(text, kind)
    except ValueError:
        raise UserError(f"{text!r} must be a finite number") from None


def _append(positions: list[Position], move: int) -> None:
    """Play a move, with a forced pass before it that was left out."""
    position = positions[-1]
    notation = position.game.notation
    if move != PASS and position.legal_moves() == [notation.write_move(PASS)]:
        position = position.play(PASS)
        positions.append(position)
    positions.append(position.play(notation.write_move(move)))


def _told(position: Position, result: Result, line: list[str], score: float) -> str:
    """Return a line about a move: best play from it on, its score, how deep it was searched."""
    notation = position.game.notation
    moves = "-".join(write_move(notation, notation.read_move(move)) for move in line)
    depth = "100%" if result.exact else str(result.moves_depth or result.depth)
    return f"search {moves} {score:.2f} 0 {depth}"


def _game_in(text: str, first: Game) -> Game:
    """Return the game that a record is of by the size of its board: `first` where that fits."""
    size = _SIZE.search(text)
    side = int(size[1]) if size else 8
    for game in (first, *map(known_game, game_names())):
        if has_ggf(game) and game.shape == (side, side):
            return game
    raise UserError(f"Othello on {side} by {side} squares is not supported")

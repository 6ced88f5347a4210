"""An evaluator behind GTP, version 2, for boards that speak it, such as Quarry.

Squares are named as the game names them, so that of Othello a1 is the upper left one. A forced
pass may be told, asked for, or left out: the colour of the next move says which it was.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass

from samuel.arena.clocks import moves_left
from samuel.arena.engines.gtp import COLOURS, MOVE_TIME, game_name
from samuel.common.errors import UserError
from samuel.common.versions import version_of
from samuel.games.catalog import game_names, known_game
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.rules import PASS
from samuel.play.engine import EnginePlayer
from samuel.play.servers.conversation import Number, move_said, number_said, seconds_told

_SIDES = {"black": 0, "b": 0, "white": 1, "w": 1}


_AT_ONCE = {
    *("protocol_version", "name", "version", "known_command", "list_commands", "list_games"),
    "quit",
}
"""Questions of boards before they play; the rest waits until the engine is warmed up."""


class _RefusedError(Exception):
    """A command is answered with `?` and this message."""


class GtpServer:
    """Answers GTP commands, one at a time; it neither reads nor writes by itself."""

    def __init__(self, engine: EnginePlayer) -> None:
        self.is_over = False
        self._engine = engine
        self._history = [Position.start(engine.game)]
        self._clock = GtpClock()
        self._commands: dict[str, Callable[..., str]] = {
            "protocol_version": lambda: "2",
            "name": lambda: f"samuel ({engine.name})",
            "version": lambda: version_of("samuel-learning") or "0",
            "known_command": lambda name="": str(name in self._commands).lower(),
            "list_commands": lambda: "\n".join(self._commands),
            "quit": self._quit,
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "komi": lambda komi="0": "",
            "play": self._play,
            "genmove": self._genmove,
            "reg_genmove": self._reg_genmove,
            "undo": self._undo,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            MOVE_TIME: self._move_time,
            "showboard": lambda: f"\n{self.position}",
            "final_score": self._final_score,
            "level": lambda level: self._strength(engine.set_level, level),
            "depth": lambda depth: self._strength(engine.set_depth, depth),
            "set_depth": lambda depth: self._strength(engine.set_depth, depth),
            "list_games": lambda: "\n".join(dict.fromkeys(map(game_name, self._games()))),
            "set_game": self._set_game,
        }

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self._history[-1]

    @property
    def commands(self) -> list[str]:
        """The names of the commands it knows."""
        return list(self._commands)

    def answer(self, line: str) -> list[str]:
        """Return the answer to a line, which ends in an empty line when it is printed."""
        words = "".join(c for c in line.partition("#")[0] if c in "\t " or c.isprintable()).split()
        if not words:
            return []
        number = words.pop(0) if words[0].isdecimal() else ""
        name, *arguments = words or [""]
        try:
            said = self._run(name, arguments)
        except (_RefusedError, UserError) as error:
            return [f"?{number} {error}\n"]
        blank = "" if not said or said[0] == "\n" else " "
        return [f"={number}{blank}{said}\n"]

    def _run(self, name: str, arguments: list[str]) -> str:
        command = self._commands.get(name)
        if command is None:
            raise _RefusedError("unknown command")
        try:
            inspect.signature(command).bind(*arguments)
        except TypeError:
            raise _RefusedError("syntax error") from None
        if name not in _AT_ONCE:
            self._engine.wait()
        return command(*arguments)

    def _quit(self) -> str:
        self.is_over = True
        return ""

    def _boardsize(self, size: str) -> str:
        game, wanted = self._engine.game, _number(size, int)
        if wanted not in (game.shape or ()):
            others = (other for other in self._games() if wanted in (other.shape or ()))
            found = next((one for one in others if game_name(one) == game_name(game)), None)
            if found is None:
                raise _RefusedError("unacceptable size")
            self._take(found)
        return self._clear_board()

    def _set_game(self, *words: str) -> str:
        try:
            wanted = game_name(known_game(" ".join(words)))
        except UserError:
            wanted = ""
        found = next((game for game in self._games() if game_name(game) == wanted), None)
        if found is None:
            raise _RefusedError("unsupported game")
        if game_name(self._engine.game) != wanted:
            self._take(found)
        return self._clear_board()

    def _games(self) -> list[Game]:
        """Return the games that the evaluator can play, the one at hand first."""
        others = map(known_game, game_names())
        return [self._engine.game, *filter(self._engine.can_play, others)]

    def _take(self, game: Game) -> None:
        self._engine.set_game(game)
        self._engine.wait()

    def _clear_board(self) -> str:
        self._history = [Position.start(self._engine.game)]
        self._clock.restart()
        self._engine.forget()
        return ""

    def _play(self, colour: str, move: str) -> str:
        position = self._to_move(colour)
        try:
            self._history.append(position.play(move_said(move)))
        except UserError:
            raise _RefusedError("illegal move") from None
        return ""

    def _genmove(self, colour: str) -> str:
        position = self._to_move(colour)
        began = time.perf_counter()
        move = self._move_at(position)
        if not position.is_terminal:
            self._history.append(position.play(move))
        self._clock.spend(position.side, time.perf_counter() - began)
        return _written(move)

    def _reg_genmove(self, colour: str) -> str:
        return _written(self._move_at(self._to_move(colour)))

    def _move_at(self, position: Position) -> str:
        if position.is_terminal:
            return "pass"
        plies_left = position.game.plies_left_in(position.row)
        seconds = self._clock.seconds_for(position.side, plies_left)
        move = self._engine.think(position, seconds).move
        assert move is not None
        return move

    def _to_move(self, colour: str) -> Position:
        """Return the position with that side to move, a forced pass of the other's made."""
        side = _side(colour)
        position = self.position.playing_on()
        if side != position.side and position.legal_moves() == ["pass"]:
            position = position.play(PASS)
        if side != position.side and not position.is_terminal:
            raise _RefusedError(f"illegal move: it is {COLOURS[position.side]}'s turn")
        return position

    def _undo(self) -> str:
        if len(self._history) == 1:
            raise _RefusedError("cannot undo")
        self._history.pop()
        return ""

    def _time_settings(self, main: str, period: str, moves: str) -> str:
        self._clock.set(_number(main, float), _number(period, float), _number(moves, int))
        return ""

    def _time_left(self, colour: str, seconds: str, moves: str) -> str:
        self._clock.tell(_side(colour), _number(seconds, float), _number(moves, int))
        return ""

    def _move_time(self, seconds: str) -> str:
        limit = _number(seconds, float)
        self._engine.seconds = limit if limit > 0 else None
        return ""

    def _strength(self, setter: Callable[[int], None], number: str) -> str:
        setter(_number(number, int))
        self._engine.wait()
        return ""

    def _final_score(self) -> str:
        position = self.position
        if not position.is_terminal:
            raise _RefusedError("cannot score: the game is not over")
        utility = position.utility() * (1 if position.side == 0 else -1)
        return "0" if utility == 0 else f"{'B' if utility > 0 else 'W'}+{abs(utility):g}"


def _written(move: str) -> str:
    return move if move == "pass" else move.upper()


def _side(colour: str) -> int:
    if colour.lower() not in _SIDES:
        raise _RefusedError("syntax error")
    return _SIDES[colour.lower()]


def _number(text: str, kind: type[Number]) -> Number:
    try:
        return number_said(text, kind)
    except ValueError:
        raise _RefusedError("syntax error") from None


@dataclass
class _Left:
    seconds: float
    moves: int
    """For how many moves; 0 for the rest of the game."""


class GtpClock:
    """Both sides' clocks, as the commands time_settings and time_left tell of them."""

    def __init__(self) -> None:
        self._settings: tuple[float, float, int] | None = None
        self._left: dict[int, _Left] = {}

    def set(self, main: float, period: float, moves: int) -> None:
        """Take `main` seconds, then `period` seconds for every so many moves."""
        is_free = (main <= 0 and period <= 0) or (period > 0 and moves <= 0)
        self._settings = None if is_free else (main, period, moves)
        self.restart()

    def restart(self) -> None:
        """Begin a new game."""
        self._left.clear()

    def tell(self, side: int, seconds: float, moves: int) -> None:
        """Set a side's clock: the rest of its main time where `moves` is 0, else of its period."""
        self._left[side] = _Left(seconds, moves)

    def spend(self, side: int, seconds: float) -> None:
        """Take a move's time off a side's clock."""
        left = self._left_to(side)
        if left is None:
            return
        left.seconds -= seconds
        is_done = left.seconds <= 0 if left.moves == 0 else left.moves == 1
        left.moves = max(0, left.moves - 1)
        if is_done and self._settings is not None and self._settings[1] > 0:
            self._left[side] = _Left(*self._settings[1:])

    def seconds_for(self, side: int, plies_left: int) -> float | None:
        """Return the seconds for a side's next move, or None without a limit."""
        left = self._left_to(side)
        if left is None:
            return None
        return seconds_told(None, left.seconds, 0.0, left.moves or moves_left(plies_left))

    def _left_to(self, side: int) -> _Left | None:
        if side not in self._left and self._settings is not None:
            main, period, moves = self._settings
            self._left[side] = _Left(main, 0) if main > 0 else _Left(period, moves)
        return self._left.get(side)

"""An evaluator as a brain behind the protocol of Gomocup (see arena.engines.gomocup)."""

from __future__ import annotations

from collections.abc import Callable

from samuel.arena.clocks import moves_left
from samuel.arena.engines.gomocup import DEPTH, EXACT, FREESTYLE, LENGTH, read_place
from samuel.common.errors import UserError
from samuel.common.versions import version_of
from samuel.games.board import EMPTY
from samuel.games.catalog import known_game
from samuel.games.game import Game
from samuel.games.gomoku.rules import layout_of, move_at, place_of
from samuel.games.position import Position
from samuel.play.engine import EnginePlayer
from samuel.play.servers.conversation import number_said, seconds_told

_OWN, _OTHERS = "1", "2"
_NO_BOARD = "no board yet: send START first"


class GomocupServer:
    """Answers commands of Gomocup, one at a time; it neither reads nor writes by itself."""

    def __init__(self, engine: EnginePlayer) -> None:
        layout = layout_of(engine.game)
        if layout.length != LENGTH:
            name = engine.game.name
            raise UserError(f"Gomocup plays five in a row, not {name}: add --game gomoku")
        self.is_over = False
        self._engine = engine
        self._history: list[Position] = []
        """Positions of the game, the empty board first; nothing before START."""
        self._stones: list[str] | None = None
        """The lines of a BOARD that is being told."""
        self._size = (0, 0)
        self._rule = EXACT if layout.exact else FREESTYLE
        self._turn: float | None = None
        self._left: float | None = None
        self._commands: dict[str, Callable[[str], list[str]]] = {
            "START": lambda size: self._start(f"{size},{size}"),
            "RECTSTART": self._start,
            "RESTART": lambda _: self._start("{},{}".format(*self._size)),
            "BEGIN": self._begin,
            "TURN": self._answer_turn,
            "TAKEBACK": self._take_back,
            "BOARD": self._board,
            "INFO": self._info,
            "ABOUT": self._about,
            "END": self._end,
        }

    def answer(self, line: str) -> list[str]:
        """Return the lines of the answer; to some commands there are none."""
        text = " ".join(line.split())
        name, _, rest = text.partition(" ")
        if self._stones is not None:
            return self._board_line(text)
        if not text:
            return []
        command = self._commands.get(name.upper())
        if command is None:
            return [f"UNKNOWN {name[:40]!r} is no command that is known here"]
        return self._run(lambda: command(rest))

    def _run(self, command: Callable[[], list[str]]) -> list[str]:
        try:
            return command()
        except UserError as error:
            return [f"ERROR {error}"]

    def _start(self, size: str) -> list[str]:
        place, self._history = read_place(size), []
        if place is None or place == (0, 0):
            raise UserError(f"{size!r} is not a board size")
        self._game_of(place)
        self._size = place
        self._begin_game()
        return ["OK"]

    def _game_of(self, size: tuple[int, int]) -> Game:
        if self._rule == EXACT:
            if size != (15, 15):
                raise UserError("the exact-five rule needs a board of 15 by 15")
            return known_game("gomoku_exact")
        return known_game("mnk_{}_{}_5".format(*size))

    def _begin_game(self) -> None:
        """Take up the game of the size and rule that were told, with an empty board."""
        game = self._game_of(self._size)
        self._engine.wait()
        if game is not self._engine.game:
            self._engine.set_game(game)
            self._engine.wait()
        else:
            self._engine.forget()
        self._history = [Position.start(game)]

    def _position(self) -> Position:
        if not self._history:
            raise UserError(_NO_BOARD)
        return self._history[-1]

    def _begin(self, _: str) -> list[str]:
        self._position()
        self._begin_game()
        return self._move()

    def _answer_turn(self, text: str) -> list[str]:
        place = read_place(text)
        if place is None:
            raise UserError(f"{text!r} is not a square")
        position = self._position()
        self._play(position, move_at(layout_of(position.game), *place))
        return self._move()

    def _play(self, position: Position, move: int) -> None:
        self._history.append(position.play(position.game.notation.write_move(move)))

    def _move(self) -> list[str]:
        """Return a move for the side to move, and play it."""
        position = self._position()
        if position.is_terminal:
            raise UserError("the game is over")
        result = self._engine.think(position, self._seconds(position))
        move = position.game.notation.read_move(result.move or "")
        self._play(position, move)
        return ["{},{}".format(*place_of(layout_of(position.game), move))]

    def _seconds(self, position: Position) -> float | None:
        moves = moves_left(position.game.plies_left_in(position.row))
        return seconds_told(self._turn, self._left, 0.0, moves)

    def _take_back(self, text: str) -> list[str]:
        position, place = self._position(), read_place(text)
        if len(self._history) > 1 and place is not None:
            before = self._history[-2]
            move = move_at(layout_of(before.game), *place)
            name = before.game.notation.write_move(move)
            if name in before.legal_moves() and before.play(name) == position:
                self._history.pop()
                return ["OK"]
        raise UserError("only the last move can be taken back")

    def _board(self, _: str) -> list[str]:
        if self._size == (0, 0):
            raise UserError(_NO_BOARD)
        self._stones = []
        return []

    def _board_line(self, text: str) -> list[str]:
        assert self._stones is not None
        if text.upper() != "DONE":
            self._stones.append(text)
            return []
        stones, self._stones = self._stones, None
        return self._run(lambda: self._set_board(stones))

    def _set_board(self, stones: list[str]) -> list[str]:
        game, self._history = self._game_of(self._size), []  # for where this is refused
        layout = layout_of(game)
        signs: dict[str, list[int]] = {_OWN: [], _OTHERS: []}
        for line in stones:
            where, _, who = line.rpartition(",")
            place = read_place(where)
            if place is None or who.strip() not in signs:
                raise UserError(f"{line!r} is not a stone on the board")
            signs[who.strip()].append(move_at(layout, *place))
        own, others = signs[_OWN], signs[_OTHERS]
        side = int(len(own) < len(others))
        on = {**dict.fromkeys(own, "XO"[side]), **dict.fromkeys(others, "OX"[side])}
        if len(on) < len(own) + len(others):
            raise UserError("two stones on one square")
        text = "".join(on.get(bit, EMPTY) for bit in layout.bits)
        position = Position.parse(f"{text} {'XO'[side]}", game)
        self._begin_game()
        self._history = [position]
        return self._move()

    def _info(self, text: str) -> list[str]:
        """Read an INFO line; it has no answer, and unknown keys are ignored."""
        key, _, value = text.partition(" ")
        try:
            number = number_said(value, float)
        except ValueError:
            return []
        if key == "timeout_turn":
            self._turn = number / 1000
        elif key == "time_left":
            self._left = number / 1000
        elif key == "timeout_match":
            self._left = number / 1000 if number > 0 else None
        elif key == DEPTH:
            self._set_depth(int(number))
        elif key == "rule":
            self._set_rule(int(number))
        return []

    def _set_depth(self, depth: int) -> None:
        if depth > 0:
            self._engine.set_depth(depth)
        else:
            self._engine.set_free()

    def _set_rule(self, rule: int) -> None:
        """Take freestyle or exactly five; it holds from an empty board on."""
        before, self._rule = self._rule, EXACT if rule & EXACT else FREESTYLE
        if self._rule != before and len(self._history) == 1:
            try:
                self._begin_game()
            except UserError:
                self._rule = before
                raise

    def _about(self, _: str) -> list[str]:
        version = version_of("samuel-learning") or "0"
        return [f'name="samuel ({self._engine.name})", version="{version}"']

    def _end(self, _: str) -> list[str]:
        self.is_over = True
        return []

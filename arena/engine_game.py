"""A game in which an outside engine takes part: board, clocks, faults."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

import numpy as np

from samuel.arena.agreement import DRAWN, FIRST_WINS, GOES_ON, PLAYED_ON, Agreement, agreed
from samuel.arena.engine_pool import EnginePool
from samuel.arena.engines.engine import Engine
from samuel.arena.engines.process import EngineCrash, EngineError, EngineTimeout
from samuel.arena.players import Player
from samuel.arena.records import AGREED, PlayedGame, Spent, Thought
from samuel.arena.sides import TIME_MARGIN, BySearch, Program, Side, latest
from samuel.common.errors import UserError
from samuel.games.game import Game
from samuel.games.playing import new_game_state, seed_dice, thrown_at
from samuel.games.position import Position
from samuel.games.rules import NO_MOVE
from samuel.models import load_evaluator, usual_evaluator
from samuel.search import solve
from samuel.search.limits import Limits


class FaultError(Exception):
    """A side loses the game."""

    def __init__(self, side: int, ending: str, note: str) -> None:
        super().__init__(note)
        self.side = side
        self.ending = ending


@contextlib.contextmanager
def _blaming(side: int, *, is_timed: bool = False) -> Iterator[None]:
    """Turn an engine's failure into a fault of `side`, which has a limit of time or has not."""
    try:
        yield
    except EngineError as error:
        is_late, note = isinstance(error, EngineTimeout), str(error)
        if is_late and not is_timed:
            note += " (the time limit of engines without a clock: --timeout SECONDS)"
        raise FaultError(side, "time" if is_late and is_timed else error.reason, note) from None


class EngineGame:
    """Board, clocks and record of a game between A and B."""

    def __init__(
        self,
        position: Position,
        mover: int,
        limits: tuple[Limits, Limits],
        dice: tuple[int, int] = (0, 0),
        played: int = 0,
        agreement: Agreement = PLAYED_ON,
        margin: float = TIME_MARGIN,
    ) -> None:
        self.moves: list[int] = []
        self.thoughts: list[Thought] = []
        self.decided: int | None = None
        self.agreed: float | None = None
        self._terms, self._counts = agreement.terms, np.zeros((2, 2), np.int64)
        self._played, self._margin = played, margin
        self.seconds, self.turns = [0.0, 0.0], [0, 0]
        self._position, self._mover = position, mover
        self._most_moves = position.game.max_plies - played
        self._room = new_game_state(position.game)
        seed_dice(self._room.stream, *dice)
        self._limits = limits
        self._left = [its.clock for its in limits]

    @property
    def _is_over(self) -> bool:
        """Return True if the game is over, by its position, its past or its length."""
        return self._position.is_terminal or len(self.moves) >= self._most_moves

    @property
    def result(self) -> float:
        """A's result of a game that is over, in the game's unit."""
        if self.agreed is not None:
            return self.agreed
        if not self._position.is_terminal:
            return 0.0  # by its length
        sign = 1 if self._mover == 0 else -1
        return sign * self._position.utility()

    def lead(self, sides: Sequence[Side], adjudicate_from: int) -> None:
        """Play the game to its end, or until the solver may decide."""
        game = self._position.game
        is_decidable = adjudicate_from > 0 and game.chance is None
        self._throw(sides)
        while not self._is_over:
            if is_decidable and game.plies_left_in(self._position.row) <= adjudicate_from:
                self.decided = len(self.moves)
                return
            mover, other = self._mover, 1 - self._mover
            before = self.seconds[mover]
            move = self._turn(sides[mover])
            took = self.seconds[mover] - before
            self.thoughts[-1] = Thought(sides[mover].score, sides[mover].depth, took)
            self._ask(mover, sides[mover].score)
            if self.agreed is not None:
                return
            with _blaming(other):
                sides[other].see(move)
            self._throw(sides)

    def _ask(self, mover: int, score: float | None) -> None:
        """See whether the scores of both sides decide a game that goes on."""
        if score is None or self._is_over:
            return
        count = getattr(agreed, "py_func", agreed)
        for_a, plies = score if mover == 0 else -score, self._played + len(self.moves)
        decision = count(self._terms, self._counts, mover, for_a, plies)
        if decision != GOES_ON:
            most = self._position.game.max_utility
            self.agreed = 0.0 if decision == DRAWN else most if decision == FIRST_WINS else -most

    def _throw(self, sides: Sequence[Side]) -> None:
        """Throw the dice where they come before a side moves, and show them to both."""
        game = self._position.game
        if game.chance is None:
            return
        rules = game.rules_of_play
        while not self._is_over:
            outcome = thrown_at(rules, self._position.row, self._room)
            if outcome == NO_MOVE:
                return
            self._play(outcome)
            for number, side in enumerate(sides):
                with _blaming(number):
                    side.see(outcome)

    def play_out(self) -> None:
        """Play the game to its end by exact search, its moves ordered by the usual evaluator."""
        game = self._position.game
        guide = load_evaluator(usual_evaluator(game), game)
        while not self._is_over:
            for move in solve(self._position, guide).pv:
                self._play(self._position.number_of(move))

    def _turn(self, side: Side) -> int:
        """Ask the side to move for its move, play it on the board and return it."""
        mover, began = self._mover, time.perf_counter()
        try:
            with _blaming(mover, is_timed=self._limits[mover].is_timed):
                move = side.choose(self._position, (self._left[mover], self._left[1 - mover]))
        finally:
            took = time.perf_counter() - began
            self.seconds[mover] += took
            self.turns[mover] += 1
        self._charge(side, took)
        game = self._position.game
        if move not in game.moves_in(self._position.row):
            text = game.notation.write_move(move)
            raise FaultError(mover, "illegal move", f"{text} is not legal in {self._position.text}")
        self._play(move)
        return move

    def _charge(self, side: Side, took: float) -> None:
        """Take a move's seconds off the mover's clock."""
        mover, limits = self._mover, self._limits[self._mover]
        left = self._left[mover]
        if took > latest(side, limits, left, self._margin):
            if left is not None and took > left:
                raise FaultError(mover, "time", f"the clock ran out {took - left:.2f} s ago")
            raise FaultError(mover, "time", f"{took:.2f} s for a move")
        if left is not None:
            self._left[mover] = left - took + limits.added

    def _play(self, move: int) -> None:
        """Play a legal move, or what chance brings, on the board."""
        child = self._position.play(move)
        if child.side != self._position.side:
            self._mover = 1 - self._mover
        self._position = child
        self.moves.append(move)
        self.thoughts.append(Thought())


def play_engine_game(
    game: Game,
    players: tuple[Player, Player],
    opening: Sequence[int],
    start: Position,
    mover: int,
    *,
    dice: tuple[int, int],
    adjudicate_from: int,
    timeout: float,
    margin: float,
    engines: EnginePool,
    agreement: Agreement = PLAYED_ON,
    is_detailed: bool = False,
) -> PlayedGame:
    """Play a game between A and B, at least one of which is an engine."""
    position = start
    for move in opening:
        position = position.play(int(move))
    a, b = (player.limits for player in players)
    current = EngineGame(position, mover, (a, b), dice, len(opening), agreement, margin)
    sides: list[Side] = []
    fault = None
    try:
        with ExitStack() as stack:
            for number, player in enumerate(players):
                if player.command is None:
                    sides.append(BySearch(player, game))
                    continue
                limits = player.limits
                with _blaming(number):
                    engine = stack.enter_context(engines.borrowed(player.command, limits))
                    _begin(engine, start, opening, engines)
                sides.append(Program(engine, limits, timeout, margin))
            current.lead(sides, adjudicate_from)
        if current.agreed is None:
            current.play_out()
    except FaultError as error:
        if engines.is_closed:  # it is no fault of the engine's that it was ended
            raise KeyboardInterrupt from None
        fault = error
    played = _record(game, current, sides, fault)
    return replace(played, thoughts=tuple(current.thoughts)) if is_detailed else played


def _begin(engine: Engine, start: Position, opening: Sequence[int], engines: EnginePool) -> None:
    """Set up a game; an engine that has left after its last one is started anew."""
    try:
        engine.new_game(start.game, opening, start)
    except EngineCrash:
        engines.restart(engine)
        engine.new_game(start.game, opening, start)


def require_playing(
    engine: Player, start: Position, opening: Sequence[int], engines: EnginePool
) -> None:
    """Start an engine, and let it follow the first moves of a game from a position."""
    command = str(engine.command)
    try:
        with engines.for_task() as own, own.borrowed(command, engine.limits) as running:
            _begin(running, start, opening, own)
    except EngineError as error:
        raise UserError(f"{engine.name} does not play {start.game.name}: {error}") from None


def _record(
    game: Game, current: EngineGame, sides: Sequence[Side], fault: FaultError | None
) -> PlayedGame:
    """Return what is kept of a game; `sides` are those that got as far as to play."""
    nodes = [side.nodes for side in sides] + [0] * (2 - len(sides))
    a, b = (Spent(nodes[k], current.seconds[k], current.turns[k]) for k in (0, 1))
    moves, spent = tuple(current.moves), (a, b)
    if fault is not None:
        result = game.max_utility * (1 if fault.side == 1 else -1)
        return PlayedGame(result, moves, fault.ending, len(moves), fault.side, str(fault), spent)
    if current.decided is not None:
        return PlayedGame(current.result, moves, "solved", current.decided, None, "", spent)
    ending = "played" if current.agreed is None else AGREED
    return PlayedGame(current.result, moves, ending, len(moves), None, "", spent)

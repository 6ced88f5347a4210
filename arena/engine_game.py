"""A game in which an outside engine takes part, referee included.

The referee keeps the board and the clocks. A fault loses the game for who made it: an illegal
move, one that comes too late or not at all, or a program that ends. It is written down with
what the engine said last; a program that failed is started anew for the next game.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Protocol

from arena.allowance import Allowance
from arena.engine_pool import borrowed, closings
from arena.engines import Clock, Engine, EngineCrash, EngineError, EngineTimeout
from arena.kernel import share_of_clock
from arena.players import Player
from arena.records import PlayedGame, Spent
from games import budget
from games.abi import Game, Row
from games.position import Position
from models import load_evaluator
from search import new_memory, search, solve

_LAG = 0.5
"""Seconds past its limit until a move counts as too late: pipes take time."""


class FaultError(Exception):
    """A side loses the game.

    Attributes
    ----------
    side
        Which, 0 for A and 1 for B.
    ending
        One of records.ENDINGS.
    """

    def __init__(self, side: int, ending: str, note: str) -> None:
        super().__init__(note)
        self.side = side
        self.ending = ending


class Side(Protocol):
    """A player in one game."""

    nodes: int
    """Positions searched so far."""

    def choose(self, row: Row, left: tuple[float | None, float | None]) -> int:
        """Return a move; `left` are the seconds on its clock and on the other's, if any."""

    def see(self, move: int) -> None:
        """Take notice of a move of the other side's."""


class Searcher:
    """An evaluator in the project's own search."""

    def __init__(self, player: Player, game: Game, setting: int, exact_from: int) -> None:
        self.nodes = 0
        self._game, self._exact_from = game, exact_from
        self._evaluator, self._allowance = player.evaluator, player.allowances[setting]
        self._memory = new_memory(game, self._allowance.table_bits, 14)

    def choose(self, row: Row, left: tuple[float | None, float | None]) -> int:
        """Search."""
        allowance, interrupted = self._allowance, self._memory.counters
        if interrupted[budget.INTERRUPTED]:  # which a search would take for an old one
            raise KeyboardInterrupt
        found = search(
            _position(self._game, row),
            self._evaluator,
            depth=allowance.depth,
            nodes=allowance.nodes,
            seconds=_seconds_for(allowance, left[0], self._game.remaining_in(row)),
            exact_from=self._exact_from,
            probcut=allowance.probcut,
            memory=self._memory,
        )
        if interrupted[budget.INTERRUPTED]:
            raise KeyboardInterrupt
        self.nodes += found.nodes
        return self._game.notation.read_move(found.move or "")

    def see(self, move: int) -> None:
        """Do nothing: it looks at the board anew for each move."""


def _seconds_for(allowance: Allowance, left: float | None, remaining: int) -> float | None:
    """Return the seconds that a search may take, by the allowance and the clock."""
    limits = [] if allowance.seconds is None else [allowance.seconds]
    if left is not None:
        share = share_of_clock(int(left * 1e9), int(allowance.increment * 1e9), remaining)
        limits.append(share / 1e9)
    return min(limits, default=None)


class Program:
    """An outside engine."""

    nodes = 0

    def __init__(self, engine: Engine, allowance: Allowance, patience: float) -> None:
        self._engine, self._allowance, self._patience = engine, allowance, patience

    def choose(self, row: Row, left: tuple[float | None, float | None]) -> int:
        """Ask for a move."""
        allowance, own = self._allowance, left[0]
        limits = [_latest(limit) for limit in (allowance.seconds, own) if limit is not None]
        return self._engine.choose(
            Clock(
                depth=allowance.depth,
                seconds=allowance.seconds,
                own=own,
                other=left[1],
                increment=allowance.increment,
                deadline=min(limits, default=self._patience),
            )
        )

    def see(self, move: int) -> None:
        """Pass it on."""
        self._engine.play(move)


def _latest(seconds: float) -> float:
    """Return when a move that may take so long is too late: GTP tells engines whole seconds."""
    return math.ceil(seconds) + _LAG


@contextlib.contextmanager
def _blaming(side: int, late: str = "no answer") -> Iterator[None]:
    """Turn an engine's failure into a fault of `side`; `late` is what a time-out is called."""
    try:
        yield
    except EngineTimeout as error:
        raise FaultError(side, late, str(error)) from None
    except EngineError as error:
        raise FaultError(side, error.reason, str(error)) from None


class Referee:
    """Board, clocks and record of a game between A and B."""

    def __init__(self, game: Game, row: Row, allowances: tuple[Allowance, Allowance]) -> None:
        self.game, self.row = game, row
        self.moves: list[int] = []
        self.seconds, self.turns = [0.0, 0.0], [0, 0]
        self._allowances = allowances
        self._left = [allowance.game_seconds for allowance in allowances]

    def play(self, move: int) -> None:
        """Play a legal move on the board."""
        self.row = self.game.child_of(self.row, move)
        self.moves.append(move)

    def turn(self, side: Side, mover: int) -> int:
        """Let a side move; return the move, played on the board.

        Raises
        ------
        FaultError
            It could not, was too late or the move is not legal.
        """
        allowance, began = self._allowances[mover], time.perf_counter()
        with _blaming(mover, "time" if allowance.is_timed else "no answer"):
            move = side.choose(self.row, (self._left[mover], self._left[1 - mover]))
        took = time.perf_counter() - began
        self.seconds[mover] += took
        self.turns[mover] += 1
        left = self._left[mover]
        if left is not None:
            if took > _latest(left):
                raise FaultError(mover, "time", f"the clock ran out {took - left:.2f} s ago")
            self._left[mover] = max(0.0, left - took) + allowance.increment
        if allowance.seconds is not None and took > _latest(allowance.seconds):
            raise FaultError(mover, "time", f"{took:.2f} s for a move")
        if move not in self.game.moves_in(self.row):
            text = self.game.notation.write_move(move)
            where = _position(self.game, self.row).text
            raise FaultError(mover, "illegal move", f"{text} is not legal in {where}")
        self.play(move)
        return move


def play_engine_game(
    game: Game,
    players: tuple[Player, Player],
    setting: int,
    opening: Sequence[int],
    mover: int,
    *,
    exact_from: int,
    adjudicate_from: int,
    patience: float,
    closed: int,
) -> PlayedGame:
    """Play a game between A and B, at least one of which is an engine.

    Parameters
    ----------
    game
        The game.
    players
        A and B.
    setting
        Which of their allowances applies.
    opening
        The moves from the initial position.
    mover
        Who has the first move after those: 0 for A, 1 for B.
    exact_from
        An evaluator solves positions from this many remaining squares on.
    adjudicate_from
        The solver decides the game from so many on; 0 for never.
    patience
        Seconds for a move of an engine whose allowance says nothing of time.
    closed
        As of `engine_pool.borrowed`.

    Raises
    ------
    KeyboardInterrupt
        The searches or the engines of this process were stopped.
    UserError
        An engine cannot be started.
    """
    row = game.row(game.start)
    for move in opening:
        row = game.child_of(row, move)
    allowances = (players[0].allowances[setting], players[1].allowances[setting])
    referee, first = Referee(game, row, allowances), mover
    ending, decided, fault, note = "played", None, None, ""
    sides: list[Side] = []
    try:
        with ExitStack() as engines:
            for number, player in enumerate(players):
                if player.command is None:
                    sides.append(Searcher(player, game, setting, exact_from))
                    continue
                engine = engines.enter_context(borrowed(player.command, closed))
                with _blaming(number):
                    _begin(engine, game, opening, closed)
                sides.append(Program(engine, allowances[number], patience))
            while not game.is_over(referee.row):
                if game.remaining_in(referee.row) <= adjudicate_from:
                    ending, decided = "solved", len(referee.moves)
                    break
                move = referee.turn(sides[mover], mover)
                mover = 1 - mover
                with _blaming(mover):
                    sides[mover].see(move)
        if ending == "solved":
            _play_out(referee)
        sign = 1 if (len(referee.moves) + first) % 2 == 0 else -1
        result = sign * game.utility_of(referee.row)
    except FaultError as error:
        ending, fault, note = error.ending, error.side, str(error)
        result = game.max_utility * (1 if fault == 1 else -1)
    nodes = [side.nodes for side in sides] + [0] * (2 - len(sides))
    a, b = (Spent(nodes[k], referee.seconds[k], referee.turns[k]) for k in (0, 1))
    return PlayedGame(
        result=result,
        moves=tuple(referee.moves),
        ending=ending,
        decided=len(referee.moves) if decided is None else decided,
        fault=fault,
        note=note,
        spent=(a, b),
    )


def _begin(engine: Engine, game: Game, opening: Sequence[int], closed: int) -> None:
    """Set up a game; an engine that has left after its last one is started anew."""
    try:
        engine.new_game(game, opening)
    except EngineCrash:
        if closings() != closed:
            raise KeyboardInterrupt from None
        engine.restart()
        engine.new_game(game, opening)


def _play_out(referee: Referee) -> None:
    """Play the game to its end by exact search."""
    game = referee.game
    unguided = load_evaluator("zero", game)
    while not game.is_over(referee.row):
        for move in solve(_position(game, referee.row), unguided).pv:
            referee.play(game.notation.read_move(move))


def _position(game: Game, row: Row) -> Position:
    return Position(game, tuple(int(word) for word in row))

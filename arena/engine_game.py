"""A game in which an outside engine takes part: board, clocks, faults."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np

from samuel.arena.choice import Choice
from samuel.arena.clocks import SHORTEST, TIME_MARGIN, latest
from samuel.arena.engine_pool import EnginePool
from samuel.arena.engines.engine import LONGEST_THOUGHT
from samuel.arena.engines.process import EngineError, EngineTimeout
from samuel.arena.event import EventOptions
from samuel.arena.players import Entrant, Player, SearchPlayer
from samuel.arena.records import AGREED, SOLVED
from samuel.common.errors import UserError
from samuel.games.playing import new_game_state, seed_dice, thrown_at
from samuel.games.position import Position
from samuel.games.rules import NO_MOVE
from samuel.models import find_evaluator, usual_evaluator
from samuel.search import solve
from samuel.search.limits import Limits
from samuel.selfplay.agreement import DRAWN, FIRST_WINS, GOES_ON, PLAYED_ON, Agreement, agreed


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
        timeout: float = LONGEST_THOUGHT,
    ) -> None:
        self.moves: list[int] = []
        self.scores: list[float | None] = []
        self.depths: list[int] = []
        self.times: list[float] = []
        self.decided: int | None = None
        self.agreed: float | None = None
        self._terms, self._counts = agreement.terms, np.zeros((2, 2), np.int64)
        self._played, self._margin, self._timeout = played, margin, timeout
        self.nodes, self.seconds, self.turns = [0, 0], [0.0, 0.0], [0, 0]
        self._position, self._mover = position, mover
        self._most_moves = position.game.max_plies - played
        self._room = new_game_state(position.game)
        seed_dice(self._room.stream, *dice)
        self._limits = limits
        self._left = [its.clock for its in limits]

    @property
    def _is_over(self) -> bool:
        """Return True if the game is over, by its position, its history or its length."""
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

    def columns(self, fault: FaultError | None) -> dict[str, Any]:
        """Return the columns of the game in the event's table; a fault of a side loses it."""
        names = ("moves", "nodes", "seconds", "turns", "scores", "depths", "times")
        columns: dict[str, Any] = {name: tuple(getattr(self, name)) for name in names}
        columns |= {"ending": "played", "decided": len(self.moves)}
        if fault is not None:
            lost = self._position.game.scores.max_utility * (2 * fault.side - 1)
            note = {"fault": fault.side, "note": str(fault)}
            return columns | note | {"ending": fault.ending, "result": lost}
        if self.decided is not None:
            columns |= {"ending": SOLVED, "decided": self.decided}
        elif self.agreed is not None:
            columns["ending"] = AGREED
        return columns | {"result": self.result}

    def lead(self, players: Sequence[Player], adjudicate_from: int) -> None:
        """Play the game to its end, or until the solver may decide."""
        game = self._position.game
        is_decidable = adjudicate_from > 0 and game.chance is None
        self._throw(players)
        while not self._is_over:
            if is_decidable and game.plies_left_in(self._position.row) <= adjudicate_from:
                self.decided = len(self.moves)
                return
            mover, other = self._mover, 1 - self._mover
            before = self.seconds[mover]
            choice = self._turn(players[mover])
            self.nodes[mover] += choice.nodes
            self._play(choice, self.seconds[mover] - before)
            self._ask(mover, choice.score)
            if self.agreed is not None:
                return
            with _blaming(other):
                players[other].see(choice.move)
            self._throw(players)

    def _ask(self, mover: int, score: float | None) -> None:
        """See whether the scores of both sides decide a game that goes on."""
        if score is None or self._is_over:
            return
        count = getattr(agreed, "py_func", agreed)
        for_a, plies = score if mover == 0 else -score, self._played + len(self.moves)
        decision = count(self._terms, self._counts, mover, for_a, plies)
        if decision != GOES_ON:
            most = self._position.game.scores.max_utility
            self.agreed = 0.0 if decision == DRAWN else most if decision == FIRST_WINS else -most

    def _throw(self, players: Sequence[Player]) -> None:
        """Throw the dice where they come before a side moves, and show them to both."""
        game = self._position.game
        if game.chance is None:
            return
        rules = game.rules_of_play
        while not self._is_over:
            outcome = thrown_at(rules, self._position.row, self._room)
            if outcome == NO_MOVE:
                return
            self._play(Choice(outcome))
            for number, player in enumerate(players):
                with _blaming(number):
                    player.see(outcome)

    def play_out(self) -> None:
        """Play the game to its end by exact search, its moves ordered by the usual evaluator."""
        game = self._position.game
        guide = find_evaluator(usual_evaluator(game), game)
        while not self._is_over:
            for move in solve(self._position, guide).pv:
                self._play(Choice(self._position.number_of(move)))

    def _turn(self, player: Player) -> Choice:
        """Ask the side to move for its move, and take its time off its clock."""
        mover, began = self._mover, time.perf_counter()
        limits, left, other = self._limits[mover], self._left[mover], self._left[1 - mover]
        last = latest(limits, left, self._margin, fractions=player.knows_fractions)
        timeout = last if math.isfinite(last) else self._timeout
        if left is not None:
            limits = replace(limits, clock=max(left, SHORTEST))
        try:
            with _blaming(mover, is_timed=limits.is_timed):
                choice = player.move(self._position, limits, other, timeout)
        finally:
            took = time.perf_counter() - began
            self.seconds[mover] += took
            self.turns[mover] += 1
        if took > last:
            if left is not None and took > left:
                raise FaultError(mover, "time", f"the clock ran out {took - left:.2f} s ago")
            raise FaultError(mover, "time", f"{took:.2f} s for a move")
        if left is not None:
            self._left[mover] = left - took + limits.added
        return choice

    def _play(self, choice: Choice, took: float = 0.0) -> None:
        """Play a legal move, or what chance brings, on the board."""
        child = self._position.play(choice.move)
        if child.side != self._position.side:
            self._mover = 1 - self._mover
        self._position = child
        self.moves.append(choice.move)
        self.scores.append(choice.score)
        self.depths.append(choice.depth)
        self.times.append(took)


def play_engine_game(
    entrants: tuple[Entrant, Entrant],
    start: Position,
    opening: Sequence[int],
    mover: int,
    *,
    dice: tuple[int, int],
    options: EventOptions,
    engines: EnginePool,
    agreement: Agreement = PLAYED_ON,
) -> dict[str, Any]:
    """Play a game between A and B, of which one is an engine; return the columns of its row."""
    position = start
    for move in opening:
        position = position.play(int(move))
    a, b = (one.limits for one in entrants)
    current = EngineGame(
        *(position, mover, (a, b), dice, len(opening), agreement),
        margin=options.time_margin,
        timeout=options.timeout,
    )
    players: list[Player] = []
    fault = None
    try:
        with ExitStack() as stack:
            for number, one in enumerate(entrants):
                if one.address is None:
                    players.append(SearchPlayer(one))
                    players[-1].begin(start, opening)
                    continue
                with _blaming(number):
                    engine = stack.enter_context(engines.borrowed(one.address, one.limits))
                    engines.begin(engine, start, opening)
                players.append(engine)
            current.lead(players, min(options.adjudicate_from, start.game.most_plies))
        if current.agreed is None:
            current.play_out()
    except FaultError as error:
        if engines.is_closed:  # it is no fault of the engine's that it was ended
            raise KeyboardInterrupt from None
        fault = error
    return current.columns(fault) | {"first": mover ^ position.side}


def require_playing(
    engine: Entrant, start: Position, opening: Sequence[int], engines: EnginePool
) -> None:
    """Start an engine, and let it follow the first moves of a game from a position."""
    assert engine.address is not None
    try:
        with engines.for_task() as own, own.borrowed(engine.address, engine.limits) as running:
            own.begin(running, start, opening)
    except EngineError as error:
        raise UserError(f"{engine.name} does not play {start.game.name}: {error}") from None

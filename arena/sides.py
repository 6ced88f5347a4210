"""The sides of a game in which an outside engine takes part, as its referee sees them."""

from __future__ import annotations

import math
from typing import Protocol

from samuel.arena.allowance import Allowance
from samuel.arena.engines import Clock, Engine
from samuel.arena.kernel import share_of_clock
from samuel.arena.players import Player
from samuel.games.interface import Game
from samuel.games.position import Position
from samuel.kernels import budget
from samuel.kernels.jit import make_ready
from samuel.search import search
from samuel.search.alphabeta.exact import solve_at_root
from samuel.search.method import think_at_root

_LAG = 0.2
"""Seconds that pipes, and a machine with other work, may add to what a side takes."""
_ROUNDING = 1.0
"""Seconds more for an engine whose protocol tells of whole ones."""


class Side(Protocol):
    """A player in one game."""

    nodes: int
    """Positions searched so far."""

    knows_fractions: bool
    """Whether it knows its time to fractions of a second."""

    def choose(self, position: Position, left: tuple[float | None, float | None]) -> int:
        """Return a move; `left` are the seconds on its clock and on the other's, if any."""

    def see(self, move: int) -> None:
        """Take notice of a move of the other side's."""


def latest(side: Side, allowance: Allowance, left: float | None) -> float:
    """Return the seconds after which a side's move is too late; inf without such a limit.

    A clock may be overdrawn by as much in all: `left`, the seconds on it, is below zero then.
    """
    limits = [math.inf]
    if allowance.seconds is not None:
        whole = max(1, math.ceil(allowance.seconds))
        limits.append((allowance.seconds if side.knows_fractions else whole) + _LAG)
    if left is not None:
        limits.append(left + _LAG + (0.0 if side.knows_fractions else _ROUNDING))
    return min(limits)


class BySearch:
    """An evaluator in the project's own search."""

    knows_fractions = True

    def __init__(self, player: Player, game: Game, setting: int, exact_from: int) -> None:
        self.nodes = 0
        self._game, self._exact_from = game, exact_from
        self._evaluator, self._allowance = player.evaluator, player.allowances[setting]
        self._memory = self._allowance.chooser.new_memory(game, self._allowance.table_bits, 14)
        if self._allowance.is_timed:
            self._warm_up()

    def choose(self, position: Position, left: tuple[float | None, float | None]) -> int:
        """Search; a single legal move needs none, unless depth alone limits searches."""
        allowance = self._allowance
        if budget.is_interrupted():
            raise KeyboardInterrupt
        if allowance.is_timed or allowance.nodes is not None:
            legal = self._game.moves_in(position.row)
            if len(legal) == 1:
                return int(legal[0])
        found = search(
            position,
            self._evaluator,
            depth=None if allowance.samples else allowance.depth,
            nodes=allowance.nodes,
            seconds=_seconds_for(allowance, left[0], self._game.plies_left_in(position.row)),
            exact_from=self._exact_from,
            method=allowance.chooser,
            memory=self._memory,
        )
        if budget.is_interrupted():
            raise KeyboardInterrupt
        self.nodes += found.nodes
        return self._game.notation.read_move(found.move or "")

    def _warm_up(self) -> None:
        """Compile, or read from disk, what its moves need, before its clock runs."""
        game, evaluator, method = self._game, self._evaluator, self._allowance.chooser
        start, small = Position.start(game), method.new_memory(game, 6, 6)
        method.searcher(game, evaluator, small, solves=True)
        make_ready([think_at_root, solve_at_root])
        search(start, evaluator, depth=1, seconds=0.01, exact_from=0, method=method, memory=small)
        _seconds_for(self._allowance, 1.0, 1)

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
        self.knows_fractions = engine.knows_fractions
        self._engine, self._allowance, self._patience = engine, allowance, patience

    def choose(self, position: Position, left: tuple[float | None, float | None]) -> int:
        """Ask for a move."""
        allowance = self._allowance
        deadline = latest(self, allowance, left[0])
        return self._engine.choose(
            Clock(
                depth=allowance.depth,
                seconds=allowance.seconds,
                own=left[0],
                other=left[1],
                increment=allowance.increment,
                deadline=deadline if math.isfinite(deadline) else self._patience,
            )
        )

    def see(self, move: int) -> None:
        """Pass it on."""
        self._engine.play(move)

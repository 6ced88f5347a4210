"""The sides of a game in which an outside engine takes part."""

from __future__ import annotations

import math
from typing import Protocol

from samuel.arena.engines.engine import Clock, Engine
from samuel.arena.kernel import share_of_clock
from samuel.arena.players import Player
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.kernels import budget
from samuel.kernels.jit import make_ready
from samuel.search import analyse
from samuel.search.alphabeta.root import solve_at_root
from samuel.search.limits import Limits
from samuel.search.method import think_at_root

TIME_MARGIN = 1.0
"""Seconds that pipes, and a machine with other work, may add to what a side takes."""
_ROUNDING = 1.0
"""Seconds more for an engine whose protocol tells of whole ones."""


class Side(Protocol):
    """A player in one game."""

    nodes: int
    """Positions searched so far."""

    knows_fractions: bool
    """True if it knows its time to fractions of a second."""

    @property
    def score(self) -> float | None:
        """Score of its last move for it, in the game's unit; None where nothing tells it."""

    @property
    def depth(self) -> int:
        """Depth of the search of that move; 0 where nothing tells it."""

    def choose(self, position: Position, left: tuple[float | None, float | None]) -> int:
        """Return a move; `left` are the seconds on its clock and on the other's, if any."""

    def see(self, move: int) -> None:
        """Take notice of a move of the other side's."""


def latest(side: Side, limits: Limits, left: float | None, margin: float = TIME_MARGIN) -> float:
    """Return the seconds after which a side's move is too late; inf without such a limit."""
    found = [math.inf]
    if limits.seconds is not None:
        whole = max(1, math.ceil(limits.seconds))
        found.append((limits.seconds if side.knows_fractions else whole) + margin)
    if left is not None:
        found.append(left + margin + (0.0 if side.knows_fractions else _ROUNDING))
    return min(found)


class BySearch:
    """An evaluator in the project's own search."""

    knows_fractions = True

    def __init__(self, player: Player, game: Game) -> None:
        self.nodes, self.depth = 0, 0
        self.score: float | None = None
        self._game, self._evaluator, self._method = game, player.evaluator, player.method
        self._limits = player.limits
        self._memory = self._method.new_memory(game, self._limits.table_bits, 14)
        if self._limits.is_timed:
            self._warm_up()

    def choose(self, position: Position, left: tuple[float | None, float | None]) -> int:
        """Search; a single legal move needs none, unless depth alone limits searches."""
        limits, self.score, self.depth = self._limits, None, 0
        if budget.is_interrupted():
            raise KeyboardInterrupt
        if limits.is_timed or limits.nodes is not None:
            legal = self._game.moves_in(position.row)
            if len(legal) == 1:
                return int(legal[0])
        found = analyse(
            position,
            self._evaluator,
            limits=Limits(
                depth=limits.depth if self._method.deepens else None,
                nodes=limits.nodes,
                seconds=_seconds_for(limits, left[0], self._game.plies_left_in(position.row)),
                exact_from=limits.exact_from,
            ),
            method=self._method,
            memory=self._memory,
        )
        if budget.is_interrupted():
            raise KeyboardInterrupt
        self.nodes, self.depth = self.nodes + found.nodes, found.depth
        self.score = found.score if self._method.deepens or found.depth else None
        return position.number_of(found.move or "")

    def _warm_up(self) -> None:
        """Compile, or read from disk, what its moves need, before its clock runs."""
        game, evaluator, method = self._game, self._evaluator, self._method
        start, small = Position.start(game), method.new_memory(game, 6, 6)
        method.searcher(game, evaluator, small, solves=True)
        make_ready([think_at_root, solve_at_root])
        limits = Limits(1 if method.deepens else None, seconds=0.01, exact_from=0)
        analyse(start, evaluator, limits=limits, method=method, memory=small)
        _seconds_for(self._limits, 1.0, 1)

    def see(self, move: int) -> None:
        """Do nothing: it looks at the board anew for each move."""


def _seconds_for(limits: Limits, left: float | None, plies_left: int) -> float | None:
    """Return the seconds that a search may take, by its limits and the clock."""
    found = [] if limits.seconds is None else [limits.seconds]
    if left is not None:
        share = share_of_clock(int(left * 1e9), int(limits.added * 1e9), plies_left)
        found.append(share / 1e9)
    return min(found, default=None)


class Program:
    """An outside engine."""

    nodes = 0

    def __init__(
        self, engine: Engine, limits: Limits, timeout: float, margin: float = TIME_MARGIN
    ) -> None:
        self.knows_fractions = engine.knows_fractions
        self._engine, self._limits = engine, limits
        self._timeout, self._margin = timeout, margin

    @property
    def score(self) -> float | None:
        """Score that the engine told with its last move, if it counts as the game does."""
        has_unit = self._engine.score_unit == self._engine.position.game.unit
        return self._engine.score if has_unit else None

    @property
    def depth(self) -> int:
        """Depth that the engine told with its last move."""
        return self._engine.depth

    def choose(self, position: Position, left: tuple[float | None, float | None]) -> int:
        """Ask for a move."""
        limits = self._limits
        deadline = latest(self, limits, left[0], self._margin)
        return self._engine.choose(
            Clock(
                depth=limits.depth,
                nodes=limits.nodes,
                seconds=limits.seconds,
                own=left[0],
                other=left[1],
                increment=limits.added,
                deadline=deadline if math.isfinite(deadline) else self._timeout,
            )
        )

    def see(self, move: int) -> None:
        """Pass it on."""
        self._engine.play(move)

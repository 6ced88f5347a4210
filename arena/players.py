"""Players of events: an evaluator in the project's own search, or an outside engine."""

from __future__ import annotations

import hashlib
import itertools
import re
import shlex
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from samuel.arena.choice import Choice
from samuel.arena.clocks import moves_left, seconds_for
from samuel.arena.engines.address import Address, is_engine, require_no_slip
from samuel.common.errors import UserError
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.plugins import plugin_options
from samuel.games.position import Position
from samuel.kernels import budget
from samuel.kernels.jit import make_ready
from samuel.models import evaluator_names, find_evaluator
from samuel.models.saved.serialized import Serialized
from samuel.search import analyse
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.alphabeta.root import solve_at_root
from samuel.search.limits import Limits
from samuel.search.method import Method, score_moves_at_root, think_at_root
from samuel.search.methods import method_text, warn_if_unasked
from samuel.selfplay.digest import evaluator_digest


class Player(Protocol):
    """A player in one game."""

    @property
    def knows_fractions(self) -> bool:
        """True if it knows its time to fractions of a second."""

    def begin(self, start: Position, opening: Sequence[int]) -> None:
        """Begin a game with the moves of an opening."""

    def move(
        self,
        position: Position,
        limits: Limits,
        other: float | None = None,
        timeout: float | None = None,
    ) -> Choice:
        """Choose a move; the clocks of the limits and `other` are what is left of each side's."""

    def see(self, move: int) -> None:
        """Take notice of a move of the other side's, or of what chance brings."""


def warm_up(game: Game, evaluator: Evaluator, method: Method) -> None:
    """Compile, or read from disk, all that a move needs, so that the first one is as fast."""
    small = method.new_memory(game, 6, 6)
    method.searcher(game, evaluator, small, solves=True)
    make_ready([think_at_root, solve_at_root, score_moves_at_root])
    limits = Limits(1 if method.deepens else None, seconds=0.01, exact_from=0)
    analyse(Position.start(game), evaluator, limits=limits, method=method, memory=small)


class SearchPlayer:
    """An evaluator in the project's own search."""

    knows_fractions = True

    def __init__(self, entrant: Entrant) -> None:
        self._evaluator, self._method = entrant.evaluator, entrant.method
        self._limits = entrant.limits

    def begin(self, start: Position, opening: Sequence[int]) -> None:
        """Begin with an empty memory, and compile what moves need before time is measured."""
        self._memory = self._method.new_memory(start.game, self._limits.table_bits, 14)
        warm_up(start.game, self._evaluator, self._method)
        seconds_for(None, 1.0, 0.0, moves_left(1))

    def move(
        self,
        position: Position,
        limits: Limits,
        other: float | None = None,
        timeout: float | None = None,
    ) -> Choice:
        """Search; a single legal move needs none, unless only depth limits searches."""
        if budget.is_interrupted():
            raise KeyboardInterrupt
        game, deepens = position.game, self._method.deepens
        if limits.is_timed or limits.nodes is not None:
            legal = game.moves_in(position.row)
            if len(legal) == 1:
                return Choice(int(legal[0]))
        moves = moves_left(game.plies_left_in(position.row))
        seconds = seconds_for(limits.seconds, limits.clock, limits.added, moves)
        depth, exact_from = (limits.depth, limits.exact_from) if deepens else (None, None)
        own = Limits(depth, limits.nodes, seconds, exact_from=exact_from)
        searching = {"method": self._method, "memory": self._memory}
        found = analyse(position, self._evaluator, limits=own, **searching)
        if budget.is_interrupted():
            raise KeyboardInterrupt
        score = found.score if deepens or found.depth else None
        return Choice(position.number_of(found.move or ""), score, found.depth, found.nodes)

    def see(self, move: int) -> None:
        """Do nothing: each search begins at the position."""


@dataclass(frozen=True)
class Entrant:
    """A player of an event as it is asked for; it can be sent to workers."""

    name: str
    limits: Limits
    method: Method = field(default_factory=AlphaBeta)
    serialized: Serialized[Evaluator] | None = None
    address: Address | None = None

    @property
    def evaluator(self) -> Evaluator:
        """Its evaluator."""
        if self.serialized is None:
            raise ValueError(f"{self.name} is an engine")
        return self.serialized.value

    @property
    def is_engine(self) -> bool:
        """True if it is a program of its own."""
        return self.address is not None

    @property
    def settings(self) -> str:
        """Limits, and the way in which it chooses moves, in words."""
        if self.is_engine and self.limits.is_open:
            return "no limit"
        return settings_of(self.limits, self.method)

    def digest(self, game: Game) -> str:
        """Return what tells it from others: of an evaluator its content, not its name."""
        if self.address is not None:
            return hashlib.sha256(self.address.identity.encode()).hexdigest()[:16]
        digest = evaluator_digest(self.evaluator, game)
        cuts = self.evaluator.probcut
        if cuts is None or not getattr(self.method, "probcut", None):
            return digest
        return f"{digest} {hashlib.sha256(cuts.tobytes()).hexdigest()[:16]}"


def settings_of(limits: Limits, method: Method) -> str:
    """Return limits and a method in words."""
    kept = limits if method.deepens else replace(limits, depth=None)
    sigmas = getattr(method, "probcut", None)
    by = method_text(method)
    selective = f"selective at {sigmas:.12g} sigma" if sigmas else ""
    parts = str(kept), selective, "" if by == "alphabeta" else f"by {by}"
    return ", ".join(part for part in parts if part)


def entrant(
    who: str | Path | Evaluator, game: Game, limits: Limits, method: Method = AlphaBeta()
) -> Entrant:
    """Return who is to play `game`."""
    asked, limits = limits, limits.in_game(game)
    if isinstance(who, str) and is_engine(who):
        from samuel.arena.engine_pool import client_of

        address = Address.parse(who)
        client_of(address).require_game(game)
        if address.is_unlimited:
            limits = Limits()
        elif address.depth is not None:
            limits = Limits(address.depth)
        elif re.search(r"-(level|depth|ms)\b", who) and asked != limits:
            warnings.warn(
                f"samuel sends {address.name} depth {limits.depth}, because you gave no limit; "
                f"to keep the limit of its command, write {address.protocol}[limit=none]:...",
                stacklevel=3,
            )
        return Entrant(address.name, limits, address=address)
    if isinstance(who, str):
        require_no_slip(who)
    evaluator = find_evaluator(who, game)
    if evaluator.probcut is None and getattr(method, "probcut", None):
        raise UserError(_without_probcut(who, game))
    warn_if_unasked(method, evaluator.name)
    limits = limits if method.deepens else asked
    return Entrant(evaluator.name, limits, method, Serialized(evaluator))


def _without_probcut(who: str | Path | Evaluator, game: Game) -> str:
    """Return the error for a player that cannot search selectively."""
    full = "search at full width (--probcut 0; for the second player only: --probcut-b 0)"
    if game.chance is not None:
        return f"{game.name} has dice, and no selective search; {full}"
    if isinstance(who, Evaluator):
        return f"{who.name} has no parameters for ProbCut; save it and fit them, or {full}"
    if who in evaluator_names(game):
        return f"{who} of {game.name} comes without parameters for ProbCut; {full}"
    fits = f"samuel models probcut {shlex.quote(str(who))}{plugin_options(game.name)} fits them"
    return f"{who} has no parameters for ProbCut; {fits}, or {full}"


def with_distinct_names(players: Sequence[Entrant]) -> list[Entrant]:
    """Return the players, those with a name that was there before with a number added."""
    taken: set[str] = set()
    named = []
    for one in players:
        numbered = (f"{one.name} ({number})" for number in itertools.count(2))
        names = itertools.chain([one.name], numbered)
        name = next(name for name in names if name not in taken)
        taken.add(name)
        named.append(replace(one, name=name))
    return named

"""Players: an evaluator in the project's own search, or an outside engine."""

from __future__ import annotations

import hashlib
import itertools
import re
import shlex
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from samuel.arena.engines.address import Address, is_engine, require_no_slip
from samuel.arena.engines.clients import require_game
from samuel.common.errors import UserError
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.plugins import plugin_options
from samuel.models import evaluator_names
from samuel.models.saved.serialized import SerializedEvaluator
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.limits import Limits
from samuel.search.method import Method
from samuel.search.methods import method_text, warn_if_unasked
from samuel.selfplay.digest import evaluator_digest


@dataclass(frozen=True)
class Player:
    """A player of matches: an evaluator with a search, or an engine."""

    name: str
    limits: Limits
    method: Method = field(default_factory=AlphaBeta)
    serialized: SerializedEvaluator | None = None
    command: str | None = None

    @property
    def evaluator(self) -> Evaluator:
        """Its evaluator."""
        if self.serialized is None:
            raise ValueError(f"{self.name} is an engine")
        return self.serialized.evaluator

    @property
    def is_engine(self) -> bool:
        """True if it is a program of its own."""
        return self.command is not None

    @property
    def settings(self) -> str:
        """Limits, and the way in which it chooses moves, in words."""
        return settings_of(self.limits, self.method)

    def digest(self, game: Game) -> str:
        """Return what tells it from others: of an evaluator its content, not its name."""
        if self.command is not None:
            return hashlib.sha256(Address.parse(self.command).identity.encode()).hexdigest()[:16]
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


def player(
    who: str | Path | Evaluator, game: Game, limits: Limits, method: Method = AlphaBeta()
) -> Player:
    """Return a player of `game`."""
    asked, limits = limits, limits.in_game(game)
    if isinstance(who, str) and is_engine(who):
        address = Address.parse(who)
        require_game(address, game)
        if address.depth is not None:
            limits = Limits(address.depth)
        elif re.search(r"-(level|depth|ms)\b", who) and asked != limits:
            warnings.warn(
                f"samuel sends {address.name} depth {limits.depth}, because you gave no limit; "
                "docs/engines.md says how to keep the limit of the engine's own command",
                stacklevel=3,
            )
        return Player(address.name, limits, command=who)
    if isinstance(who, str):
        require_no_slip(who)
    serialized = SerializedEvaluator(who, game)
    evaluator = serialized.evaluator
    if evaluator.probcut is None and getattr(method, "probcut", None):
        raise UserError(_without_probcut(who, game))
    warn_if_unasked(method, evaluator.name)
    return Player(evaluator.name, limits, method, serialized)


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


def with_distinct_names(players: Sequence[Player]) -> list[Player]:
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

"""Events: their options, players and openings, and what their journal says of them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from samuel.arena.clocks import TIME_MARGIN
from samuel.arena.journal import event_in
from samuel.arena.openings.choice import source_of
from samuel.arena.openings.drawing import OpeningSupply
from samuel.arena.players import Entrant
from samuel.arena.records import MOST_PLAYERS
from samuel.common.errors import UserError, require_workers
from samuel.common.options import OptionClass, Range
from samuel.games.game import Game
from samuel.games.origins import origins_of
from samuel.search.greedy import Greedy
from samuel.search.score import MOST_REMAINING, MOST_SECONDS
from samuel.search.trees.method import MOST_SEED
from samuel.selfplay.agreement import PLAYED_ON, Agreement
from samuel.selfplay.openings.books import START
from samuel.selfplay.openings.openings import Openings


@dataclass(frozen=True)
class EventOptions(OptionClass):
    """Options that matches, tournaments and benches share.

    Attributes
    ----------
    openings
        Openings: balanced (the game's book), random, start (the initial position), or a file of
        transcripts, PGN or positions (EPD, FEN). Default: balanced if a book exists, without
        `balance`; else random.
    opening_plies
        Length of the openings in plies. By default the game's own length.
    balance
        Largest absolute score of a random opening, in the game's unit, by a search of 6 plies. By
        default random openings are not searched.
    epsilon
        Share of random moves of both sides. Default: 0.
    adjudicate_from
        Plies left (Othello: empty squares) from which the solver decides games with engines. The
        default 0 plays them to the end.
    timeout
        Seconds per move for an engine without a clock. Its start may take as long, and at least 30.
    time_margin
        Tolerance in seconds for engines, per move or for the whole clock. Increase it on a slow or
        busy machine.
    seed
        Seed of the openings and the dice. Without clocks and engines, one seed gives the same
        games.
    jobs
        Number of workers; -1 for one per core. In Python `joblib.parallel_config` selects the
        backend; by default threads.
    out
        Folder for the games (else not saved). An interrupted command continues there.

    Raises
    ------
    UserError
        A number is out of its range.
    """

    openings: Openings | Path | str | None = None
    opening_plies: Annotated[int | None, Range(0, MOST_REMAINING)] = None
    balance: Annotated[float | None, Range(0.0)] = None
    epsilon: Annotated[float, Range(0.0, 1.0)] = 0.0
    adjudicate_from: Annotated[int, Range(0, MOST_REMAINING)] = 0
    timeout: Annotated[float, Range(1e-3, MOST_SECONDS)] = 60.0
    time_margin: Annotated[float, Range(0.0, MOST_SECONDS)] = TIME_MARGIN
    seed: Annotated[int, Range(0, MOST_SEED)] = 0
    jobs: Annotated[int, Range(-1024, 1024)] = 1
    out: Path | str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require_workers(self.jobs)

    @property
    def folder(self) -> Path | None:
        """The folder for the games."""
        return None if self.out is None else Path(self.out)

    def openings_for(
        self,
        game: Game,
        pairs: int,
        *,
        is_asked: bool = True,
        kind: type[OpeningSupply] = OpeningSupply,
    ) -> OpeningSupply:
        """Return the openings of so many pairs, which somebody asked for or which are usual."""
        asked = self.openings, pairs, self.opening_plies, self.balance, self.seed
        return kind(pairs, *source_of(game, *asked), is_asked=is_asked)


def flags_of(values: Mapping[str, Any], usual: Mapping[str, Any]) -> list[str]:
    """Return the words of a command for options whose values are not the usual ones."""
    words: list[str] = []
    for name, value in values.items():
        if value != usual.get(name):
            name, value = ("ms", 1000 * value) if name == "seconds" else (name, value)
            parts = value if isinstance(value, tuple) else (value,)
            texts = [f"{one:.12g}" if isinstance(one, float) else str(one) for one in parts]
            words += [f"--{name.replace('_', '-')}", ",".join(texts)]
    return words


def warn_of_adjudication(
    options: EventOptions, game: Game, players: Sequence[Entrant] = ()
) -> None:
    """Warn where the solver decides no game of these players, or takes long for each."""
    asked = min(options.adjudicate_from, game.most_plies)
    if not asked:
        return
    soon = game.solver.second_from
    if game.chance is not None or game.plies_left is None:
        said = f"no game is adjudicated: {game.name} has no solver"
    elif players and not any(one.is_engine for one in players):
        said = "no game is adjudicated: evaluators solve endgames themselves (--exact-from)"
    elif asked > soon:
        said = (
            f"adjudication from {asked} plies left on may take long: from {soon} on the solver "
            "takes about a second per game, and each further two plies take four times as long"
        )
    else:
        return
    warnings.warn(said, stacklevel=3)


def require_variety(options: EventOptions, game: Game, players: Sequence[Entrant]) -> None:
    """Raise UserError where random moves are asked of an engine, or all pairs would be one."""
    engines = [one.name for one in players if one.is_engine]
    if options.epsilon and engines:
        raise UserError(
            f"--epsilon cannot be used with an engine ({engines[0]}): only evaluators play "
            "random moves"
        )
    draws = engines or options.epsilon or any(isinstance(one.method, Greedy) for one in players)
    if options.openings == START and game.chance is None and not draws:
        raise UserError(
            "all game pairs from the initial position are equal; add random moves "
            "(--epsilon 0.1) or other openings"
        )


class Event:
    """Players, openings and options of an event; players may join others in its folder."""

    def __init__(
        self,
        kind: str,
        game: Game,
        entrants: Sequence[Entrant],
        openings: OpeningSupply,
        options: EventOptions,
        exact_from: int,
        agreement: Agreement = PLAYED_ON,
    ) -> None:
        if kind != "bench":  # which has evaluators, whoever else plays
            warn_of_adjudication(options, game, entrants)
        require_variety(options, game, entrants)
        searching = [one.limits for one in entrants if one.is_engine or one.method.deepens]
        for one in entrants:
            if not one.is_engine and not one.method.deepens:
                one.limits.refuse_depth(searching)
        self.kind, self.game, self.openings = kind, game, openings
        self.options, self.agreement = options, agreement
        own = {one.name: _told(one, game) for one in entrants}
        before = None if kind == "match" else event_in(options.folder)
        known = {one["name"]: one for one in (before or {}).get("players", [])} | own
        if len(known) > MOST_PLAYERS:
            raise UserError(f"an event has at most {MOST_PLAYERS} players (got {len(known)})")
        self.names = tuple(known)
        self.players = {self.names.index(one.name): one for one in entrants}
        self.about: dict[str, Any] = {
            "openings": openings.name,
            "plugins": origins_of(
                game.name, evaluators=[one.evaluator.name for one in entrants if not one.is_engine]
            ),
        }
        self.contents = {
            "kind": kind,
            "game": game.name,
            "players": list(known.values()),
            "seed": options.seed,
            "about": self.about,
            "exact_from": min(exact_from, game.most_plies),
            "adjudicate_from": min(options.adjudicate_from, game.most_plies),
            "timeout": options.timeout,
            **({"epsilon": options.epsilon} if options.epsilon else {}),
            **({"time_margin": options.time_margin} if options.time_margin != TIME_MARGIN else {}),
            **agreement.in_words,
        }

    def meeting(self, i: int, j: int, numbers: Sequence[int]) -> Meeting:
        """Return the meeting of two players who take part, by their numbers."""
        a, b = min(i, j), max(i, j)
        return Meeting(a * MOST_PLAYERS + b, self.players[a], self.players[b], numbers)


def _told(one: Entrant, game: Game) -> dict[str, Any]:
    """Return what `event.json` says of a player."""
    engine = None if one.address is None else one.address.text
    told = {"name": one.name, "digest": one.digest(game)}
    return told | {"engine": engine, "limits": one.settings}


@dataclass(frozen=True)
class Meeting:
    """Two players and the numbers of the pairs that they are to play."""

    pairing: int
    a: Entrant
    b: Entrant
    numbers: Sequence[int]

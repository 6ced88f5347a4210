"""Tuning by matches: values of a sampler are played against each other, a batch at a time.

A run is an event (arena/running.py) of two players whose parameters differ from batch to batch. Its
folder has the game pairs; values follow from them and the seed, so a run that continues finds them
again from its games.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

from samuel.arena.event import Event, EventOptions, flags_of
from samuel.arena.openings.drawing import RepeatedOpenings
from samuel.arena.results import EventResult
from samuel.arena.running import EventRun, Rounds, play_event
from samuel.arena.tuning.spsa import OPTUNA, Gains, OptunaSampler, Parameter, Spsa, texts
from samuel.arena.tuning.subjects import subject_of
from samuel.common.errors import unknown
from samuel.common.options import Flag, Range
from samuel.common.public import INFERRED, public
from samuel.common.steps import OnStep, sending
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.plugins import plugin_options
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.limits import Limits
from samuel.search.method import Method
from samuel.selfplay.agreement import Agreement, DrawTerms, WinTerms

DEFAULT_GAMES, DEFAULT_PAIRS, MOST_GAMES = 30_000, 8, 100_000_000


class Step(NamedTuple):
    """State after a batch: games so far, score of its first side (0 to 1), values."""

    games: int
    score: float
    values: tuple[float, ...]


@dataclass(frozen=True, repr=False)
class TuneResult(EventResult):
    """Result of a tuning run: the values of its parameters, and how they came about.

    Attributes
    ----------
    parameters
        Parameters with their starts, ranges and steps.
    steps
        State at the start and after each batch: `games`, `score` of its first side, `values`.
    noise
        Standard deviation that chance alone gives the change of each value; NaN if unknown.
    command
        Command `samuel match` of the tuned against the untuned player.

    Examples
    --------
    >>> import samuel
    >>> asked = {"game": "connect_four", "method": "uct:playouts=9,playout_plies=0", "games": 4}
    >>> samuel.tune("classic", ["exploration=1,0,4,1"], **asked)
    TuneResult(exploration=...: 4 games)
    """

    parameters: tuple[Parameter, ...] = ()
    steps: tuple[Step, ...] = ()
    noise: tuple[float, ...] = ()
    command: str = ""

    def __repr__(self) -> str:
        return f"TuneResult({self.text}: {self.games} games)"

    @property
    def games(self) -> int:
        """Number of games of the finished batches."""
        return self.steps[-1].games

    @property
    def text(self) -> str:
        """Tuned values in one line, integers rounded: NAME=VALUE,NAME=VALUE."""
        named = texts(self.parameters, np.array(self.steps[-1].values))
        return ",".join(f"{name}={text}" for name, text in named.items())

    def as_dict(self) -> dict[str, Any]:  # noqa: D102
        rows = [
            {**asdict(one), "value": value, "change": value - one.start, "noise": noise}
            for one, value, noise in zip(
                self.parameters, self.steps[-1].values, self.noise, strict=True
            )
        ]
        found = {"games": self.games, "planned": self.event["games"], "values": self.text}
        found |= {"sampler": self.event["sampler"], "parameters": rows, "command": self.command}
        return found | {"out": None if self.out is None else str(self.out)}


@public
def tune(
    player: Evaluator | Path | str,
    parameters: Annotated[list[str], Flag("parameter")],
    *,
    game: Game = INFERRED,
    games: Annotated[int, Range(2, MOST_GAMES)] = DEFAULT_GAMES,
    pairs: Annotated[int, Range(1, MOST_GAMES)] = DEFAULT_PAIRS,
    sampler: str = "spsa",
    gains: Gains = Gains(),
    limits: Limits = Limits(),
    method: Method = AlphaBeta(),
    resign: WinTerms = None,
    draw: DrawTerms = None,
    options: EventOptions = EventOptions(),
    progress: Callable[[TuneResult], None] = lambda result: None,
    on_step: OnStep | None = None,
) -> TuneResult:
    """Tune numbers of a search by matches (SPSA).

    In each batch of game pairs the player meets itself with all parameters moved up or down at
    random, and the values move towards the side that won.

    Parameters
    ----------
    player
        Player: an evaluator, its name or the folder of a model, or an engine such as `uci:./x`.
    parameters
        Number to tune as NAME=START,MIN,MAX,STEP, such as RFPMargin=80,20,200,8: an option of an
        engine, or a number of the search method. At the end of the run both sides are STEP away
        from the value.
    game
        Game: a name, or a Python file that registers one. By default the game of the player, or
        Othello.
    games
        Number of games of the run. The gains depend on it, so a run cannot be extended.
    pairs
        Number of game pairs per batch; at least one per worker keeps all of them busy.
    sampler
        Sampler: spsa, or tpe or cma of Optuna, whose trials play against the values at the start.
    gains
        Gains of SPSA.
    limits
        Limits of a move for both sides.
    method
        Search method: alphabeta, expectiminimax, star1, star2, star2.5, montecarlo, or uct.
        Settings follow a colon: uct:playouts=500. Default: alphabeta.
    resign
        Terms of resignation, SCORE,MOVES, as in `match`.
    draw
        Terms of a draw, SCORE,MOVES,PLY, as in `match`.
    options
        Options of the games. Openings are used again where there are fewer than game pairs.
    progress
        Called with the result so far, some times per second and at the end.
    on_step
        Function that is called after each new batch, with its figures as a dict (event `tune`).

    Returns
    -------
    TuneResult
        Result with the values, their noise and all games.

    Raises
    ------
    UserError
        A parameter is unknown, or cannot have all values of its range; or the folder has something
        else, or an engine fails.

    Examples
    --------
    >>> import samuel
    >>> asked = {"game": "connect_four", "method": "uct:playouts=9,playout_plies=0", "games": 4}
    >>> samuel.tune("classic", ["exploration=1,0,4,1"], **asked).games
    4
    """
    if sampler not in ("spsa", *OPTUNA):
        raise unknown("sampler", sampler, ("spsa", *OPTUNA))
    known, entrant, match_words = subject_of(player, game, limits, method, parameters)
    planned = games // 2
    values: Spsa | OptunaSampler = Spsa(known, gains, planned, options.seed)
    if sampler in OPTUNA:
        values = OptunaSampler(sampler, known, options.seed)
    start = entrant(values.values)
    sides = [replace(start, name=f"{start.name} {sign}") for sign in "+-"]
    openings = options.openings_for(game, planned, kind=RepeatedOpenings)
    terms = limits.solved_from(game), Agreement(resign, draw)
    event = Event("tuning", game, sides, openings, options, *terms)
    event.contents |= {"games": 2 * planned, "pairs": pairs, "sampler": sampler, **asdict(gains)}
    event.contents["parameters"] = [asdict(one) for one in known]
    steps = [Step(0, 0.5, tuple(values.values.tolist()))]
    usual = Limits().flat() | EventOptions().flat() | {"resign": None, "draw": None}
    told = limits.flat() | options.flat() | {"resign": resign, "draw": draw}
    told |= {"seed": options.seed + 1, "jobs": usual["jobs"], "out": None}
    flags = [*flags_of(told, usual), "--sprt", "0,5"]

    def batches(run: EventRun) -> Rounds:
        for done in range(0, planned, pairs):
            numbers = range(done, min(done + pairs, planned))
            meeting = event.meeting(0, 1, numbers)
            is_new = (meeting.pairing, numbers[-1]) not in run.journal.pairs
            one, other = map(entrant, values.ask(done))
            a, b = replace(one, name=sides[0].name), replace(other, name=sides[1].name)
            yield [replace(meeting, a=a, b=b)]
            points = [int(np.sign([one.result for one in pair]).sum()) for pair in run.pairs[done:]]
            values.tell(done, points)
            score = 0.5 + sum(points) / (4 * len(points))
            steps.append(Step(2 * len(run.pairs), score, tuple(values.values.tolist())))
            if is_new:
                named = zip(known, steps[-1].values, strict=True)
                figures = {f"value_{one.name}": value for one, value in named}
                sent.send("tune", len(steps) - 1, games=steps[-1].games, score=score, **figures)

    def found(run: EventRun) -> TuneResult:
        words = ["samuel", "match", *match_words(values.values), "--game", game.name, *flags]
        command = shlex.join(words) + plugin_options(game.name)
        state = tuple(known), tuple(steps), tuple(values.noise.tolist()), command
        return TuneResult(event.contents, game, tuple(run.pairs), options.folder, *state)

    with sending(on_step) as sent:
        return play_event(event, batches, found, progress)

"""Tuning by matches: values of a sampler are played against each other, a batch at a time.

A run is an event (arena/running.py) of two players whose parameters differ from batch to batch. Its
folder has the game pairs; values follow from them and the seed, so a run that continues finds them
again from its games.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

from samuel.arena.agreement import Agreement, DrawTerms, WinTerms
from samuel.arena.event import EventOptions
from samuel.arena.openings.drawing import RepeatedOpenings
from samuel.arena.results import EventResult
from samuel.arena.running import Event, EventRun, Rounds, play_event
from samuel.arena.tuning.samplers import SPSA, sampler_named
from samuel.arena.tuning.spsa import Gains, Parameter
from samuel.arena.tuning.subjects import subject_of
from samuel.common.options import Flag, Range
from samuel.common.public import INFERRED, public
from samuel.common.steps import OnStep, sending
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.limits import Limits
from samuel.search.method import Method
from samuel.search.methods import Confidence, selective

DEFAULT_GAMES, DEFAULT_PAIRS = 30_000, 8
MOST_GAMES = 100_000_000


class Step(NamedTuple):
    """State after a batch: games so far, points of the first side in it, values."""

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
        State after each batch: `games` so far, `score` of its first side (0 to 1), `values`.
    noise
        Standard deviation that chance alone gives the change of each value; NaN if unknown.
    match_words
        Words of the command `samuel match` for the tuned player against the untuned one.

    Examples
    --------
    >>> import samuel
    >>> result = samuel.tune(
    ...     "classic", ["scale=1,0.5,4,0.5"], game="tic_tac_toe", method="uct:playouts=20", games=16
    ... )
    >>> [*result.values]
    ['scale']
    """

    parameters: tuple[Parameter, ...] = ()
    steps: tuple[Step, ...] = ()
    noise: tuple[float, ...] = ()
    match_words: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"TuneResult({self.text}: {self.games} games)"

    @property
    def games(self) -> int:
        """Number of games of the finished batches."""
        return self.steps[-1].games if self.steps else 0

    @property
    def values(self) -> dict[str, float]:
        """Tuned values by name, integers rounded."""
        starts = tuple(one.start for one in self.parameters)
        found = self.steps[-1].values if self.steps else starts
        pairs = zip(self.parameters, found, strict=True)
        return {one.name: float(one.text(value)) for one, value in pairs}

    @property
    def text(self) -> str:
        """Tuned values in one line: NAME=VALUE,NAME=VALUE."""
        return ",".join(f"{one.name}={one.text(self.values[one.name])}" for one in self.parameters)

    def as_dict(self) -> dict[str, Any]:
        """Return the result with the names that the JSON output uses.

        Returns
        -------
        dict[str, Any]
            Names and values.
        """
        values = self.steps[-1].values if self.steps else [one.start for one in self.parameters]
        rows = [
            {**asdict(one), "value": value, "change": value - one.start, "noise": noise}
            for one, value, noise in zip(self.parameters, values, self.noise, strict=True)
        ]
        return {
            "sampler": self.event["sampler"],
            "games": self.games,
            "planned": self.event["games"],
            "values": self.text,
            "parameters": rows,
            "out": None if self.out is None else str(self.out),
        }


@public
def tune(
    player: Evaluator | Path | str,
    parameters: Annotated[list[str], Flag("parameter")],
    *,
    game: Game = INFERRED,
    games: Annotated[int, Range(2, MOST_GAMES)] = DEFAULT_GAMES,
    pairs: Annotated[int, Range(1, MOST_GAMES)] = DEFAULT_PAIRS,
    sampler: str = SPSA,
    gains: Gains = Gains(),
    limits: Limits = Limits(),
    method: Method = AlphaBeta(),
    probcut: Confidence = None,
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
        engine, or a setting of the search method. STEP is the distance from the value at which
        games are played at the end of the run.
    game
        Game: a name, or a Python file that registers one. By default the game of the player, or
        Othello.
    games
        Number of games of the whole run. The gains depend on it, so a run cannot be made longer.
    pairs
        Number of game pairs per batch; at least one per worker keeps all of them busy.
    sampler
        Sampler: spsa, or a sampler of Optuna (tpe, cma, random), which plays each trial against
        the values at the start.
    gains
        Gains of SPSA.
    limits
        Limits of a move for both sides.
    method
        Search method: alphabeta, expectiminimax, star1, star2, star2.5, montecarlo, or uct.
        Settings follow a colon: uct:playouts=500. Default: alphabeta.
    probcut
        Confidence of selective search (ProbCut) in standard deviations, such as 1. The default 0
        searches at full width.
    resign
        Terms of resignation, SCORE,MOVES: 4,3 ends a game once both sides agree, for 3 moves each,
        that one side leads by at least 4. By default games are played out.
    draw
        Terms of a draw, SCORE,MOVES,PLY: 0.1,8,80 ends a game once both sides agree, for 8 moves
        each from ply 80 on, on a score of at most 0.1. By default games are played out.
    options
        Options that matches and tournaments share. Openings are used again where there are fewer
        than game pairs.
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
    >>> result = samuel.tune(
    ...     "classic", ["scale=1,0.5,4,0.5"], game="tic_tac_toe", method="uct:playouts=20", games=16
    ... )
    >>> result.games
    16
    """
    asked = [Parameter.parse(one) for one in parameters]
    subject = subject_of(player, game, limits, selective(method, probcut), asked)
    planned = games // 2
    known = subject.parameters
    values = sampler_named(sampler, known, gains, planned, options.seed)
    start = subject.entrant(values.values)
    sides = [replace(start, name=f"{start.name} {sign}") for sign in "+-"]
    openings = options.openings_for(game, planned, kind=RepeatedOpenings)
    terms = limits.solved_from(game), Agreement(resign, draw)
    event = Event("tuning", game, sides, openings, options, *terms)
    event.contents |= {"games": 2 * planned, "pairs": pairs, "sampler": sampler, **asdict(gains)}
    event.contents["parameters"] = [asdict(one) for one in known]
    steps: list[Step] = []

    def batches(run: EventRun) -> Rounds:
        for done in range(0, planned, pairs):
            numbers = range(done, min(done + pairs, planned))
            meeting = event.meeting(0, 1, numbers)
            is_new = (meeting.pairing, numbers[-1]) not in run.journal.pairs
            one, other = map(subject.entrant, values.ask(done))
            a, b = replace(one, name=sides[0].name), replace(other, name=sides[1].name)
            yield [replace(meeting, a=a, b=b)]
            points = [int(np.sign([one.result for one in pair]).sum()) for pair in run.pairs[done:]]
            values.tell(done, points)
            score = 0.5 + sum(points) / (4 * len(points))
            steps.append(Step(2 * len(run.pairs), score, tuple(values.values.tolist())))
            if is_new:
                figures = {
                    f"value_{one.name}": x for one, x in zip(known, values.values, strict=True)
                }
                sent.send("tune", len(steps), games=steps[-1].games, score=score, **figures)

    def found(run: EventRun) -> TuneResult:
        words = tuple(subject.match_words(values.values))
        state = tuple(known), tuple(steps), tuple(values.noise.tolist()), words
        return TuneResult(event.contents, game, tuple(run.pairs), options.folder, *state)

    with sending(on_step) as sent:
        return play_event(event, batches, found, progress)

"""The ladder: how much stronger each level of a game is than the one below, by matches."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from samuel.arena import MatchResult, match
from samuel.common.json_files import write_json
from samuel.common.options import Range
from samuel.common.public import INFERRED, public
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.models.erring import erring
from samuel.play.levels import Level, levels_of
from samuel.search.limits import Limits
from samuel.search.trees.method import MOST_SEED

FILE = "levels.json"
PAIRS = 200


@dataclass(frozen=True)
class Rung:
    """A level with its score against the level below."""

    level: int
    depth: int | None
    errors: float
    score: float | None = None
    score_low: float | None = None
    score_high: float | None = None
    elo: float = 0.0
    elo_low: float = 0.0
    elo_high: float = 0.0


@public
def climb(
    evaluator: Evaluator,
    game: Game = INFERRED,
    *,
    pairs: Annotated[int, Range(1, 100_000)] = PAIRS,
    seed: Annotated[int, Range(0, MOST_SEED)] = 0,
    jobs: int = 1,
    out: Path | str | None = None,
    progress: Callable[[int, MatchResult], None] = lambda level, result: None,
) -> list[Rung]:
    """Measure the levels of play: each plays a match against the level below.

    No level solves endings in these matches; in play the strongest levels do.

    Parameters
    ----------
    evaluator
        Evaluator that plays at all levels; by default the game's own.
    pairs
        Number of game pairs per match.
    seed
        Seed of the openings and the errors.
    jobs
        Number of workers; -1 for one per core.
    out
        Folder for the matches and `levels.json`. An interrupted command continues there.
    progress
        Called with the upper level and its match so far.

    Raises
    ------
    UserError
        As `match`; or the folder cannot be written.
    """
    levels = levels_of(game)
    players = [_player(evaluator, game, level, number) for number, level in enumerate(levels, 1)]
    rungs = [Rung(1, levels[0].depth, levels[0].errors)]
    for number in range(2, len(levels) + 1):
        upper, lower = levels[number - 1], levels[number - 2]
        result = match(
            players[number - 1],
            players[number - 2],
            game=game,
            pairs=pairs,
            limits=Limits(depth=upper.depth, exact_from=0),
            limits_b=Limits(depth=lower.depth, exact_from=0),
            seed=seed,
            jobs=jobs,
            out=None if out is None else Path(out) / f"level-{number:02d}",
            progress=lambda result, number=number: progress(number, result),
        )
        rungs.append(_rung(number, upper, rungs[-1], result))
    if out is not None:
        about = {"game": game.name, "evaluator": evaluator.name, "pairs": pairs, "seed": seed}
        write_json(Path(out) / FILE, {"format": 1, **about, "levels": as_dicts(rungs)})
    return rungs


def as_dicts(rungs: list[Rung]) -> list[dict[str, Any]]:
    """Return a ladder for JSON."""
    return [asdict(rung) for rung in rungs]


def _player(evaluator: Evaluator, game: Game, level: Level, number: int) -> Evaluator:
    return replace(erring(evaluator, game, level.errors, number), name=f"level {number}")


def _rung(number: int, level: Level, below: Rung, result: MatchResult) -> Rung:
    found = result.statistics
    elo = below.elo + found.elo
    low, high = -math.inf, math.inf  # as long as somebody has won every game
    if math.isfinite(elo):
        low = elo - math.hypot(below.elo - below.elo_low, found.elo - found.elo_low)
        high = elo + math.hypot(below.elo_high - below.elo, found.elo_high - found.elo)
    return Rung(
        number,
        level.depth,
        level.errors,
        *(found.score, found.score_low, found.score_high),
        *(elo, low, high),
    )

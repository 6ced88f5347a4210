"""The Othello League: matches of players that look one ply ahead and now and then move at random.

The protocol of S. Lucas's Othello League, by which the literature measures an evaluator without a
search (S. Lucas, T. Runarsson, "Temporal difference learning versus co-evolution for acquiring
Othello position evaluation", 2006; W. Jaskowski, "Systematic n-tuple networks for Othello
position evaluation", 2014). Each side plays the move whose position its evaluator likes best or,
with probability epsilon = 0.1, a uniformly random one. Games begin at the initial position, with
both colours equally often; draws count one half.

Ties between best moves are broken at random, and finished positions score their utility. The two
games of a pair share their random numbers: swapping the players mirrors the result, and equal
players share every pair.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from samuel.arena.league.kernel import play_league_pairs
from samuel.arena.results import PairedResults
from samuel.errors import UserError, require_number, require_workers
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.games.playing import new_game_state
from samuel.kernels import budget
from samuel.models import game_for, usual_opponent
from samuel.models.saved.carried import Carried
from samuel.selfplay.workers import run_tasks

MOST_LEAGUE_GAMES = 2_000_000
_PAIRS_PER_TASK = 20
_MOST_TASKS = 500


@dataclass(frozen=True, repr=False)
class LeagueResult(PairedResults):
    """What league games found, for A.

    Attributes
    ----------
    epsilon
        the probability of a random move.
    results
        float32 (pairs, 2), each game's result for A in the game's unit; the first of a
        pair with A to move first.
    """

    a: str
    b: str
    epsilon: float
    results: NDArray[np.float32]

    def __repr__(self) -> str:
        s = self.statistics
        return (
            f"LeagueResult({self.a} against {self.b}: {s.games} games, +{s.wins} ={s.draws} "
            f"-{s.losses}, {s.score:.1%} ({s.score_low:.1%} to {s.score_high:.1%}))"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the result with the names that the JSON output uses."""
        s = self.statistics
        keys = "games wins losses draws score score_low score_high"
        return {
            "a": self.a,
            "b": self.b,
            **{key: getattr(s, key) for key in keys.split()},
            "epsilon": self.epsilon,
        }


def play_league_task(
    a: Carried, b: Carried, epsilon: float, seed: int, first: int, pairs: int
) -> NDArray[np.float32]:
    """Play pairs number `first` to `first + pairs`; return their results (pairs, 2) for A."""
    rules = a.game
    sides = [a.evaluator, b.evaluator]
    counters = budget.new_counters()
    results = np.zeros((pairs, 2), np.float32)
    play_league_pairs(
        rules.rules_of_play,
        *(side.evaluation() for side in sides),
        epsilon,
        rules.row(rules.start),
        new_game_state(rules),
        seed,
        first,
        counters,
        results,
    )
    for side in sides:
        side.check()
    if counters[budget.INTERRUPTED]:
        raise KeyboardInterrupt
    return results


def league(
    a: str | Path | Evaluator,
    b: str | Path | Evaluator,
    *,
    game: Game | str | None = None,
    games: int = 2000,
    epsilon: float = 0.1,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[LeagueResult], None] = lambda result: None,
) -> LeagueResult:
    """Play `games` games of one-ply players, half of them with A to move first.

    Parameters
    ----------
    a, b
        evaluators, or names or model folders of some.
    game
        the game, or its name; by default that of the evaluators, or Othello where none says.
    games
        how many, an even number.
    epsilon
        the probability that a move, of either side, is a random one.
    seed
        of every random choice: the same seed gives the same games, whatever `jobs`.
    jobs
        Workers; threads, unless `joblib.parallel_config` or `backend` says otherwise.
    progress
        called with the result so far.

    Raises
    ------
    UserError
        An evaluator is unknown or for another game, or a number is out of its range.
    """
    rules = game_for(game, a, b)
    sides = [Carried(evaluator, rules) for evaluator in (a, b)]
    require_playable(games, epsilon, seed, jobs)
    pairs = games // 2
    size = max(_PAIRS_PER_TASK, -(-pairs // _MOST_TASKS))
    calls = (
        delayed(play_league_task)(*sides, float(epsilon), seed, first, min(size, pairs - first))
        for first in range(0, pairs, size)
    )
    name_a, name_b = (side.evaluator.name for side in sides)
    results, done = np.zeros((pairs, 2), np.float32), 0
    with contextlib.closing(run_tasks(calls, jobs, kernels=[play_league_pairs])) as played:
        for part in played:
            results[done : done + len(part)] = part
            done += len(part)
            result = LeagueResult(name_a, name_b, epsilon, results[:done])
            progress(result)
    return result


def default_opponent(game: Game) -> str:
    """Return what learning starts from (for Othello wpc, the league's standard), or the usual."""
    first = game.defaults.first
    return first if first in game.defaults.evaluators else usual_opponent(game)


def require_playable(games: int, epsilon: float, seed: int, jobs: int) -> None:
    """Raise UserError where `league` would refuse one of the numbers."""
    require_number("the number of games", games, 2, MOST_LEAGUE_GAMES)
    if games % 2:
        raise UserError(
            f"{games} games cannot give both players each colour equally often; "
            f"play {games - 1} or {games + 1}"
        )
    require_number("epsilon", epsilon, 0.0, 1.0)
    require_number("seed", seed, 0, (1 << 62) - 1)
    require_workers(jobs)

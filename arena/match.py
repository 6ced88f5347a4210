"""Matches: whether evaluator A is stronger than evaluator B, and by how much."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from arena.kernel import Limits, play_pairs
from arena.openings import random_openings
from arena.statistics import MatchStatistics, match_statistics
from errors import UserError
from games import budget
from games.abi import Evaluator, Game
from games.catalog import game_named
from models import load_evaluator
from search import new_memory, scoring_of
from search.running import set_up
from search.score import MAX_PLY

DEFAULT_PAIRS = 200
_NODES_PER_SECOND = 5e6
"""Of a fast search, to guess how much a table is to hold."""


@dataclass(frozen=True)
class Allowance:
    """What a side may spend on a move; the first limit reached ends its search.

    Attributes
    ----------
    depth
        plies, or None for no limit.
    nodes
        positions, or None.
    seconds
        wall time, or None.
    probcut
        the confidence of selective cuts, in standard deviations (search.search), or None for
        no such cuts. No limit, but what a side makes of it.
    """

    depth: int | None = 4
    nodes: int | None = None
    seconds: float | None = None
    probcut: float | None = None

    def limits(self, exact_from: int) -> Limits:
        """Return the limits as the kernel takes them.

        Raises
        ------
        UserError
            There is no limit at all, or one is not positive.
        """
        given = [x for x in (self.depth, self.nodes, self.seconds) if x is not None]
        if not given or not all(limit > 0 for limit in given):  # of nan, too
            raise UserError("a side needs a limit above 0: a depth, nodes or seconds a move")
        return Limits(
            min(MAX_PLY - 1, self.depth or MAX_PLY - 1),
            min(self.nodes or budget.UNLIMITED, budget.UNLIMITED),
            round(min((self.seconds or math.inf) * 1e9, budget.UNLIMITED)),
            exact_from,
        )

    @property
    def table_bits(self) -> int:
        """Size of a transposition table that suits: emptied before every game, so not larger."""
        if self.depth is not None:
            return min(18, 6 + 2 * self.depth)
        nodes = min(self.nodes or math.inf, _NODES_PER_SECOND * (self.seconds or math.inf))
        return max(16, min(20, math.ceil(math.log2(max(1.0, min(nodes, 1 << 20))))))

    def __str__(self) -> str:
        parts = [
            "" if self.depth is None else f"depth {self.depth}",
            "" if self.nodes is None else f"{self.nodes} nodes",
            "" if self.seconds is None else f"{1000 * self.seconds:g} ms a move",
            "" if self.probcut is None else f"ProbCut at {self.probcut:g} sigmas",
        ]
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, repr=False)
class MatchResult:
    """What a match found, for A.

    Attributes
    ----------
    a, b
        the names.
    limits
        what the sides could spend, in words.
    results
        float32 (pairs, 2), each game's result for A in the game's unit; the first of a
        pair with A to move first.
    nodes_per_second
        of A and of B.
    seconds_per_move
        of A and of B.
    """

    a: str
    b: str
    limits: str
    results: NDArray[np.float32]
    nodes_per_second: tuple[float, float]
    seconds_per_move: tuple[float, float]

    def __repr__(self) -> str:
        s = self.statistics
        return (
            f"MatchResult({self.a} against {self.b}: {s.games} games, +{s.wins} ={s.draws} "
            f"-{s.losses}, {s.score:.1%}, Elo {s.elo:+.0f} ({s.elo_low:+.0f} to {s.elo_high:+.0f}))"
        )

    @property
    def statistics(self) -> MatchStatistics:
        """Wins, draws, losses, Elo and its interval."""
        points = (np.sign(self.results) + 1) / 2
        return match_statistics(points[:, 0], points[:, 1])

    def as_dict(self) -> dict[str, Any]:
        """Return the result with the names that the JSON output and reports use."""
        s = self.statistics
        keys = "games wins losses draws score score_low score_high elo elo_low elo_high los"
        return {
            "a": self.a,
            "b": self.b,
            **{key: getattr(s, key) for key in keys.split()},
            "limits": self.limits,
            "pentanomial": s.pentanomial,
            "mean_result": self.mean_result,
            "nodes_per_second": self.nodes_per_second,
            "seconds_per_move": self.seconds_per_move,
            "sprt": None,
        }

    @property
    def mean_result(self) -> float:
        """The mean result of a game for A, in the game's unit."""
        return float(self.results.mean())


def play_task(
    game: str,
    a: str | Evaluator,
    b: str | Evaluator,
    limits: tuple[Limits, Limits],
    bits: tuple[int, int],
    probcuts: tuple[float | None, float | None],
    openings: NDArray[np.uint64],
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Play some pairs; return the results (n, 2) and what was spent (2, 3)."""
    rules = game_named(game)
    sides = [load_evaluator(e, rules) if isinstance(e, str) else e for e in (a, b)]
    memories = [
        set_up(new_memory(rules, size, 14), rules, side, probcut=probcut)
        for size, side, probcut in zip(bits, sides, probcuts, strict=True)
    ]
    results = np.zeros((len(openings), 2), np.float32)
    spent = np.zeros((2, 3), np.int64)
    play_pairs(
        rules.rules,
        scoring_of(sides[0], rules),
        scoring_of(sides[1], rules),
        *memories,
        *limits,
        np.ascontiguousarray(openings),
        results,
        spent,
    )
    for side in sides:
        side.check()
    if any(memory.counters[budget.INTERRUPTED] for memory in memories):
        raise KeyboardInterrupt
    return results, spent


def match(
    a: str | Evaluator,
    b: str | Evaluator,
    *,
    game: Game | str = "othello",
    pairs: int | None = None,
    allowance: Allowance | None = None,
    allowance_b: Allowance | None = None,
    exact_from: int | None = None,
    opening_plies: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[MatchResult], None] = lambda result: None,
) -> MatchResult:
    """Play `pairs` pairs of games, each pair one opening with colours swapped.

    Parameters
    ----------
    a, b
        evaluators, or names or model folders of some.
    game
        the game, or its name.
    pairs
        half the number of games; by default 200, or as many as there are openings.
    allowance
        of both sides, or of A where B has its own; depth 4 by default.
    allowance_b
        of B.
    exact_from
        both sides solve positions from this many remaining squares on, which decides
        the game; the game's default where None.
    opening_plies
        random moves at the start; the game's default where None.
    seed
        of the openings. At a depth or node limit the same seed gives the same games.
    jobs
        Workers; threads, unless `joblib.parallel_config` says otherwise; processes need evaluators
        given by name.
    progress
        called with the result so far.

    Raises
    ------
    UserError
        An evaluator is unknown, for another game, or has no parameters for the ProbCut that is
        asked for; the openings do not suffice.
    """
    rules = game_named(game) if isinstance(game, str) else game
    sides = [load_evaluator(e, rules) if isinstance(e, str) else e for e in (a, b)]
    for side in sides:
        side.require_game(rules)
    if pairs is not None and pairs < 1:
        raise UserError(f"a match needs at least 1 pair of games, not {pairs}")
    allowance = allowance or Allowance()
    both = (allowance, allowance_b or allowance)
    if jobs == 0:
        raise UserError("0 workers play no games; give at least 1, or -1 for one a core")
    solved = min(rules.exact_from if exact_from is None else exact_from, rules.max_remaining)
    plies = rules.opening_plies if opening_plies is None else opening_plies
    if pairs is None:
        openings = random_openings(rules, DEFAULT_PAIRS, plies, seed, fewer=True)
    else:
        openings = random_openings(rules, pairs, plies, seed)
    limits = tuple(one.limits(solved) for one in both)
    bits = tuple(one.table_bits for one in both)
    probcuts = tuple(one.probcut for one in both)
    size = _pairs_per_task(both)
    parts = [openings[i : i + size] for i in range(0, len(openings), size)]
    work = Parallel(n_jobs=jobs, prefer="threads", return_as="generator")
    played = work(
        delayed(play_task)(rules.name, a, b, limits, bits, probcuts, part) for part in parts
    )
    words = str(allowance) if allowance_b is None else f"{allowance} against {allowance_b}"
    return _gather(played, (sides[0].name, sides[1].name, words), progress)


def _pairs_per_task(both: tuple[Allowance, Allowance]) -> int:
    """Return how many pairs a worker plays in one go: about a second's worth or less."""
    depth = max(one.depth or 6 for one in both)
    timed = any(one.seconds is not None or one.nodes is not None for one in both)
    return 1 if timed else max(1, 16 >> max(0, depth - 4))


def _gather(
    played: Iterator[Any], names: tuple[str, str, str], progress: Callable[[MatchResult], None]
) -> MatchResult:
    results: list[NDArray[np.float32]] = []
    spent = np.zeros((2, 3), np.int64)
    try:
        for part, part_spent in played:
            results.append(part)
            spent += part_spent
            nodes, nanoseconds, moves = np.maximum(spent, 1).T
            result = MatchResult(
                *names,
                np.concatenate(results),
                (float(nodes[0] / nanoseconds[0] * 1e9), float(nodes[1] / nanoseconds[1] * 1e9)),
                (float(nanoseconds[0] / moves[0] / 1e9), float(nanoseconds[1] / moves[1] / 1e9)),
            )
            progress(result)
    except BaseException:
        budget.interrupt_all()
        raise
    return result

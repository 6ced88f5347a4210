"""Pairs of games between two players, as a worker plays them."""

from __future__ import annotations

import functools
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from samuel.arena.event import EventOptions
from samuel.arena.kernel import OUT_OF_TIME, ScoreSheet, new_score_sheet, play_pairs
from samuel.arena.players import Entrant
from samuel.arena.records import ENDINGS, GameRow, Pair, start_position
from samuel.common.errors import UserError
from samuel.games.game import Game
from samuel.games.playing import new_game_state
from samuel.kernels import budget
from samuel.models.saved.serialized import Serialized
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.greedy import Greedy
from samuel.selfplay.agreement import Agreement
from samuel.selfplay.openings.openings import Starts, follow_line

if TYPE_CHECKING:
    from samuel.arena.engine_pool import EnginePool


@dataclass(frozen=True)
class Task:
    """Pairs for a worker to play; it can be sent to another process or machine."""

    game: Serialized[Game]
    pairing: int
    a: Entrant
    b: Entrant
    numbers: tuple[int, ...]
    openings: tuple[tuple[int, ...], ...]
    starts: tuple[str, ...]
    options: EventOptions
    engines: EnginePool | None  # None where no engine plays
    agreement: Agreement
    is_detailed: bool

    def __len__(self) -> int:
        return len(self.numbers)

    def row(self, k: int, **more: Any) -> GameRow:
        """Return a game of pair k."""
        date = time.strftime("%Y.%m.%d") if self.is_detailed else ""
        asked = self.pairing, self.numbers[k], self.openings[k]
        return GameRow(*asked, start=self.starts[k], date=date, **more)


def play_task(task: Task) -> list[Pair]:
    """Play a task's pairs, in their order."""
    if task.engines is not None and (task.a.is_engine or task.b.is_engine):
        with task.engines.for_task() as engines:
            play = functools.partial(_play_engine_game, task, engines)
            return [(play(k, 0), play(k, 1)) for k in range(len(task))]
    return _play_by_search(task)


def _play_by_search(task: Task) -> list[Pair]:
    """Play the pairs of a task, between evaluators, in the kernel."""
    game, sides = task.game.value, (task.a, task.b)
    limits = [side.limits for side in sides]
    methods = [side.method for side in sides]
    memories = [
        method.new_memory(game, its.table_bits, 14)
        for method, its in zip(methods, limits, strict=True)
    ]
    # who samples may not find again what it has proven, of the other side's moves not at all
    is_sure = game.chance is None and not task.options.epsilon
    is_sure = is_sure and all(type(one) is AlphaBeta for one in methods)
    sheet, starts = new_score_sheet(game, len(task)), Starts.parse(game, task.starts)
    play_pairs(
        *(
            method.searcher(game, side.evaluator, memory, solves=True)
            for side, method, memory in zip(sides, methods, memories, strict=True)
        ),
        *(its.counts(game) for its in limits),
        *(int(isinstance(one, Greedy)) for one in methods),
        task.options.epsilon,
        game.scores.max_utility,
        int(is_sure),
        task.options.seed,
        np.array(task.numbers, np.int64),
        starts.positions,
        starts.sides,
        np.array([move for line in task.openings for move in line], np.int32),
        np.cumsum([len(line) for line in task.openings], dtype=np.int64),
        new_game_state(game),
        task.agreement.terms,
        np.zeros((2, 2), np.int64),
        np.zeros(2, np.int64),
        sheet,
    )
    for side in sides:
        side.evaluator.check()
    if any(memory.counters[budget.INTERRUPTED] for memory in memories):
        raise KeyboardInterrupt
    if not (np.abs(sheet.results) <= game.scores.max_utility).all():  # False where one is NaN
        most = f"{game.scores.max_utility:g}"
        raise UserError(f"a game of {game.name} ended with a result outside -{most} to {most}")
    first = follow_line(game, task.openings, starts).sides.tolist()
    return [
        (_row(task, sheet, k, 0, first[k]), _row(task, sheet, k, 1, 1 - first[k]))
        for k in range(len(task))
    ]


def _row(task: Task, sheet: ScoreSheet, pair: int, game: int, first: int) -> GameRow:
    """Return a game of the sheet; `first` is the game's first player, 0 for A."""
    ending, moves = int(sheet.endings[pair, game]), int(sheet.lengths[pair, game])
    late = ending == OUT_OF_TIME
    nodes, nanoseconds, turns = sheet.spent[pair, game].T.tolist()
    told: dict[str, Any] = {}
    if task.is_detailed:
        columns = (sheet.scores, sheet.depths, sheet.nanoseconds)
        scores, depths, took = (one[pair, game, :moves].tolist() for one in columns)
        told = {
            "scores": tuple(None if math.isnan(score) else round(score, 3) for score in scores),
            "depths": tuple(depths),
            "times": tuple(one / 1e9 for one in took),
        }
    return task.row(
        pair,
        first=first,
        moves=tuple(sheet.moves[pair, game, :moves].tolist()),
        result=float(sheet.results[pair, game]),
        ending=ENDINGS[ending],
        decided=int(sheet.decided[pair, game]),
        nodes=tuple(nodes),
        seconds=tuple(one / 1e9 for one in nanoseconds),
        turns=tuple(turns),
        fault=int(sheet.movers[pair, game]) if late else None,
        note="the clock ran out" if late else "",
        **told,
    )


def _play_engine_game(task: Task, engines: EnginePool, k: int, mover: int) -> GameRow:
    from samuel.arena.engine_game import play_engine_game

    columns = play_engine_game(
        (task.a, task.b),
        start_position(task.game.value, task.starts[k]),
        task.openings[k],
        mover,
        dice=(task.options.seed, task.numbers[k]),
        options=task.options,
        engines=engines,
        agreement=task.agreement,
    )
    details = {name: columns.pop(name) for name in ("scores", "depths", "times")}
    return task.row(k, **columns, **(details if task.is_detailed else {}))

"""Pairs of games between two players, as a worker plays them."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from samuel.arena.agreement import Agreement
from samuel.arena.engine_game import play_engine_game
from samuel.arena.engine_pool import EnginePool
from samuel.arena.kernel import (
    MOVES,
    NANOSECONDS,
    NODES,
    OUT_OF_TIME,
    ScoreSheet,
    new_score_sheet,
    play_pairs,
)
from samuel.arena.openings.lines import Starts
from samuel.arena.players import Player
from samuel.arena.records import (
    ENDINGS,
    PlayedGame,
    PlayedPair,
    Spent,
    Thought,
    start_position,
)
from samuel.common.errors import UserError
from samuel.games.playing import new_game_state
from samuel.kernels import budget
from samuel.models.saved.serialized import SerializedGame
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.greedy import Greedy


@dataclass(frozen=True)
class Task:
    """Pairs for a worker to play; it can be sent to another process or machine."""

    game: SerializedGame
    pairing: int
    a: Player
    b: Player
    numbers: tuple[int, ...]
    seed: int
    openings: tuple[tuple[int, ...], ...]
    starts: tuple[str, ...]
    adjudicate_from: int
    epsilon: float
    timeout: float
    margin: float
    engines: EnginePool
    agreement: Agreement
    is_detailed: bool

    def __len__(self) -> int:
        return len(self.numbers)


def play_task(task: Task) -> list[PlayedPair]:
    """Play a task's pairs, in their order."""
    if task.a.is_engine or task.b.is_engine:
        with task.engines.for_task() as engines:
            return [_play_engine_pair(task, k, engines) for k in range(len(task))]
    return _play_by_search(task)


def _play_by_search(task: Task) -> list[PlayedPair]:
    """Play the pairs of a task, between evaluators, in the kernel."""
    game, sides = task.game.game, (task.a, task.b)
    limits = [side.limits for side in sides]
    methods = [side.method for side in sides]
    memories = [
        method.new_memory(game, its.table_bits, 14)
        for method, its in zip(methods, limits, strict=True)
    ]
    # who samples may not find again what it has proven, of the other side's moves not at all
    is_sure = game.chance is None and not task.epsilon
    is_sure = is_sure and all(type(one) is AlphaBeta for one in methods)
    sheet = new_score_sheet(game, len(task))
    play_pairs(
        *(
            method.searcher(game, side.evaluator, memory, solves=True)
            for side, method, memory in zip(sides, methods, memories, strict=True)
        ),
        *(its.counts(game) for its in limits),
        *(int(isinstance(one, Greedy)) for one in methods),
        task.epsilon,
        game.max_utility,
        int(is_sure),
        task.seed,
        np.array(task.numbers, np.int64),
        *Starts.parse(game, task.starts),
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
    if not (np.abs(sheet.results) <= game.max_utility).all():  # False where one is NaN
        most = f"{game.max_utility:g}"
        raise UserError(f"a game of {game.name} ended with a result outside -{most} to {most}")
    return [
        PlayedPair(
            task.pairing,
            task.numbers[k],
            task.openings[k],
            (_game_of(sheet, k, 0, task.is_detailed), _game_of(sheet, k, 1, task.is_detailed)),
            _today() if task.is_detailed else "",
            task.starts[k],
        )
        for k in range(len(task))
    ]


def _today() -> str:
    return time.strftime("%Y.%m.%d")


def _game_of(sheet: ScoreSheet, pair: int, game: int, is_detailed: bool) -> PlayedGame:
    """Return a game as the sheet has it, with thoughts if it is detailed."""
    ending, decided = int(sheet.endings[pair, game]), int(sheet.decided[pair, game])
    late = ending == OUT_OF_TIME
    moves = sheet.moves[pair, game, : sheet.lengths[pair, game]]
    spent = [
        Spent(int(side[NODES]), int(side[NANOSECONDS]) / 1e9, int(side[MOVES]))
        for side in sheet.spent[pair, game]
    ]
    return PlayedGame(
        result=float(sheet.results[pair, game]),
        moves=tuple(moves.tolist()),
        ending=ENDINGS[ending],
        decided=decided,
        fault=int(sheet.movers[pair, game]) if late else None,
        note="the clock ran out" if late else "",
        spent=(spent[0], spent[1]),
        thoughts=_thoughts_of(sheet, pair, game, len(moves)) if is_detailed else (),
    )


def _thoughts_of(sheet: ScoreSheet, pair: int, game: int, moves: int) -> tuple[Thought, ...]:
    columns = (sheet.scores, sheet.depths, sheet.nanoseconds)
    rows = zip(*(column[pair, game, :moves].tolist() for column in columns), strict=True)
    return tuple(
        Thought() if math.isnan(score) else Thought(round(score, 3), depth, took / 1e9)
        for score, depth, took in rows
    )


def _play_engine_pair(task: Task, k: int, engines: EnginePool) -> PlayedPair:
    """Play pair k of a task in which an engine takes part."""
    opening, start = task.openings[k], task.starts[k]
    first, second = (
        play_engine_game(
            task.game.game,
            (task.a, task.b),
            opening,
            start_position(task.game.game, start),
            mover,
            dice=(task.seed, task.numbers[k]),
            adjudicate_from=task.adjudicate_from,
            timeout=task.timeout,
            margin=task.margin,
            engines=engines,
            agreement=task.agreement,
            is_detailed=task.is_detailed,
        )
        for mover in (0, 1)
    )
    date = _today() if task.is_detailed else ""
    return PlayedPair(task.pairing, task.numbers[k], opening, (first, second), date, start)

"""Scores that deepen while a page looks on, and the course of a game."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import Any, TypeVar

import anyio.to_thread

from samuel.games import Position
from samuel.games.evaluator import Evaluator
from samuel.play.web import requests
from samuel.play.web.state import AppState, figures_of
from samuel.search import AlphaBeta, Result, analyse, stop
from samuel.search.wdl import chances_of

METHOD = AlphaBeta()
_TABLE_BITS = 18
_STEP_SECONDS = 10.0
"""The most a deeper look may take; with less than that done it is the last."""
_CURVE_SECONDS = 2.0
T = TypeVar("T")


class Turns:
    """Queue of searches: a fixed number runs at a time."""

    def __init__(self, together: int) -> None:
        self._free = asyncio.Semaphore(together)
        self._most = 4 * together
        self._tables: OrderedDict[object, Any] = OrderedDict()
        self._lock = threading.Lock()

    async def take(self, work: Callable[[], T]) -> T:
        """Return what work returns, done in a thread when it is its turn."""
        async with self._free:
            return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)

    def table(self, owner: object, make: Callable[[], Any]) -> Any:
        """Return the owner's table, kept or made; called when it is its turn."""
        with self._lock:
            kept = self._tables.pop(owner, None)
            self._tables[owner] = make() if kept is None else kept
            while len(self._tables) > self._most:
                self._tables.popitem(last=False)
            return self._tables[owner]

    def leave(self, owner: object) -> None:
        """End the owner's search, and forget its table."""
        with self._lock:
            kept = self._tables.pop(owner, None)
        if kept is not None:
            stop(kept)


async def scores_by_depth(
    state: AppState, turns: Turns, wanted: requests.Analysis
) -> AsyncGenerator[dict[str, Any]]:
    """Yield what each evaluator finds at each depth, the scores for the side to move."""
    position, evaluators = await anyio.to_thread.run_sync(_prepared, state, wanted)
    new = partial(METHOD.new_memory, position.game, _TABLE_BITS, _TABLE_BITS)
    owners = {name: object() for name in evaluators}
    has_left = threading.Event()

    def look(name: str, depth: int) -> Result | None:
        if has_left.is_set():
            return None
        memory = turns.table(owners[name], new)
        limits: Any = {"depth": depth, "seconds": _STEP_SECONDS, "all_moves": True}
        return analyse(position, evaluators[name], memory=memory, **limits)

    going = set(evaluators)
    try:
        for depth in range(1, wanted.depth + 1):
            for name in [one for one in evaluators if one in going]:
                result = await turns.take(partial(look, name, depth))
                assert result is not None
                chances = chances_of(evaluators[name], position, result)
                yield {"evaluator": name, **_found(result, position), "wdl": chances}
                if result.depth < depth or result.exact:
                    going.discard(name)
    finally:
        has_left.set()
        for owner in owners.values():
            turns.leave(owner)


def _prepared(state: AppState, wanted: requests.Analysis) -> tuple[Position, dict[str, Evaluator]]:
    """Return where to search, and the evaluators, which may take long to load."""
    position = state.to_move(wanted)
    return position, {
        name: state.library.evaluator(name, position.game) for name in wanted.evaluators
    }


def _found(result: Result, position: Position) -> dict[str, Any]:
    told = {"names": position.names_of(result.pv), "moves": result.moves or {}}
    return told | figures_of(result, "pv", "exact", "nodes", "seconds")


async def course(
    state: AppState, turns: Turns, wanted: requests.Curve
) -> AsyncGenerator[dict[str, Any]]:
    """Yield the score of each position of a game, for the first player, and the best move there."""
    session = await anyio.to_thread.run_sync(state.session, wanted)
    evaluator = await anyio.to_thread.run_sync(
        state.library.evaluator, wanted.evaluator, session.game
    )
    for ply, position in enumerate(session.positions):
        if ply < wanted.since or position.is_chance:
            continue
        if position.is_terminal:
            end = _for_first(position, position.utility())
            yield {"ply": ply, "score": end, "move": None, "wdl": None}
            continue
        look = partial(analyse, position, evaluator, depth=wanted.depth, seconds=_CURVE_SECONDS)
        result = await turns.take(look)
        score = _for_first(position, result.score)
        best = position.names_of([result.move])[0] if result.move else None
        chances = chances_of(evaluator, position, result)
        if chances is not None and position.side:
            chances = chances[::-1]
        yield {"ply": ply, "score": score, "move": best, "side": position.side, "wdl": chances}


def _for_first(position: Position, score: float) -> float:
    return score if position.side == 0 else -score

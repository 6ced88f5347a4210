"""Analyses side by side: whose turn it is, and what they keep meanwhile."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest

from samuel.games import game_named
from samuel.search import AlphaBeta

pytest.importorskip("starlette")

from samuel.play.web import analysis, requests
from samuel.play.web.library import Library
from samuel.play.web.state import AppState


class Method:
    """Alpha-beta that remembers how many of its tables there are."""

    def __init__(self):
        self.tables = weakref.WeakSet()
        self.most = 0

    def new_memory(self, *sizes):
        made = AlphaBeta().new_memory(*sizes)
        self.tables.add(made)
        self.most = max(self.most, len(self.tables))
        return made


def test_tables_are_made_in_turn_and_few_are_kept(monkeypatch):
    counted = Method()
    monkeypatch.setattr(analysis, "METHOD", counted)
    state = AppState(Library([], [], game_named("othello")))
    wanted = requests.Analysis(game="othello", evaluators=["wpc", "zero"], depth=2)

    async def whole(turns):
        return [found async for found in analysis.scores_by_depth(state, turns, wanted)]

    async def together():
        turns = analysis.Turns(1)
        async with turns._free:
            waiting = [asyncio.create_task(whole(turns)) for _ in range(20)]
            await asyncio.sleep(0)
            assert counted.most == 0
        return await asyncio.gather(*waiting)

    found = asyncio.run(together())
    assert all([(f["evaluator"], f["depth"]) for f in one] == [
        ("wpc", 1), ("zero", 1), ("wpc", 2), ("zero", 2)
    ] for one in found)  # fmt: skip
    gc.collect()
    assert 0 < counted.most <= 6 and len(counted.tables) == 0

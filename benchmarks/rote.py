"""Does depth 3 with what was learned by rote see as far as depth 6 without it?

A. Samuel's argument (1959): a leaf that is stored with the score of a search of 3 plies makes 3
plies act like 6. Positions that are stored are searched at depth 3 with the store and without it,
and at depth 6 without it; by how many of the leaves were stored, and by the ply.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import float32

from benchmarks.common import record
from samuel.games import Position, game_named
from samuel.games.evaluator import Evaluator
from samuel.kernels.jit import EntryPoint, jit
from samuel.kernels.pointers import at
from samuel.learning.samuel.rote import learn_by_rote
from samuel.models import load_evaluator
from samuel.models.rote.front import in_front_counting
from samuel.models.rote.store import Store
from samuel.search import search
from samuel.selfplay.generate import SelfplayPlan

GAMES, MERGES, OF_EACH = 2_000, 20, 300
PLIES, SHARES = (0, 5, 8, 12, 20, 40, 80, 400), (0.0, 0.05, 0.1, 0.25, 0.5, 1.01)


def counting(evaluator: Evaluator) -> Evaluator:
    """Return an evaluator that counts in the last of its floats how often it is asked."""
    own, place = evaluator.evaluate, len(evaluator.floats)
    takes_pointers = isinstance(own, EntryPoint)

    @jit
    def evaluate(position: Any, integers: Any, floats: Any) -> float:
        floats[place] += float32(1)
        if takes_pointers:
            return own(at(position, 0), at(integers, 0), at(floats, 0))
        return own(position, integers, floats)

    floats = np.append(evaluator.floats, np.float32(0))
    return Evaluator(
        evaluator.name, evaluator.game, evaluate, integers=evaluator.integers, floats=floats
    )


def learned(games: int = GAMES) -> Store:
    """Return what games of checkers from the start, at depth 3, leave in a store."""
    game, evaluator = game_named("checkers"), load_evaluator("classic", "checkers")
    plan = SelfplayPlan(
        "checkers", "classic", depth=3, seed=1, opening_plies=0, epsilon=0.15
    ).checked()
    store = Store(game, 1_000_000, 100)
    for _ in range(MERGES):
        store = learn_by_rote(store, evaluator, plan, games // MERGES)
    return store


def measured(store: Store) -> list[dict[str, Any]]:
    """Return what was found of positions of a store, as many of each range of plies."""
    base = load_evaluator("classic", store.game)
    evaluator, uses = in_front_counting(counting(base), store)
    asked = len(base.floats)
    random, found = np.random.default_rng(0), []
    bands = np.digitize(store.entries.plies, PLIES)
    chosen = np.concatenate(
        [random.permutation(np.flatnonzero(bands == one))[:OF_EACH] for one in np.unique(bands)]
    )
    for k in chosen:
        position = Position(store.game, tuple(store.entries.positions[k].tolist()))
        if position.is_terminal or len(position.legal_moves()) < 2:
            continue
        evaluator.shared[asked], uses[:] = 0, 0  # type: ignore[attr-defined]
        by_rote = search(position, evaluator, depth=3, table_bits=8)
        hits, misses = float(uses.sum()), float(evaluator.shared[asked])  # type: ignore[attr-defined]
        alone, deep = (search(position, base, depth=d, table_bits=12) for d in (3, 6))
        found.append(
            {
                "ply": int(store.entries.plies[k]),
                "share": hits / max(1.0, hits + misses),
                "nodes": (by_rote.nodes, alone.nodes, deep.nodes),
                "moves": (by_rote.move == deep.move, alone.move == deep.move),
                "errors": (abs(by_rote.score - deep.score), abs(alone.score - deep.score)),
            }
        )
    return found


def row_of(label: str, of: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a row of a table."""
    nodes, moves, errors = (np.mean([one[key] for one in of], axis=0) for key in _FIGURES)
    return {
        "": label,
        "positions": len(of),
        "leaves stored %": 100 * float(np.mean([one["share"] for one in of])),
        "nodes 3+": float(nodes[0]),
        "3": float(nodes[1]),
        "6": float(nodes[2]),
        "move as 6, 3+ %": 100 * float(moves[0]),
        "3 %": 100 * float(moves[1]),
        "error 3+": float(errors[0]),
        "3 alone": float(errors[1]),
    }


_FIGURES = ("nodes", "moves", "errors")


def tables(store: Store) -> list[dict[str, Any]]:
    """Return the rows by ply and by share."""
    found = measured(store)
    rows = [row_of("all", found)]
    readings: list[tuple[str, tuple[float, ...], Callable[[float], str]]] = [
        ("ply", PLIES, lambda x: f"{x:g}"),
        ("share", SHARES, lambda x: f"{min(1.0, x):.0%}"),
    ]
    for key, edges, text in readings:
        for low, high in itertools.pairwise(edges):
            of = [one for one in found if low <= one[key] < high]
            if of:
                rows.append(row_of(f"{key} {text(low)} to {text(high)}", of))
    return rows


def main() -> None:
    """Learn, and measure."""
    store = learned()
    note = f"{GAMES:,} games, {len(store):,} positions; checkers, classic"
    record("rote", tables(store), note)


if __name__ == "__main__":
    main()

"""Savings of each method of the search: nodes at depths 4 to 10, and the exponent of b.

Plain alpha-beta searches moves in the order of the rules; then the methods are added one at a
time, each to all before it. With b children a node, minimax visits about b^d positions; the
literature's figures for alpha-beta are b^(3d/4) for moves in random order and b^(d/2) for the best
first. The exponent is the slope of the logarithm of the mean nodes over depth, in units of the
logarithm of b, which is the growth of perft on the same positions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from benchmarks.common import midgame_positions, record
from samuel.games import Position
from samuel.games.perft import perft
from samuel.models import load_evaluator
from samuel.search import SearchOptions, new_memory, search

DEPTHS = range(4, 11)
PATIENCE = 2_000_000
"""A row ends after the depth at which it takes so many nodes on average: the next would take ten
times as many."""
METHODS = (
    "table",
    "killers",
    "history",
    "deepening",
    "pvs",
    "enhanced_cutoffs",
    "game_order",
    "evaluation_order",
    "aspiration",
    "internal_deepening",
    "correction",
)


def nodes_of(positions: list[Position], depth: int, options: SearchOptions) -> float:
    """Return the mean nodes of searches of the positions, each with new tables."""
    evaluator = load_evaluator("classic", positions[0].game)

    def nodes(position: Position) -> int:
        memory = new_memory(position.game, 20, 2, options)
        return search(position, evaluator, depth=depth, exact_from=0, memory=memory).nodes

    work = Parallel(n_jobs=-1, prefer="threads")
    return float(np.mean(work(delayed(nodes)(position) for position in positions)))


def row_of(
    name: str, positions: list[Position], options: SearchOptions, branching: float
) -> dict[str, Any]:
    """Return the mean nodes by depth, and the e with which they grow as branching^(e * depth)."""
    means: list[float] = []
    for depth in DEPTHS:
        means.append(nodes_of(positions, depth, options))
        if means[-1] > PATIENCE:
            break
    depths = list(DEPTHS)[: len(means)]
    slope = np.polyfit(depths, np.log(means), 1)[0]
    counts = {f"d{depth}": "" for depth in DEPTHS}
    counts |= {f"d{depth}": f"{mean:,.0f}" for depth, mean in zip(depths, means, strict=True)}
    return {"methods": name, **counts, "exponent": float(slope / np.log(branching))}


def main() -> None:
    """Add the methods one at a time over 50 midgame positions with `classic`."""
    positions = midgame_positions(50)
    leaves = [np.mean([perft(position, depth) for position in positions]) for depth in (2, 6)]
    branching = float((leaves[1] / leaves[0]) ** (1 / 4))
    options, rows = SearchOptions.none(), []
    for method in ("plain", *METHODS):
        if method != "plain":
            options = replace(options, **{method: True})
        name = "plain alpha-beta" if method == "plain" else f"+ {method.replace('_', ' ')}"
        rows.append(row_of(name, positions, options, branching))
        print(" ".join(str(cell) for cell in rows[-1].values()), flush=True)
    rows.append(row_of("as usual", positions, SearchOptions(), branching))
    record(
        "methods",
        rows,
        f"mean nodes, 50 midgame positions, classic, b = {branching:.2f}; for comparison: minimax "
        "1, alpha-beta 0.75 in random order, 0.5 with the best move first; correction changes "
        "scores",
    )


if __name__ == "__main__":
    main()

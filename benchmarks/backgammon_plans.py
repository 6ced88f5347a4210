"""Equity that plays lose, by plan: python benchmarks/backgammon_plans.py DATA MODEL...

`pip install bgsage gnubg-nn` brings the judge (bgsage's 2-ply, without the cube) and the opponent
(GNU Backgammon's 0-ply). Each evaluator chooses a play of the same positions and dice at depth 1.
Losses are in thousandths of a point per play; plays without a choice count, with a loss of 0.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import bgsage
import gnubg_nn
import numpy as np
from numpy.typing import NDArray

import samuel
from samuel.games import Position, game_named
from samuel.games.backgammon.checkers import BAR, POINTS
from samuel.games.backgammon.identifiers import checkers_of
from samuel.models import evaluate, load_evaluator

GAME, ROWS, SEED = game_named("backgammon"), 4_000, 1
GNU, CLOSE, FEW = "gnu", 0.1, 6
"""The judge looks deeper at the FEW best plays that lose less than CLOSE at 1-ply, and at others
that lose less than half of CLOSE."""

Floats = NDArray[np.float64]


def sides(words: Any) -> tuple[list[int], list[int]]:
    """Return the checkers of the side to move and of the other, by place."""
    return checkers_of(words[0], words[1]), checkers_of(words[2], words[3])


def board(mine: list[int], theirs: list[int]) -> list[int]:
    """Return the board of the judge, seen by the first side."""
    points = [mine[point] - theirs[BAR - point] for point in range(1, POINTS + 1)]
    return [theirs[BAR], *points, mine[BAR]]


def equities_of(children: list[Any], level: str) -> list[float]:
    """Return the equities of positions for the side that has moved, by the judge."""
    given = [
        {"board": board(*reversed(sides(child))), "cube_owner": "centered"} for child in children
    ]
    found = bgsage.batch_post_move_evaluate(given, eval_level=level, n_threads=1)
    return [one.cubeless_equity for one in found]


def by_gnu(child: Any) -> float:
    """Return the equity of a position for the side that has moved, by GNU Backgammon's 0-ply."""
    mine, theirs = sides(child)
    win, gammon, three, lost, lost_three = gnubg_nn.probabilities([theirs[1:], mine[1:]], 0)
    return float(1 - 2 * win - gammon - three + lost + lost_three)


def main() -> None:
    """Print the losses of GNU Backgammon's 0-ply and of evaluators."""
    data, *names = sys.argv[1:]
    rows = samuel.Dataset.open(data).positions
    rows = rows[np.random.default_rng(SEED).permutation(len(rows))[:ROWS]]
    parents = [Position(GAME, tuple(map(int, row))) for row in rows]
    plays = []
    for parent in parents:
        after = (parent.play(move) for move in parent.legal_moves())
        plays.append(list({child.words: child for child in after}.values()))
    ends = np.cumsum([len(some) for some in plays])
    children = [child for some in plays for child in some]
    words = np.array([child.words for child in children], np.uint64)
    over = np.array([child.is_terminal for child in children])
    final = np.array([-child.utility() if child.is_terminal else 0.0 for child in children])
    equity = final.copy()
    equity[~over] = equities_of(list(words[~over]), "1ply")
    deeper = []
    for some in np.split(np.arange(len(words)), ends[:-1]):
        order = some[np.argsort(-equity[some])]
        behind = equity[order[0]] - equity[order]
        near = behind < np.where(np.arange(len(order)) < FEW, CLOSE, CLOSE / 2)
        deeper += [k for k in order[near] if not over[k] and len(some) > 1]
    equity[deeper] = equities_of(list(words[deeper]), "2ply")
    plans = np.array([bgsage.classify_game_plan(board(*sides(row))) for row in rows])
    kinds = {"all": plans != "", "contact": plans != "purerace"}
    kinds |= {plan: plans == plan for plan in np.unique(plans)}
    print(f"{'':24}", *(f"{kind:>12}" for kind in kinds))
    for name in (GNU, *names):
        if name == GNU:
            values = np.array([by_gnu(child) for child in words])
        else:
            evaluator = load_evaluator(Path(name) if Path(name).exists() else name, GAME)
            values = -np.asarray(evaluate(evaluator, GAME, words), np.float64)
        values[over] = final[over]
        parts = zip(np.split(equity, ends[:-1]), np.split(values, ends[:-1]), strict=True)
        lost: Floats = np.array([1000 * (best.max() - best[own.argmax()]) for best, own in parts])
        cells = [(lost[k].mean(), lost[k].std() / k.sum() ** 0.5) for k in kinds.values()]
        print(f"{name[-24:]:24}", *(f"{mean:6.1f} ± {error:3.1f}" for mean, error in cells))


if __name__ == "__main__":
    main()

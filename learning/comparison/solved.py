"""Share of moves that keep the solved value: a figure of evaluators near the end of games."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samuel.games.evaluator import Evaluator, zero_evaluator
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.learning.comparison.intervals import Interval, Resampling, interval
from samuel.learning.fitting.split import Split
from samuel.models.evaluate import evaluate
from samuel.search import Limits, analyse, new_memory
from samuel.search.score import MAX_PLY

_PER_PLY = 100
"""Most held-out positions that are solved for each number of plies left."""
_NODES = 2_000_000
"""Limit of nodes to solve a position and its moves within."""


@dataclass(frozen=True, eq=False)
class SolvedMoves:
    """The m legal moves of p solved positions, and which of them keep the value of the position.

    Positions in which all moves keep the value are left out.
    """

    game: Game
    most_left: int  # plies (Othello: empty squares) left from which positions were solved
    rows: NDArray[np.int64]  # (p,) of the held-out rows
    first: NDArray[np.int64]  # (p,) the first move of each position
    children: NDArray[np.uint64]  # (m, K)
    signs: NDArray[np.float32]  # (m,) 1 where the side that moved moves again, else -1
    keeps: NDArray[np.int64]  # (m,) 1 where a move keeps the value, else 0

    def shares(self, evaluator: Evaluator) -> NDArray[np.float64]:
        """Return the probability (p,) that a search of one ply keeps the value; ties are drawn."""
        scores = self.signs * evaluate(evaluator, self.game, self.children)
        moves = np.diff(self.first, append=len(scores))
        best = scores == np.repeat(np.maximum.reduceat(scores, self.first), moves)
        kept, tied = (np.add.reduceat(x, self.first) for x in (best * self.keeps, best * 1))
        return np.asarray(kept / tied)

    def share(self, evaluator: Evaluator, resampling: Resampling) -> tuple[float, Interval | None]:
        """Return the share of moves that keep the value, and its interval."""
        shares = self.shares(evaluator)
        columns = np.column_stack([shares, np.ones(len(shares))])
        kept, positions = resampling.drawn(resampling.by_game(columns, self.rows)).T
        with np.errstate(invalid="ignore"):
            return float(shares.mean()), interval(kept / positions)


def solved_moves(split: Split) -> SolvedMoves | None:
    """Return the moves of held-out positions that can be solved; None where there are none.

    For each number of plies left, from 1 on, at most 100 positions are drawn, until one of them
    takes too many nodes. Games with dice, or without
    a bound on their length, are not solved. The value of a position is its result by perfect
    play in the game's unit: a later win keeps the value of a sooner one.
    """
    game = split.game
    if game.plies_left is None or game.chance is not None:
        return None
    most, rows, first = 0, list[int](), list[int]()
    children, signs, keeps = list[tuple[int, ...]](), list[int](), list[bool]()
    for row, position, scores in _solved(split):
        most = int(split.held_out_left[row])
        values = np.array(
            [np.sign(x) if game.scores.sooner_is_better else x for x in scores.values()]
        )
        if values.min() == values.max():
            continue
        rows.append(row)
        first.append(len(keeps))
        keeps += (values == values.max()).tolist()
        after = [position.play(move) for move in scores]
        children += [child.words for child in after]
        signs += [1 if child.side == position.side else -1 for child in after]
    if not rows:
        return None
    return SolvedMoves(
        *(game, most, np.array(rows), np.array(first), np.array(children, np.uint64)),
        *(np.array(signs, np.float32), np.array(keeps, np.int64)),
    )


def _solved(split: Split) -> Iterator[tuple[int, Position, dict[str, float]]]:
    """Yield held-out rows as positions, with the exact score of every move."""
    game, zero, memory = split.game, zero_evaluator(split.game), new_memory(split.game)
    rng = np.random.default_rng((split.seed, 5))
    for left in range(1, min(game.most_left + 1, MAX_PLY)):
        limits = Limits(depth=1, nodes=_NODES, exact_from=left)
        solved = []
        for row in rng.permutation(np.flatnonzero(split.held_out_left == left))[:_PER_PLY]:
            position = Position(game, tuple(split.held_out_positions[row].tolist()))
            found = analyse(position, zero, limits=limits, all_moves=True, memory=memory)
            if not (found.exact and found.moves and found.moves_depth == found.depth):
                return
            solved.append((int(row), position, found.moves))
        yield from solved

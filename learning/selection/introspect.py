"""Size of a fitted model, and its speed as an evaluator."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.games import Position
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.models.compiled.forms import learned_numbers
from samuel.models.compiled.model import CompiledModel
from samuel.models.convert import compiled_model
from samuel.models.evaluate import evaluate
from samuel.search import analyse, new_memory

_SECONDS, _REPEATS, _PROBES = 0.03, 5, 64
_SEARCH_DEPTH, _SEARCH_SECONDS = 8, 1.0


def parameter_count(estimator: Any) -> int | None:
    """Return how many numbers were learned: weights, or nodes of trees; None where unknown."""
    is_form = hasattr(estimator, "described")  # as of a saved model
    model: CompiledModel | None = estimator if is_form else compiled_model(estimator, 1.0)
    return None if model is None else learned_numbers(model)


def evaluation_time(evaluator: Evaluator, game: Game, positions: NDArray[np.uint64]) -> float:
    """Return the nanoseconds that one evaluation takes inside a compiled loop, on one core."""
    few = positions[:_PROBES]
    evaluate(evaluator, game, few)
    started = time.perf_counter()
    evaluate(evaluator, game, few)
    each = (time.perf_counter() - started) / len(few)
    sample = positions[: max(_PROBES, int(_SECONDS / max(each, 1e-9)))]
    best = float("inf")
    for _ in range(_REPEATS):
        started = time.perf_counter()
        evaluate(evaluator, game, sample)
        best = min(best, time.perf_counter() - started)
    return best / len(sample) * 1e9


def search_speed(evaluator: Evaluator, game: Game, positions: NDArray[np.uint64]) -> float:
    """Return the nodes a second of a search on one core, the median over `positions` (n, K)."""
    memory = new_memory(game, table_bits=18)
    starts = [Position(game, tuple(int(word) for word in row)) for row in positions]
    analyse(starts[0], evaluator, depth=1, exact_from=0, memory=memory)  # sets things up
    found = [
        analyse(
            start,
            evaluator,
            depth=_SEARCH_DEPTH,
            seconds=_SEARCH_SECONDS,
            exact_from=0,
            memory=memory,
        )
        for start in starts
    ]
    return float(np.median([one.nodes / max(one.seconds, 1e-9) for one in found]))

"""An evaluator as a search of one game takes it."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import float32, int32, int64, types
from numba.extending import typeof_impl

from samuel.games.interface import EVALUATE
from samuel.kernels.jit import jit
from samuel.kernels.pointers import COUNTS, FLOATS, INTS, at

SEARCH = int64(COUNTS, int64, int64, int64, int64)
"""Of `search(frame, ply, depth, alpha, beta)`, which returns a score in points; the frame is that
of search/frame.py."""


class Scoring(NamedTuple):
    """An evaluator as a search of one game takes it.

    Attributes
    ----------
    evaluate
        the pointer `evaluate(position, integers, floats) -> units`.
    frontier
        the pointer to `frontier` of search/alphabeta/frontier.py, compiled for this game and
        evaluator.
    negamax
        the pointer to `negamax` of search/alphabeta/alphabeta.py: so what calls it need not contain
        it, and is compiled in a fraction of the time.
    integers, floats
        the evaluator's parameters: arrays in `SCORING`, pointers in `STATIC`.
    """

    evaluate: Any
    frontier: Any
    negamax: Any
    integers: Any
    floats: Any


_FUNCTIONS = [types.FunctionType(EVALUATE), types.FunctionType(SEARCH), types.FunctionType(SEARCH)]
SCORING = types.NamedTuple(
    [*_FUNCTIONS, types.Array(int32, 1, "C"), types.Array(float32, 1, "C")], Scoring
)
"""As Python passes it."""
STATIC = types.NamedTuple([*_FUNCTIONS, INTS, FLOATS], Scoring)
"""As kernels pass it on (`static_of`)."""


@typeof_impl.register(Scoring)
def _type_of_scoring(_value: Scoring, _context: Any) -> Any:
    return SCORING


@jit
def static_of(scoring: Scoring) -> Scoring:
    """Return a scoring with pointers in place of its arrays."""
    return Scoring(
        scoring.evaluate,
        scoring.frontier,
        scoring.negamax,
        at(scoring.integers, 0),
        at(scoring.floats, 0),
    )

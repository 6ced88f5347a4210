"""The algorithms of learning by name: what each uses, and its own defaults."""

from __future__ import annotations

from dataclasses import dataclass

GENERATIONS = "generations"
"""The algorithm of the loop that fits an evaluation to games."""
DESCENT = "descent"
"""The algorithm that learns from trees of best-first minimax."""
SAMUEL = "samuel"
"""Method of A. Samuel, 1959 (learning/samuel/)."""
ROTE = "rote"
"""Method that stores positions, without a fit."""
SELF, EARLIER = "self", "earlier"
"""Opponents of a learner: itself, or the generations before."""

_BY_ALL = frozenset({"game", "start", "seed", "algorithm", "games"})
_PLAYED = _BY_ALL | {"depth", "opening_plies", "opponent"}
_BY_GRADIENT = _PLAYED | {"openings", "epsilon", "model", "features", "stages", "tcl", "wins"}
_BY_GRADIENT |= {"learning_rate"}


@dataclass(frozen=True)
class OnlineAlgorithm:
    """An algorithm that learns while it plays."""

    reads: frozenset[str]  # options that it uses, beside those of the gate
    learning_rate: float = 0.5
    most_depth: int = 3  # of the default search depth, in plies


ONLINE = {
    "tdlambda": OnlineAlgorithm(_BY_GRADIENT | {"td_lambda"}, 0.1, 1),
    "tdleaf": OnlineAlgorithm(_BY_GRADIENT | {"td_lambda"}, 0.1),
    "rootstrap": OnlineAlgorithm(_BY_GRADIENT),
    "treestrap": OnlineAlgorithm(_BY_GRADIENT),
    "treestrap-minimax": OnlineAlgorithm(_BY_GRADIENT),
    DESCENT: OnlineAlgorithm(_BY_GRADIENT | {"nodes"}, 0.1),
    SAMUEL: OnlineAlgorithm(
        _PLAYED | {"model", "series", "terms", "active", "leading", "proportional"}
    ),
    ROTE: OnlineAlgorithm(
        _PLAYED | {"nodes", "exact_from", "epsilon", "temperature", "capacity", "age_limit"}
    ),
}
"""Algorithms that learn while they play."""
GRADIENT_ALGORITHMS = tuple(name for name in ONLINE if name not in (SAMUEL, ROTE))
"""Algorithms that change weights during a game (learning/online/)."""

"""Plots of results by matplotlib: `samuel.plot_...`, for notebooks and papers.

Each draws one of a result's `pictures()` on `ax`, or on the only plot of a new figure, and returns
it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from matplotlib.axes import Axes

from samuel.common.displayable import Displayable
from samuel.common.errors import UserError

Plot: TypeAlias = Callable[..., Axes]


class _Source(NamedTuple):
    """A function whose result is plotted, and an example of it."""

    function: str
    example: str


_MATCH = _Source(
    "match", 'samuel.match("classic", "zero", game="tic_tac_toe", depth=1, pairs=4, sprt="0,200")'
)
_TOURNAMENT = _Source(
    "tournament", 'samuel.tournament(["classic", "zero"], game="tic_tac_toe", depth=1, pairs=2)'
)
_LEARN = _Source(
    "learn",
    'samuel.learn("runs/learn", game="tic_tac_toe", games=40, gate_pairs=0, curve_pairs=2, '
    "generations=1)",
)
_COMPARE = _Source("compare", 'samuel.compare("data/games", ["ridge", "classic"])')
_DOCSTRING = """Plot {what}.

Parameters
----------
result
    Result of `{function}`.
ax
    Axes of matplotlib to draw on. By default new ones.

Returns
-------
Axes
    The axes that were drawn on.

Raises
------
UserError
    The result does not have this picture.

Examples
--------
>>> import samuel
>>> result = {example}
>>> axes = samuel.{name}(result)
"""


def _plot(name: str, what: str, source: _Source, title: str, condition: str = "") -> Plot:

    def plot(result: Displayable, ax: Axes | None = None) -> Axes:
        if not isinstance(result, Displayable):
            raise UserError(
                f"{name} takes the result of samuel.{source.function} (got {type(result).__name__})"
            )
        picture = next((one for one in result.pictures() if one.title == title), None)
        if picture is None:
            wanted = f"samuel.{source.function}" + f" with {condition}" * bool(condition)
            raise UserError(f"{name}: this result has no such picture; give one of {wanted}")
        axis = _new_axes() if ax is None else ax
        picture.draw(axis=axis)
        return axis

    plot.__name__ = plot.__qualname__ = name
    plot.__doc__ = _DOCSTRING.format(name=name, what=what, **source._asdict())
    return plot


plot_score = _plot(
    "plot_score",
    "the score of a match over its game pairs, with its 95 % interval",
    _MATCH,
    "The score as the pairs came in",
)
plot_llr = _plot(
    "plot_llr",
    "the log-likelihood ratio of a sequential test over its game pairs, with its bounds",
    _MATCH,
    "The sequential test",
    "sprt=(0, 10)",
)
plot_pairs = _plot(
    "plot_pairs",
    "the numbers of game pairs that gave A 0, 1/2, 1, 3/2 and 2 points",
    _MATCH,
    "Difference in strength",
)
plot_ratings = _plot(
    "plot_ratings",
    "the Elo of the players of a tournament with their 95 % intervals",
    _TOURNAMENT,
    "Ratings",
)
plot_learning_curve = _plot(
    "plot_learning_curve",
    "Elo by generation against each baseline, with 95 % intervals",
    _LEARN,
    "Strength by generation",
    "curve_pairs of 1 or more",
)
plot_calibration = _plot(
    "plot_calibration",
    "the mean result against the predicted probability of a win, one line per model",
    _COMPARE,
    "Calibration",
)
plot_stage_errors = _plot(
    "plot_stage_errors",
    "the mean absolute error by stage of the game, one line per model",
    _COMPARE,
    "Error by stage",
)


def _new_axes() -> Axes:
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(7.0, 4.4), layout="constrained")[1]

"""Plots of results by matplotlib: `samuel.plot_...`, for notebooks and papers.

Each draws on `ax`, or on the only plot of a new figure, and returns it.
"""

from __future__ import annotations

from matplotlib.axes import Axes

from samuel.arena.ratings import Ratings
from samuel.arena.results import MatchResult
from samuel.arena.standings import TournamentResult
from samuel.common.errors import UserError
from samuel.learning.comparison.comparison import Comparison
from samuel.learning.generations.run import Run
from samuel.reports.curves import calibration_figure, stage_error_figure
from samuel.reports.generations.curve import curve_figure
from samuel.reports.match.pictures import llr_figure, pair_figure, score_figure
from samuel.reports.tournament import rating_figure


def plot_score(result: MatchResult, ax: Axes | None = None) -> Axes:
    """Plot the score of a match over its game pairs, with its 95 % interval.

    Parameters
    ----------
    result
        Result of a match.
    ax
        Axes of matplotlib to draw on. By default new ones.

    Returns
    -------
    Axes
        The axes that were drawn on.

    Examples
    --------
    >>> import samuel
    >>> result = samuel.match("classic", "zero", game="tic_tac_toe", depth=1, pairs=4, sprt="0,200")
    >>> axes = samuel.plot_score(result)
    """
    ax = _given_or_new(ax)
    score_figure(result, ax)
    return ax


def plot_llr(result: MatchResult, ax: Axes | None = None) -> Axes:
    """Plot the log-likelihood ratio of a sequential test over its game pairs, with its bounds.

    Parameters
    ----------
    result
        Result of a match.
    ax
        Axes of matplotlib to draw on. By default new ones.

    Returns
    -------
    Axes
        The axes that were drawn on.

    Raises
    ------
    UserError
        The match had no sequential test.

    Examples
    --------
    >>> import samuel
    >>> result = samuel.match("classic", "zero", game="tic_tac_toe", depth=1, pairs=4, sprt="0,200")
    >>> axes = samuel.plot_llr(result)
    """
    if result.state is None:
        raise UserError("this match had no sequential test; run samuel.match(..., sprt=(0, 10))")
    ax = _given_or_new(ax)
    llr_figure(result, ax)
    return ax


def plot_pairs(result: MatchResult, ax: Axes | None = None) -> Axes:
    """Plot the numbers of game pairs that gave A 0, 1/2, 1, 3/2 and 2 points.

    Parameters
    ----------
    result
        Result of a match.
    ax
        Axes of matplotlib to draw on. By default new ones.

    Returns
    -------
    Axes
        The axes that were drawn on.

    Examples
    --------
    >>> import samuel
    >>> result = samuel.match("classic", "zero", game="tic_tac_toe", depth=1, pairs=4, sprt="0,200")
    >>> axes = samuel.plot_pairs(result)
    """
    ax = _given_or_new(ax)
    pair_figure(result, ax)
    return ax


def plot_ratings(result: TournamentResult | Ratings, ax: Axes | None = None) -> Axes:
    """Plot the Elo of the players of a tournament with their 95 % intervals.

    Parameters
    ----------
    result
        Result of a tournament, or ratings.
    ax
        Axes of matplotlib to draw on. By default new ones.

    Returns
    -------
    Axes
        The axes that were drawn on.

    Examples
    --------
    >>> import samuel
    >>> result = samuel.tournament(["classic", "zero"], game="tic_tac_toe", depth=1, pairs=2)
    >>> axes = samuel.plot_ratings(result)
    """
    ax = _given_or_new(ax)
    rating_figure(result.ratings if isinstance(result, TournamentResult) else result, ax)
    return ax


def plot_learning_curve(run: Run, ax: Axes | None = None) -> Axes:
    """Plot Elo by generation against each baseline, with 95 % intervals.

    Parameters
    ----------
    run
        Result of `learn`.
    ax
        Axes of matplotlib to draw on. By default new ones.

    Returns
    -------
    Axes
        The axes that were drawn on.

    Raises
    ------
    UserError
        The run has no matches against baselines.

    Examples
    --------
    >>> import samuel
    >>> options = samuel.LearnOptions(game="tic_tac_toe", games=40, gate_pairs=0, curve_pairs=2)
    >>> run = samuel.learn("runs/learn", options, generations=1)
    >>> axes = samuel.plot_learning_curve(run)
    """
    ax = _given_or_new(ax)
    if curve_figure(run, ax) is None:
        raise UserError(f"{run.folder} has no matches to show; start a run with --curve-pairs")
    return ax


def plot_calibration(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Plot the mean result against the predicted probability of a win, one line per model.

    Parameters
    ----------
    comparison
        Result of `compare`.
    ax
        Axes of matplotlib to draw on. By default new ones.

    Returns
    -------
    Axes
        The axes that were drawn on.

    Raises
    ------
    UserError
        The argument is no comparison.

    Examples
    --------
    >>> import samuel
    >>> comparison = samuel.compare("data/games", ["ridge", "classic"])
    >>> axes = samuel.plot_calibration(comparison)
    """
    _require_comparison("plot_calibration", comparison)
    ax = _given_or_new(ax)
    calibration_figure(comparison.models, ax)
    return ax


def plot_stage_errors(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Plot the mean absolute error by stage of the game, one line per model.

    Parameters
    ----------
    comparison
        Result of `compare`.
    ax
        Axes of matplotlib to draw on. By default new ones.

    Returns
    -------
    Axes
        The axes that were drawn on.

    Raises
    ------
    UserError
        The argument is no comparison.

    Examples
    --------
    >>> import samuel
    >>> comparison = samuel.compare("data/games", ["ridge", "classic"])
    >>> axes = samuel.plot_stage_errors(comparison)
    """
    _require_comparison("plot_stage_errors", comparison)
    ax = _given_or_new(ax)
    stage_error_figure(comparison.models, comparison.split.game.unit, ax)
    return ax


def _require_comparison(function: str, given: object) -> None:
    if not hasattr(given, "models"):
        raise UserError(
            f"{function} takes the result of samuel.compare (got {type(given).__name__}); "
            "give samuel.compare(dataset, [model])"
        )


def _given_or_new(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    _, new = pyplot.subplots(figsize=(7.0, 4.4), layout="constrained")
    return new

"""Views of results and positions in a notebook (samuel/common/displayable.py asks for them)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from samuel.reports.html import as_html, figure_html, joined, part, said
from samuel.reports.tables import NOTHING, TextTable, cell, signed

_FIRST_ROWS, _SAMPLES, _PIXELS = 50, 5, 150
"""First rows of a dataset, samples shown of them, and their width in pixels."""
_FIGURES = {"r2": "R2", "mae": "mean absolute error", "log_loss": "log loss"}


def html_of(shown: Any) -> str | None:
    """Return an object of ours as HTML, or None where nothing is known of its kind."""
    draw = _HTML.get(_kind_of(shown, _HTML))
    return None if draw is None else str(draw(shown))


def svg_of(shown: Any) -> str | None:
    """Return an object of ours as an SVG element, or None where it is no picture."""
    draw = _SVG.get(_kind_of(shown, _SVG))
    found = None if draw is None else draw(shown)
    return None if found is None else str(found)


def _kind_of(shown: Any, known: dict[str, Any]) -> str:
    names = (kind.__name__ for kind in type(shown).__mro__)
    return next((name for name in names if name in known), "")


def _position_picture(position: Any) -> Markup | None:
    from samuel.reports.scenes import position_svg

    return position_svg(position)


def _position(position: Any) -> Markup:
    drawn = _position_picture(position)
    if drawn is None:
        drawn = part("preformatted", str(position))
    if position.is_terminal:
        words = "the game is over"
    else:
        player = ("first", "second")[position.side]
        words = f"{'the throw' if position.is_chance else 'the move'} is the {player} player's"
    return drawn + said(f"{position.game.defaults.title or position.game.name}: {words}")


def _search(result: Any) -> Markup:
    kind = "exact" if result.exact else f"depth {result.depth}"
    told = f"{result.move or 'no move'}, score {signed(result.score, 2)} ({kind}); {result.nodes:,}"
    text = f"{told} nodes in {result.seconds:.2f} s; best line: {' '.join(result.pv) or NOTHING}"
    if not result.moves:
        return said(text)
    margins = result.margins or {}
    rows = [
        [move, signed(score, 2) + (f" \u00b1{margins[move]:.2f}" if move in margins else "")]
        for move, score in result.moves.items()
    ]
    return said(text) + as_html(TextTable(["move", "score"], rows))


def _match(result: Any) -> Markup:
    from samuel.reports.match.page import figure_table, verdict
    from samuel.reports.match.pictures import course, score_figure

    if not len(result.pairs):
        return said(repr(result))
    picture = score_figure(course(result), result.a)
    return said(verdict(result)) + as_html(figure_table(result)) + figure_html(picture, "score")


def _dataset(dataset: Any) -> Markup:
    from samuel.games.position import Position
    from samuel.reports.scenes import position_svg
    from samuel.selfplay.data.shard import word_columns

    rows = [["games", f"{dataset.games:,}"], ["positions", f"{len(dataset):,}"]]
    settings = dataset.manifest["settings"]
    keys = ("evaluator", "depth", "epsilon", "seed")
    rows += [[key, str(settings[key])] for key in keys if settings.get(key) is not None]
    head = as_html(TextTable([str(dataset.folder), dataset.manifest["game"]], rows))
    game, table = dataset.game, next(dataset.batches(size=_FIRST_ROWS))
    boards = []
    for _, row in table.iloc[:: max(1, len(table) // _SAMPLES)].head(_SAMPLES).iterrows():
        words = tuple(int(row[name]) for name in word_columns(game))
        caption = f"ply {row['ply']}, outcome {signed(row['outcome'], 1)} for the side to move"
        drawn = position_svg(Position(game, words, int(row["side"])), _PIXELS, caption)
        boards.append(drawn or said(caption))
    return head + part("boards", boards)


def _trained(trained: Any) -> Markup:
    columns = [trained.metrics, *([trained.baseline] if trained.baseline else [])]
    headings = [
        "on held-out games",
        trained.name,
        *([("player of the games")] if trained.baseline else []),
    ]
    rows = [
        [words, *(cell(key, figures.get(key)) for figures in columns)]
        for key, words in _FIGURES.items()
    ]
    place = "" if trained.out is None else f", saved in {trained.out}"
    about = (
        f"{trained.name}: fitted to {trained.rows:,} positions in {trained.seconds:.1f} s{place}"
    )
    return said(about) + as_html(TextTable(headings, rows)) + _weights(trained)


def _weights(trained: Any) -> Markup:
    """Return pictures of the weights of a linear model; nothing of others."""
    from samuel.games.catalog import known_game
    from samuel.learning.selection.introspect import linear_weights
    from samuel.reports.comparison.figures import board_figure, weight_figure

    weights = linear_weights(trained.estimator, trained.scale)
    if weights is None:
        return Markup("")
    game = known_game(trained.evaluator.game)
    drawn = (board_figure(weights, game), weight_figure(weights, game))
    return joined(figure_html(figure, "weights") for figure in drawn if figure is not None)


def _tournament(result: Any) -> Markup:
    from samuel.reports.tournament import cross_table, rating_figure

    picture = figure_html(rating_figure(result.ratings), "ratings")
    return as_html(cross_table(result.ratings, result.games), words=2) + picture


def _bench(result: Any) -> Markup:
    from samuel.reports.bench import leaderboard, state_of

    return as_html(leaderboard(result), words=2) + said(state_of(result))


def _ratings(ratings: Any) -> Markup:
    from samuel.reports.tournament import rating_figure, standings_table

    picture = figure_html(rating_figure(ratings), "ratings")
    return as_html(standings_table(ratings), words=2) + picture


def _run(run: Any) -> Markup:
    from samuel.reports.generations.curve import curve_figure
    from samuel.reports.generations.tables import generation_table, verdict

    curve = curve_figure(run)
    picture = Markup("") if curve is None else figure_html(curve, "Elo by generation")
    return said(verdict(run)) + picture + as_html(generation_table(run), words=2)


def _experiment(found: Any) -> Markup:
    from samuel.reports.generations.experiment import experiment_figure, experiment_table

    return figure_html(experiment_figure(found), "Elo") + as_html(experiment_table(found))


def _comparison(comparison: Any) -> Markup:
    from samuel.reports.comparison.tables import quality_table, verdict

    return said(verdict(comparison)) + as_html(quality_table(comparison), best=True)


def _selection(selection: Any) -> Markup:
    from samuel.reports.selection import selection_table, verdict

    return said(verdict(selection)) + as_html(selection_table(selection))


def _explained(explanation: Any) -> Markup:
    from samuel.reports.explained import drawing_of
    from samuel.reports.tree import tree_svg

    return tree_svg(drawing_of(explanation))


def _sampled(sampling: Any) -> Markup:
    from samuel.reports.sampled import drawing_of_samples
    from samuel.reports.tree import tree_svg

    return tree_svg(drawing_of_samples(sampling))


_HTML: dict[str, Callable[[Any], Markup]] = {
    "Position": _position,
    "Result": _search,
    "MatchResult": _match,
    "Dataset": _dataset,
    "Trained": _trained,
    "TournamentResult": _tournament,
    "BenchResult": _bench,
    "Ratings": _ratings,
    "Run": _run,
    "Experiment": _experiment,
    "Comparison": _comparison,
    "Selection": _selection,
    "Explanation": _explained,
    "Sampling": _sampled,
}
_SVG: dict[str, Callable[[Any], Markup | None]] = {
    "Position": _position_picture,
    "Explanation": _explained,
    "Sampling": _sampled,
}

"""A tournament as tables, a picture, and an HTML page that needs nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from samuel.arena.ratings import Games, Ints, Ratings
from samuel.arena.standings import TournamentResult
from samuel.common.units import between, with_interval
from samuel.reports.html import as_html, figure_html, lead, part, section, write_html
from samuel.reports.style import INK, NEGATIVE, PALETTE, POSITIVE, single_axis
from samuel.reports.tables import MINUS, NOTHING, TextTable, probability, signed

ABOUT_RATINGS = (
    "Ratings are maximum-likelihood estimates (Bradley-Terry model with an advantage of moving "
    "first; a draw is half a win). Intervals come from resampling the game pairs. A "
    "weak prior keeps ratings finite after a clean sweep. Intervals far beyond the "
    "ratings are cut off at the edge of the picture."
)
_DEEPEST_TINT = 0.45
"""Opacity of the colour behind a score of 0 or 1."""
_SHOWN_MARGIN = 1.5
"""Room beyond the ratings, in intervals as they are in the middle: a few may be endless."""


def standings_table(ratings: Ratings) -> TextTable:
    """Return the players by rating, each with how likely he is stronger than the next."""
    headings = ["", "player", "Elo", "95 % interval", "games", "score", "stronger than next"]
    order = ratings.order
    rows = []
    for place, player in enumerate(order, start=1):
        below = order[place : place + 1]
        rows.append(
            [
                str(place),
                *_player_cells(ratings, player),
                probability(ratings.los[player, below[0]]) if below else NOTHING,
            ]
        )
    return TextTable(headings, rows)


def cross_table(ratings: Ratings, games: Games) -> TextTable:
    """Return the players by rating, and what each scored against each, by their places.

    A cell has two lines: the share of the points, and wins, draws and losses.
    """
    places = [str(place + 1) for place in range(len(ratings.names))]
    headings = ["", "player", "Elo", "95 % interval", "games", "score", *places]
    results = results_between(games, len(ratings.names))
    rows = []
    for place, player in zip(places, ratings.order, strict=True):
        cells = [_result(results[player, other]) for other in ratings.order]
        rows.append([place, *_player_cells(ratings, player), *cells])
    return TextTable(headings, rows)


def los_table(ratings: Ratings) -> TextTable:
    """Return the likelihood of superiority of each player (rows) over each, by their places."""
    order = ratings.order
    headings = ["", "player", *(str(place + 1) for place in range(len(order)))]
    rows = []
    for place, player in enumerate(order, start=1):
        cells = [
            "" if other == player else probability(ratings.los[player, other]) for other in order
        ]
        rows.append([str(place), ratings.names[player], *cells])
    return TextTable(headings, rows)


def results_between(games: Games, players: int) -> Ints:
    """Return the wins, draws and losses (players, players, 3) of the rows against the columns."""
    results = np.zeros((players, players, 3), np.int64)
    lost = np.round(2 * (1 - games.score)).astype(np.int64)
    np.add.at(results, (games.first, games.second, lost), 1)
    np.add.at(results, (games.second, games.first, 2 - lost), 1)
    return results


def remarks(ratings: Ratings) -> list[str]:
    """Return what the ratings say besides, in sentences."""
    ends = ratings.colour, ratings.colour_low, ratings.colour_high
    colour = with_interval(*ends, unit=" Elo").replace("-", MINUS)
    found = [
        (
            f"Ratings are relative to {ratings.anchor}. Their 95 % intervals are those of the "
            "difference."
        ),
        f"Moving first is worth {colour}. {ratings.draw_share:.1%} of the games were drawn.",
        "Stronger than next: probability of being stronger than the player in the next row "
        "(likelihood of superiority), as the share of resamples of the game pairs with a "
        "higher rating.",
    ]
    if len(ratings.groups) > 1:
        groups = "; ".join(", ".join(group) for group in ratings.groups)
        found.append(
            f"No games connect these groups: {groups}. Ratings can be compared only within a group."
        )
    return found


def rating_figure(ratings: Ratings, axis: Axes | None = None) -> Figure:
    """Return the ratings with their intervals, the strongest on top."""
    order = ratings.order
    elo, low, high = (array[order] for array in (ratings.elo, ratings.low, ratings.high))
    figure, axis = single_axis(0.34 * len(order) + 0.9, axis)
    rows = np.arange(len(order))
    room = max(20.0, _SHOWN_MARGIN * float(np.median(high - low)))
    axis.set_xlim(max(low.min(), elo.min() - room) - 5, min(high.max(), elo.max() + room) + 5)
    axis.set_ylim(len(order) - 0.4, -0.6)
    axis.hlines(rows, low, high, color=PALETTE[0], linewidth=5, alpha=0.35)
    axis.plot(elo, rows, "o", color=PALETTE[0], markersize=6)
    axis.set_yticks(rows, [ratings.names[player] for player in order])
    axis.grid(axis="y", visible=False)
    for row, rating in enumerate(elo):
        axis.text(
            1.08, row, signed(rating), transform=axis.get_yaxis_transform(), color=INK,
            fontsize=9, va="center", ha="right",
        )  # fmt: skip
    axis.set_xlabel("Elo")
    return figure


def write_tournament_page(path: Path | str, result: TournamentResult) -> Path:
    """Write a tournament as an HTML page, whole or not at all."""
    ratings, games = result.ratings, result.games
    title = f"Tournament: {result.kind}"
    parts = [
        lead(result.about),
        section(
            "Cross table",
            cross_html(ratings, games),
            "Players sorted by rating. The numbered columns show each player's result "
            "against the player in that place: share of the points, then wins, draws "
            "and losses.",
            *remarks(ratings),
        ),
        section(
            "Ratings",
            figure_html(rating_figure(ratings), "Ratings with their intervals"),
            ABOUT_RATINGS,
        ),
        section(
            "Likelihood of superiority",
            as_html(los_table(ratings), words=2),
            "Probability that the player of the row is stronger than the player of the "
            "column (by place).",
        ),
    ]
    return write_html(path, title, parts)


def results_alone(table: TextTable) -> TextTable:
    """Return a cross table without what stands in a table of the ratings."""
    who, found = slice(0, 2), slice(6, None)
    rows = [row[who] + row[found] for row in table.rows]
    return TextTable(table.headings[who] + table.headings[found], rows)


def cross_html(ratings: Ratings, games: Games, *, alone: bool = False) -> Markup:
    """Return the cross table, or `results_alone`, in two lines a cell, tinted by the score."""
    table, results = cross_table(ratings, games), results_between(games, len(ratings.names))
    table = results_alone(table) if alone else table
    fixed = len(table.headings) - len(ratings.names)
    drawn = {
        (i, fixed + j): _result_cell(results[player, other], table.rows[i][fixed + j])
        for i, player in enumerate(ratings.order)
        for j, other in enumerate(ratings.order)
        if results[player, other].any()
    }
    return as_html(table, words=2, drawn=drawn)


def _result_cell(result: Ints, content: str) -> Markup:
    share = _share(result)
    tint = round(2 * abs(share - 0.5) * _DEEPEST_TINT * 255)
    colour = POSITIVE if share > 0.5 else NEGATIVE
    top, bottom = content.split("\n")
    return part("result_cell", top, bottom, f"{colour}{tint:02x}")


def _player_cells(ratings: Ratings, player: int) -> list[str]:
    """Return name, rating, interval, games and score."""
    ends = between(float(ratings.low[player]), float(ratings.high[player]))
    n_games = int(ratings.games[player])
    return [
        ratings.names[player],
        signed(float(ratings.elo[player])),
        ends.replace("-", MINUS),
        f"{n_games:,}",
        f"{ratings.score[player]:.1%}" if n_games else NOTHING,
    ]


def _result(result: Ints) -> str:
    """Return the share of the points, and wins, draws and losses, in two lines; "" for no games."""
    if not result.sum():
        return ""
    wins, draws, losses = result.tolist()
    return f"{_share(result):.1%}\n+{wins} ={draws} {MINUS}{losses}"


def _share(result: Ints) -> float:
    return float((result[0] + result[1] / 2) / result.sum())

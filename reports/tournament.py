"""Ratings and tournaments as tables and a picture."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from samuel.arena.ratings import Games, Ints, Ratings
from samuel.arena.standings import TournamentResult
from samuel.common.displayable import (
    NOTHING,
    Picture,
    Table,
    duration,
    probability,
    share,
    with_interval,
)
from samuel.reports.style import INK, PALETTE, single_axis
from samuel.reports.views import View

_RATINGS = "Ratings"
_ABOUT_RATINGS = (
    "Ratings are maximum-likelihood estimates (Bradley-Terry model with an advantage of moving "
    "first; a draw is half a win). Intervals come from resampling the game pairs. A "
    "weak prior keeps ratings finite after a clean sweep. Intervals far beyond the "
    "ratings are cut off at the edge of the picture."
)
_SHOWN_MARGIN = 1.5
"""Room beyond the ratings, in intervals as they are in the middle: a few may be endless."""


def standings_table(ratings: Ratings, seconds: Mapping[str, float] | None = None) -> Table:
    """Return the players by rating, each with how likely he is stronger than the next."""
    rows = []
    for place, player in enumerate(ratings.order, start=1):
        name, games = ratings.names[player], int(ratings.games[player])
        elo, low, high = (float(of[player]) for of in (ratings.elo, ratings.low, ratings.high))
        below = ratings.order[place : place + 1]
        rows.append(
            [
                str(place),
                name,
                with_interval(elo, low, high, level=""),
                f"{games:,}",
                share(ratings.score[player]) if games else NOTHING,
                probability(ratings.los[player, below[0]]) if below else NOTHING,
            ]
        )
        if seconds is not None:
            rows[-1].append(duration(seconds[name]) if name in seconds else NOTHING)
    columns = ["", "player", "Elo", "games", "score", "stronger than next"]
    columns += ["time per move"] * (seconds is not None)
    return Table(_RATINGS, columns, rows, remarks(ratings))


def cross_table(ratings: Ratings, games: Games) -> Table:
    """Return what each player (rows, by rating) scored against each, by their places."""
    results, rows = results_between(games, len(ratings.names)), []
    tints: dict[tuple[int, int], float] = {}
    for i, player in enumerate(ratings.order):
        row = [str(i + 1), ratings.names[player]]
        for j, other in enumerate(ratings.order):
            wins, draws, losses = results[player, other].tolist()
            n = wins + draws + losses
            points = (wins + draws / 2) / max(n, 1)
            row.append(f"{share(points)}\n+{wins} ={draws} -{losses}" if n else "")
            tints |= {(i, 2 + j): 2 * points - 1} if n else {}
        rows.append(row)
    note = (
        "The numbered columns show each player's result against the player in that place: share "
        "of the points, then wins, draws and losses."
    )
    return Table("Cross table", ["", "player", *_places(ratings)], rows, [note], tints=tints)


def los_table(ratings: Ratings) -> Table:
    """Return the likelihood of superiority of each player (rows) over each, by their places."""
    order, rows = ratings.order, []
    for place, player in enumerate(order, start=1):
        cells = [
            "" if other == player else probability(ratings.los[player, other]) for other in order
        ]
        rows.append([str(place), ratings.names[player], *cells])
    note = "Probability that the player of the row is stronger than that of the column (by place)."
    columns = ["", "player", *_places(ratings)]
    return Table("Likelihood of superiority", columns, rows, [note], detail=True)


def _places(ratings: Ratings) -> list[str]:
    return [str(place + 1) for place in range(len(ratings.names))]


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
    colour = with_interval(*ends, unit=" Elo")
    found = [
        (
            f"Ratings are relative to {ratings.anchor}. Their 95 % intervals are those of the "
            "difference."
        ),
        f"Moving first is worth {colour}. {share(ratings.draw_share)} of the games were drawn.",
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
            1.08, row, f"{rating:+z.0f}", transform=axis.get_yaxis_transform(), color=INK,
            fontsize=9, va="center", ha="right",
        )  # fmt: skip
    axis.set_xlabel("Elo")
    return figure


def ratings_view(ratings: Ratings) -> View:
    """Return ratings as a table and a picture."""
    return View("Ratings", (), [standings_table(ratings), rating_picture(ratings)])


def tournament_view(result: TournamentResult) -> View:
    """Return a tournament: the ratings, and who scored what against whom."""
    ratings = result.ratings
    parts: list[Table | Picture] = [
        standings_table(ratings),
        rating_picture(ratings),
        cross_table(ratings, result.games),
        los_table(ratings),
    ]
    return View(f"Tournament: {result.kind}", [result.about], parts)


def rating_picture(ratings: Ratings) -> Picture:
    """Return the ratings with their intervals as a picture."""
    return Picture(_RATINGS, functools.partial(rating_figure, ratings), [_ABOUT_RATINGS])

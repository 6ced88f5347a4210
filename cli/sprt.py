"""`samuel sprt`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import emit, print_table
from samuel.cli.options import subcommand
from samuel.common.displayable import Table
from samuel.common.options import Argument, Range
from samuel.common.units import share

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.arena.sequential.forecast import Forecast
    from samuel.arena.sequential.sprt import Sprt

_MOST_DRAWS = 0.99
"""Beyond it one pair that is not drawn decides much of the usual test."""
_NEAR = 0.2
"""Largest difference of the expected error rates from those of the test, as a share of them."""


@subcommand(doing="calculating")
def run(
    *,
    folder: Annotated[str | None, Argument()] = None,
    pentanomial: str | None = None,
    wdl: str | None = None,
    elo0: float | None = None,
    elo1: float | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    model: str | None = None,
    draw_ratio: Annotated[float | None, Range(0.0, _MOST_DRAWS)] = None,
    json: bool = False,
) -> None:
    """Evaluate a sequential test (SPRT) of strength, and estimate the first player's Elo.

    Without results, print the expected length of a test.

    Example: samuel sprt runs/new-old

    Example: samuel sprt --pentanomial 365,16618,36229,16974,390 --elo0 0 --elo1 2

    Parameters
    ----------
    folder
        Folder of a match (its --out), in place of counts. The test that it was played with is used.
    pentanomial
        Numbers of game pairs in which the first player has 0, 1/2, 1, 3/2 and 2 points, joined by
        commas.
    wdl
        Numbers of wins, draws and losses of games that were not played in pairs, joined by commas.
    elo0
        Elo of the first player under H0. Default: 0.
    elo1
        Elo of the first player under H1. Default: 5.
    alpha
        Probability to accept H1 if H0 is true. Default: 0.05.
    beta
        Probability to accept H0 if H1 is true. Default: 0.05.
    model
        Elo scale of the test: normalized (as fishtest; the default) or logistic.
    draw_ratio
        Share of drawn games, to estimate the length of a test. Default: 0.02.
    """
    from samuel.common.errors import UserError

    results = [one for one in (folder, pentanomial, wdl) if one is not None]
    if len(results) > 1:
        raise UserError("give only one of these: the folder of a match, --pentanomial or --wdl")
    if results and draw_ratio is not None:
        raise UserError("--draw-ratio is for planning a test, without results; leave it out")
    counts: list[int] = []
    if pentanomial is not None:
        counts = _counts_in(pentanomial, 5, "--pentanomial", "1,20,40,25,2")
    elif wdl is not None:
        counts = _counts_in(wdl, 3, "--wdl", "40,5,30")[::-1]
    # what is imported from here on takes a second
    from samuel.arena.sequential.sprt import Sprt
    from samuel.arena.standings import read_match

    match = None if folder is None else read_match(folder)
    asked = {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta, "model": model}
    given: dict[str, Any] = {name: x for name, x in asked.items() if x is not None}
    test = replace((match and match.sprt) or Sprt(0.0, 5.0), **given)
    if not results:
        _show_forecast(test, draw_ratio, json)
        return
    if match is not None:
        counts = list(match.statistics.pentanomial or ())
    _show_results(test, counts, json, ("the first player", "") if match is None else match.names)


def _counts_in(text: str, n: int, option: str, example: str) -> list[int]:
    from samuel.common.errors import UserError

    try:
        counts = [int(part) for part in text.split(",")]
    except ValueError:
        counts = []
    if len(counts) != n or min(counts) < 0:
        raise UserError(f"{option} takes {n} integers of 0 or more, like {example}, not {text!r}")
    return counts


def _show_results(test: Sprt, counts: list[int], as_json: bool, players: Sequence[str]) -> None:
    from samuel.arena.statistics import statistics_of
    from samuel.common.errors import UserError

    if not any(counts):
        raise UserError("there are no games, so there is nothing to estimate")
    state, statistics = test.state(counts), statistics_of(counts)
    content = {**asdict(test), **asdict(state), **asdict(statistics)}

    def tell(console: Console) -> None:
        from samuel.reports.match.tables import sprt_table, strength_table

        print_table(sprt_table(test, state, players), console)
        print_table(strength_table(statistics, players[0], 1), console)

    emit(content, as_json, tell)


def _show_forecast(test: Sprt, draw_ratio: float | None, as_json: bool) -> None:
    from samuel.arena.sequential.forecast import DRAW_RATIO, forecast, pair_probabilities

    ratio = DRAW_RATIO if draw_ratio is None else draw_ratio
    pairs = pair_probabilities(draw_ratio=ratio)
    truths = (test.elo0, (test.elo0 + test.elo1) / 2, test.elo1)
    expected = [forecast(test, elo, pairs) for elo in truths]
    content = {
        **asdict(test),
        "lower": test.lower,
        "upper": test.upper,
        "draw_ratio": ratio,
        "expected": [asdict(one) for one in expected],
    }
    table = _table_of_forecasts(test, expected, ratio)
    emit(content, as_json, functools.partial(print_table, table))


def _table_of_forecasts(test: Sprt, expected: list[Forecast], draw_ratio: float) -> Table:
    caption = f"Assumed: {100 * draw_ratio:g} % draws; the two games of a pair are independent"
    first, last = expected[0].pass_probability, expected[-1].pass_probability
    if max(abs(first / test.alpha - 1), abs((1 - last) / test.beta - 1)) > _NEAR:
        caption += (
            f". The table is only approximate, because few pairs decide the test: the real chances "
            f"of accepting H1 are about {share(test.alpha)} and {share(1 - test.beta)}"
        )
    columns = [f"true difference ({test.unit})", "P(H1 accepted)", "mean pairs", "mean games"]
    rows = [
        [f"{one.elo:g}", share(one.pass_probability), f"{one.pairs:,.0f}", f"{one.games:,.0f}"]
        for one in expected
    ]
    return Table(f"Expected length: {test}", columns, rows, [f"{caption}."])

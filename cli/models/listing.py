"""`samuel models list`."""

from __future__ import annotations

import functools

from samuel.cli.common import emit, game_and_evaluators, show
from samuel.cli.options import Given, MisuseError, subcommand


@subcommand("samuel.reports.models:describe_models", doing="looking for models", without=("game",))
def run(
    given: Given, *, report: str | None = None, game: str | None = None, json: bool = False
) -> None:
    """Run `samuel models list`.

    For a learned evaluator that comes with samuel, the card is shown: settings, seeds, games, time
    and strength. For the folder of a model, the dataset and the errors of the fit are shown.

    Example: samuel models list --game connect_four

    Example: samuel models learned

    Example: samuel models runs/ridge

    Example: samuel models runs/tuned --report weights.html

    Example: samuel models --features

    Parameters
    ----------
    report
        HTML page with the weights of a linear model to write, tables of squares as boards.
    """
    from samuel.reports import write_weights
    from samuel.reports.models import describe_models

    name = given.get("name")
    rules, _ = game_and_evaluators(game, name)
    if report is not None and name is None:
        raise MisuseError("--report needs the name of an evaluator or the folder of a model")
    found = describe_models(game=rules, **given)
    if report is not None:
        write_weights(report, str(name), rules)
    emit(found.as_dict(), json, functools.partial(show, found))

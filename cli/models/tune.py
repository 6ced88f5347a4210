"""`samuel models tune`: terms of other programs, from tables of their coefficients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samuel.cli.common import busy, emit
from samuel.cli.options import Given, subcommand

if TYPE_CHECKING:
    pass

_SHOWN = 60
"""Terms in the table of a terminal."""


@subcommand("samuel.learning.coefficients:tune_coefficients", doing="tuning")
def run(given: Given, *, json: bool = False) -> None:
    """Run `samuel models tune`.

    Example: samuel models tune coefficients.csv --start values.csv --phase phase --out tuned.h
    """
    from samuel.learning.coefficients import tune_coefficients

    with busy("tuning"):
        tuned = tune_coefficients(**given)
    content = {
        "terms": tuned.table().to_dict("records"),
        "scale": tuned.scale,
        "loss": {"before": tuned.first_loss, "after": tuned.loss},
        "rows": tuned.rows,
        "held_out": tuned.held_out,
        "group": tuned.group,
        "out": given.get("out"),
    }
    emit(content, json)

"""`samuel models tune`: terms of other programs, from tables of their coefficients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samuel.cli.common import busy, emit, print_table
from samuel.cli.options import Given, subcommand
from samuel.common.displayable import Table
from samuel.common.units import with_error

if TYPE_CHECKING:
    from samuel.learning.coefficients import TunedTerms

_SHOWN = 60
"""Terms in the table of a terminal."""


@subcommand("samuel.learning.coefficients:tune_coefficients", doing="tuning")
def run(given: Given, *, json: bool = False) -> None:
    """Run `samuel models tune`.

    Example: samuel models tune coefficients.csv --from values.csv --phase phase --out tuned.h
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
    emit(content, json, lambda console: print_table(_table(tuned, given.get("out")), console))


def _table(tuned: TunedTerms, out: object) -> Table:
    from samuel.models.weights import HALF_WIDTH, INTERVALS, OF_PENALTY, penalty_note

    rows = []
    for k, term in enumerate(tuned.terms[:_SHOWN]):
        row = [term]
        for n in range(len(tuned.stages)):
            after = with_error(tuned.values[k, n], HALF_WIDTH * tuned.errors[k, n])
            mark = f" {OF_PENALTY}" if tuned.of_penalty[k, n] else ""
            row += [f"{tuned.start[k, n]:.1f}", after + mark]
        rows.append(row)
    more = len(tuned.terms) - _SHOWN
    where = f" of whole groups (column {tuned.group})" if tuned.group else ""
    which = f"{tuned.held_out:,} held-out rows{where}" if tuned.held_out else "the same rows"
    notes = (
        f"{more:,} more terms; --json or --out has all" if more > 0 else "",
        f"loss on {which}: {tuned.first_loss:.5f} before, {tuned.loss:.5f} after; "
        f"{tuned.scale:.1f} units per logit",
        INTERVALS,
        penalty_note(tuned.of_penalty, tuned.errors),
        f"saved in {out}" if out else "",
    )
    return Table(
        f"{len(tuned.terms):,} terms, fitted to {tuned.rows:,} rows",
        ("term", *(f"{stage} {when}" for stage in tuned.stages for when in ("before", "after"))),
        rows,
        [note for note in notes if note],
    )

"""`samuel models tune`: terms of other programs, from tables of their coefficients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samuel.cli.common import busy, emit
from samuel.cli.options import Given, subcommand

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.coefficients import TunedTerms

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
    emit(content, json, lambda console: _show(tuned, given.get("out"), console))


def _show(tuned: TunedTerms, out: object, console: Console) -> None:
    from rich.table import Table

    from samuel.models.weights import OF_PENALTY, penalty_note

    table = Table(title=f"{len(tuned.terms):,} terms, fitted to {tuned.rows:,} rows")
    table.add_column("term", overflow="fold")
    for stage in tuned.stages:
        table.add_column(f"{stage} before", justify="right")
        table.add_column(f"{stage} after", justify="right")
    for k, term in enumerate(tuned.terms[:_SHOWN]):
        cells = []
        for n in range(len(tuned.stages)):
            mark = f" {OF_PENALTY}" if tuned.of_penalty[k, n] else ""
            after = f"{tuned.values[k, n]:.1f} ± {1.96 * tuned.errors[k, n]:.1f}{mark}"
            cells += [f"{tuned.start[k, n]:.1f}", after]
        table.add_row(term, *cells)
    console.print(table)
    if len(tuned.terms) > _SHOWN:
        console.print(f"{len(tuned.terms) - _SHOWN:,} more terms; --json or --out has all")
    where = f" of whole groups (column {tuned.group})" if tuned.group else ""
    which = f"{tuned.held_out:,} held-out rows{where}" if tuned.held_out else "the same rows"
    console.print(
        f"loss on {which}: {tuned.first_loss:.5f} before, {tuned.loss:.5f} after; "
        f"{tuned.scale:.1f} units per logit; 95 % intervals"
    )
    if note := penalty_note(tuned.of_penalty, tuned.errors):
        console.print(note)
    if out:
        console.print(f"saved in {out}")

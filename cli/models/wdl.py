"""`samuel models wdl`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samuel.cli.common import busy, emit, show
from samuel.cli.options import Given, subcommand

if TYPE_CHECKING:
    from rich.console import Console


@subcommand("samuel.learning.wdl:fit_wdl", doing="fitting chances")
def run(given: Given, *, report: str | None = None, json: bool = False) -> None:
    """Run `samuel models wdl`.

    Example: samuel models wdl data/gen0 --model runs/ridge --out wdl.c
    """
    from samuel.learning.wdl import fit_wdl
    from samuel.reports import write_page

    with busy("fitting chances"):
        fit = fit_wdl(**given)
        if report is not None:
            write_page(report, fit)
    places = {"model": given.get("model"), "out": given.get("out"), "report": report}

    def tell(console: Console) -> None:
        show(fit, console)
        for place in filter(None, places.values()):
            console.print(f"saved in {place}", highlight=False, markup=False)

    emit(fit.as_dict() | places, json, tell)

"""`samuel models`: evaluators, recipes and features, and files of models."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.app import group_app
from samuel.cli.common import (
    Jobs,
    busy,
    emit,
    game_and_evaluators,
    print_table,
    progress,
    replacing_model,
    result_command,
    show,
    write_report,
)
from samuel.cli.options import Given, MisuseError, subcommand
from samuel.common.displayable import Table, rounded, with_error
from samuel.common.options import Argument

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.coefficients import TunedTerms
    from samuel.learning.probcut import ProbCutFit


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


@subcommand("samuel.models.export:export_model", doing="exporting")
def export(
    *,
    model: Annotated[str, Argument()],
    out: str,
    format: str,
    game: str | None = None,
    json: bool = False,
) -> None:
    """Run `samuel models export`.

    Example: samuel models export runs/edax --format edax --out eval.dat

    Example: samuel models export learned --format c --out learned.h

    Example: samuel models export learned --game backgammon --format onnx --out learned.onnx

    Example: samuel models export runs/nnue --format bullet --out quantised.bin

    Example: samuel models export runs/tuned --format csv --out weights.csv
    """
    from samuel.models.export import export_model

    rules, (name,) = game_and_evaluators(game, model)
    with busy("writing"):
        size = export_model(name, rules, format, Path(out))
    content = {"model": model, "format": format, "out": out, "bytes": size}

    emit(content, json)


@subcommand("samuel.models.bullet_file:import_model", doing="importing")
def import_(given: Given, *, out: str, json: bool = False) -> None:
    """Run `samuel models import`.

    Example: samuel models import quantised.bin --out runs/net
    """
    from samuel.models.bullet_file import import_model

    with busy("reading"), replacing_model(out):
        network = import_model(out=out, **given)
    units, activation = [768, network.units, 1], network.activation
    content = {"model": out, "game": network.game, "units": units, "activation": activation}
    emit(content, json)


check = result_command(
    "models check",
    "samuel.testing.check:check",
    "checking",
    "Example: samuel models check examples/custom_game.py examples/custom_feature.py",
    "Example: samuel models check --game connect_four --evaluator classic",
    "Example: samuel models check --evaluator runs/ridge",
)


_SHOWN = 60
"""Terms in the table of a terminal."""


@subcommand("samuel.learning.coefficients:tune_coefficients", doing="tuning")
def tune(given: Given, *, json: bool = False) -> None:
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


@subcommand(
    "samuel.learning.probcut:fit_probcut",
    doing="fitting ProbCut",
    without=("evaluator", "sample_from"),
)
def probcut(
    given: Given,
    *,
    model: Annotated[str, Argument()],
    data: str | None = None,
    game: str | None = None,
    jobs: Jobs = -1,
    json: bool = False,
) -> None:
    """Run `samuel models probcut`.

    The parameters are saved in the folder of the model.

    Example: samuel models probcut runs/ridge --positions 2000 --max-depth 10

    Parameters
    ----------
    model
        Folder of a model, which gets the parameters.
    data
        Folder of a dataset to take positions from. By default games are played.
    """
    from samuel.common.errors import UserError
    from samuel.learning.probcut import POSITIONS, fit_probcut
    from samuel.models import evaluator_names, load_evaluator
    from samuel.models.saved.saving import require_writable, save_probcut
    from samuel.selfplay.data.dataset import Dataset

    rules, (name,) = game_and_evaluators(game, model)
    evaluator = load_evaluator(name, rules)
    if name in evaluator_names(rules):
        had = "" if evaluator.probcut is None else ", and has parameters of ProbCut already"
        raise UserError(
            f"{name} is an evaluator without a folder to save the parameters in{had}; give "
            "the folder of a model of yours"
        )
    require_writable(name)
    sample = None
    if data is not None:
        dataset = Dataset.open(data)
        dataset.require_game(rules)
        sample = dataset.positions
    with progress("searching", given.get("positions", POSITIONS)) as advance:
        fit = fit_probcut(evaluator, rules, sample, jobs=jobs, progress=advance, **given)
    save_probcut(name, fit.parameters, fit.about)
    content = {
        "model": evaluator.name,
        "out": name,
        **fit.about,
        "pairs": fit.pairs.to_dict("records"),
    }
    emit(content, json, lambda console: _show(fit, content, rules.scores.unit, console))


def _show(fit: ProbCutFit, content: dict[str, Any], unit: str, console: Console) -> None:
    found = {(p["deep"], p["shallow"], p["stage"]): p for p in content["pairs"]}
    stages = sorted({stage for *_, stage in found}, reverse=True)
    shown = stages[:: max(1, len(stages) // 4)]
    spans = {p["stage"]: f"{p['least']} to {p['most']} left" for p in content["pairs"]}
    rows = []
    for deep, shallow in fit.used:
        cells = [found.get((deep, shallow, stage)) for stage in shown]
        texts = ["-" if c is None else f"{rounded(c['sigma'])} ({c['r2']:.2f})" for c in cells]
        rows.append([f"{deep} from {shallow}", *texts])
    title = f"{content['model']}: sigma in {unit} (R2) of deep scores predicted from shallow ones"
    headings = ["depths", *(spans[stage] for stage in shown)]
    print_table(Table(title, headings, rows), console)
    console.print(
        f"{fit.positions:,} positions searched in {fit.seconds:.1f} s; saved in {content['out']}"
    )


@subcommand("samuel.learning.wdl:fit_wdl", doing="fitting chances")
def wdl(given: Given, *, report: str | None = None, json: bool = False) -> None:
    """Run `samuel models wdl`.

    Example: samuel models wdl data/gen0 --model runs/ridge --out wdl.c
    """
    from samuel.learning.wdl import fit_wdl

    with busy("fitting chances"):
        fit = fit_wdl(**given)
    write_report(report, fit)
    places = {"model": given.get("model"), "out": given.get("out"), "report": report}

    def tell(console: Console) -> None:
        show(fit, console)
        for place in filter(None, places.values()):
            console.print(f"saved in {place}", highlight=False, markup=False)

    emit(fit.as_dict() | places, json, tell)


app = group_app("models")
app.default(run)

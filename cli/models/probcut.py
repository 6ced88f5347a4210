"""`samuel models probcut`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import Jobs, emit, game_and_evaluators, print_table, progress
from samuel.cli.options import Given, subcommand
from samuel.common.displayable import Table
from samuel.common.options import Argument
from samuel.common.units import rounded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.console import Console

    from samuel.games.game import Game
    from samuel.learning.probcut import ProbCutFit


@subcommand(
    "samuel.learning.probcut:fit_probcut",
    doing="fitting ProbCut",
    without=("evaluator", "sample_from"),
)
def run(
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

    rules, (name,) = game_and_evaluators(game, model)
    evaluator = load_evaluator(name, rules)
    if name in evaluator_names(rules):
        had = "" if evaluator.probcut is None else ", and has parameters of ProbCut already"
        raise UserError(
            f"{name} is an evaluator without a folder to save the parameters in{had}; give "
            "the folder of a model of yours"
        )
    require_writable(name)
    with progress("searching", given.get("positions", POSITIONS)) as advance:
        fit = fit_probcut(
            evaluator,
            rules,
            None if data is None else _positions_in(data, rules),
            jobs=jobs,
            progress=advance,
            **given,
        )
    save_probcut(name, fit.parameters, fit.about)
    content = {
        "model": evaluator.name,
        "out": name,
        **fit.about,
        "pairs": fit.pairs.to_dict("records"),
    }
    emit(content, json, lambda console: _show(fit, content, rules.scores.unit, console))


def _positions_in(folder: str, game: Game) -> NDArray[np.uint64]:
    from samuel.selfplay.data.dataset import Dataset

    dataset = Dataset.open(folder)
    dataset.require_game(game)
    return dataset.positions


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

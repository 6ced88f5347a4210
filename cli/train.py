"""`samuel train` and `samuel compare`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import Jobs, busy, emit, progress, replacing_model, show, write_report
from samuel.cli.options import Given, MisuseError, subcommand
from samuel.common.options import Text, names_in

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.trained import Trained


@subcommand("samuel.learning.training:train", doing="training")
def run(given: Given, *, out: str, json: bool = False) -> None:
    """Run `samuel train`.

    Example: samuel train data/gen0 --model ridge --out runs/ridge

    Example: samuel train data/gen0 --target td --lambda 0.8 --out runs/td

    Example: samuel train data/gen0 --weights late=1,exact=2,rare=0.5 --out runs/weighted

    Example: samuel train data/gen0 --dedupe --augment --plies 10-50 --plies-left 4-50 --out X

    Example: samuel train data/gen0 --model ridge --parameters alpha=10 --out runs/closer

    Example: samuel train data/large --model logistello --stream --out runs/large

    Parameters
    ----------
    out
        Folder of the model. An existing model is replaced.
    """
    from samuel.learning.training import train

    with replacing_model(out), busy("reading") as say:
        trained = train(out=out, progress=say, **given)
    content = {
        "model": trained.name,
        "out": out,
        "reads": trained.reads,
        "rows": trained.rows,
        "seconds": round(trained.seconds, 3),
        "fitting": trained.fitting.flat(),
        "metrics": trained.metrics,
        "baseline": trained.baseline,
        **_weights_of(trained),
    }
    emit(content, json, lambda console: _show(trained, console))


def _weights_of(trained: Trained) -> dict[str, Any]:
    """Return the weights of Texel's method, and its losses; nothing of other models."""
    from samuel.models.weights import records_of

    weights = trained.weights
    if weights is None or weights.fit is None:
        return {}
    told = {name: trained.card[name] for name in ("logit_scale", "loss") if name in trained.card}
    return told | {"weights": records_of(weights.table())}


def _show(trained: Trained, console: Console) -> None:
    """Print the figures of a model, and the command that measures its strength."""
    from samuel.games.catalog import known_game
    from samuel.games.plugins import options_of_loaded_plugins
    from samuel.models import usual_opponent

    show(trained, console)
    if begun := trained.card.get("begun"):
        console.print(f"The fit {begun}.", soft_wrap=True)
    other = usual_opponent(known_game(trained.evaluator.game))
    console.print(
        "R2 does not measure playing strength. Measure it by a match: samuel match "
        f"{trained.out} {other}{options_of_loaded_plugins()}",
        soft_wrap=True,
    )


@subcommand("samuel.learning.comparison:compare", doing="comparing")
def compare(
    given: Given,
    *,
    models: Annotated[Sequence[str], Text(names_in, "ridge,mlp,classic")] = (
        *("ridge", "logistic", "boosting", "mlp", "classic"),
    ),
    report: str | None = None,
    jobs: Jobs = -1,
    json: bool = False,
) -> None:
    """Run `samuel compare`.

    Example: samuel compare data/gen0 --models ridge,mlp,classic --report runs/compare.html

    Example: samuel compare data/gen0 --models ridge,boosting --pairs 100 --depth 4
    """
    if "baseline" in given and not given.get("pairs"):
        raise MisuseError("--baseline needs --pairs N, the number of game pairs")
    from samuel.learning.comparison import compare

    steps = len(models) * (2 if given.get("pairs") else 1)
    with progress("compare", steps) as advance:
        comparison = compare(models=models, jobs=jobs, progress=advance, **given)
    write_report(report, comparison)
    solved = comparison.solved
    content = {
        "models": [model.as_dict() for model in comparison.models],
        "tied": comparison.tied,
        "opponent": comparison.opponent,
        "held_out": len(comparison.split.held_out),
        "held_out_games": comparison.resampling.games,
        "solved": solved and {"positions": len(solved.rows), "most_left": solved.most_left},
        "fitting": comparison.fitting.flat(),
        "report": report,
    }
    emit(content, json, functools.partial(show, comparison, report=report))

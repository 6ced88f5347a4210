"""`samuel train`."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from samuel.cli.common import busy, emit, replacing_model, show
from samuel.cli.options import Given, subcommand

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.trained import Trained


@subcommand("samuel.learning.training:train", doing="training")
def run(given: Given, *, out: str, json: bool = False) -> None:
    """Run `samuel train`.

    Example: samuel train data/gen0 --model ridge --out runs/ridge

    Example: samuel train data/gen0 --target td --lambda 0.8 --out runs/td

    Example: samuel train data/gen0 --weights late=1,exact=2,rare=0.5 --out runs/weighted

    Example: samuel train data/gen0 --dedupe --augment --plies 10-50 --remaining 4-50 --out X

    Example: samuel train data/gen0 --model ridge --parameters alpha=10 --out runs/closer

    Example: samuel train data/large --model logistello --stream --out runs/large

    Parameters
    ----------
    out
        Folder for the model. A model that is there is replaced.
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
    """Print the figures of a model, stage by stage, beside those of the one that played."""
    from samuel.games.catalog import known_game
    from samuel.games.plugins import options_of_loaded_plugins
    from samuel.models import usual_opponent

    game = known_game(trained.evaluator.game)
    maker = trained.card["data"]["settings"].get("evaluator")
    show(trained, console)
    console.print(_reading(trained))
    console.print(_how(trained))
    console.print(
        "Every error is measured against the outcomes of held-out games, for any --target."
    )
    if trained.baseline and trained.baseline["log_loss"] < trained.metrics["log_loss"]:
        console.print(
            f"The model's log loss is higher than that of {maker}, which played the games; "
            "more games may help."
        )
    other = usual_opponent(game)
    console.print(
        "R2 does not measure playing strength. Measure it by a match: samuel match "
        f"{trained.out} {other}{options_of_loaded_plugins()}",
        soft_wrap=True,
    )


def _reading(trained: Trained) -> str:
    """Return a sentence on what the model reads, and on default features that it does not."""
    said = f"It reads {', '.join(trained.reads)}"
    if trained.fitting.features is None:
        return f"{said}."
    from samuel.games.catalog import known_game
    from samuel.learning.fitting.reading import default_features

    default = default_features(known_game(trained.evaluator.game))
    without = [name for name in default if name not in trained.reads]
    if not without:
        return f"{said}."
    left_out = textwrap.shorten(", ".join(without), 70, placeholder=" ...")
    named = ",".join(trained.fitting.features)
    return (
        f"{said}, in place of the default features ({left_out}): --features +{named} adds to these."
    )


def _how(trained: Trained) -> str:
    """Return a sentence on what was learned, and from which rows."""
    from sklearn.base import is_classifier

    fitting = trained.fitting
    details = {
        "blend": f" ({fitting.blend:g} score, where there is one)",
        "td": f" (lambda {fitting.td_lambda:g})",
    }
    said = [f"Target {fitting.target}{details.get(str(fitting.target), '')}"]
    if is_classifier(trained.estimator) and fitting.target != "exact":
        said = ["Target outcome (who wins)"]
    for name in ("plies", "remaining"):
        bounds = getattr(fitting, name)
        if bounds is not None:
            said.append(f"{name} {bounds[0]} to {bounds[1]}")
    if fitting.weights:
        said.append("weights " + ", ".join(f"{k} {v:g}" for k, v in fitting.weights.items()))
    if fitting.parameters:
        said.append("parameters " + ", ".join(f"{k} {v}" for k, v in fitting.parameters.items()))
    if fitting.dedupe:
        said.append("same positions merged")
    if fitting.augment:
        said.append("in all symmetric images")
    return f"{'; '.join(said)}."

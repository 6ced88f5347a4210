"""`Trained`: a fitted model with the figures of its fit."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from samuel.common.displayable import Displayable
from samuel.games.evaluator import Evaluator
from samuel.learning.fitting.metrics import Metrics
from samuel.learning.fitting.options import FitOptions
from samuel.models import save
from samuel.models.convert import compiled_model, reads_of
from samuel.models.weights import Weights, weights_in


@dataclass(frozen=True, eq=False, repr=False)
class Trained(Displayable):
    """A fitted model with the figures of its fit.

    Attributes
    ----------
    name
        Name in reports.
    estimator
        The fitted scikit-learn pipeline over positions.
    evaluator
        Evaluator that the search runs.
    scale
        Score per logit of a classifier, else None.
    metrics
        Figures on held-out games. The probability of a win has its scale fitted to games
        that the model has not seen.
    baseline
        Figures of the evaluator that played the games, or None if it does not come with samuel.
    fitting
        Options of the fit.
    card
        Further content of the card of the saved model: data, settings, figures.
    rows
        Number of positions of the fit.
    out
        Folder of the saved model, or None.
    seconds
        Time of the fit, in seconds.

    Examples
    --------
    >>> import samuel
    >>> trained = samuel.train("data/games", "ridge")
    >>> "log_loss" in trained.metrics
    True
    """

    name: str
    estimator: Any
    evaluator: Evaluator
    scale: float | None
    metrics: Metrics
    baseline: Metrics | None
    fitting: FitOptions
    card: dict[str, Any]
    rows: int
    seconds: float
    out: Path | None = None

    @property
    def reads(self) -> list[str]:
        """Names of the features, or of the sets of patterns, that the model reads."""
        return reads_of(self.estimator)

    @property
    def weights(self) -> Weights | None:
        """Weights of a linear model, with errors and start where the fit has them, else None."""
        fit = getattr(self.estimator, "weight_fit", lambda: None)()
        return weights_in(compiled_model(self.estimator, self.scale), fit)

    def __repr__(self) -> str:
        m = self.metrics
        reads = textwrap.shorten(", ".join(self.reads), 60, placeholder=" ...")
        return (
            f"Trained({self.name!r}: {self.rows:,} rows, reads {reads}, "
            f"held-out R2 {m['r2'] or 0:z.3f}, log loss {m['log_loss']:.4f})"
        )


def saved(trained: Trained, out: Path | str, *, keep_estimator: bool = False) -> Trained:
    """Save a trained model in the folder `out`; return it with the folder."""
    save(
        out,
        trained.estimator,
        name=trained.name,
        scale=trained.scale,
        card=trained.card,
        keep_estimator=keep_estimator,
    )
    return replace(trained, out=Path(out))

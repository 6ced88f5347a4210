"""Weights of linear models: after a fit, and where it tells, before it and with their errors.

A linear model has weights for each of its stages, which lie at counts of what is left of the game
(`knots`); between two of them weights are blended by the count.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from samuel.features import Feature, column_names
from samuel.games.game import Game
from samuel.models.compiled.features import FeatureModel
from samuel.models.compiled.model import taken

OF_PENALTY = "*"
"""Mark of an error that is the penalty's."""
HALF_WIDTH = 1.96
"""Half the width of a 95 % interval, in standard errors."""
INTERVALS = "\u00b1 is half the width of the 95 % interval."


class WeightFit(NamedTuple):
    """Errors and start of fitted weights (S, columns)."""

    errors: NDArray[np.float64]  # NaN where a weight was not fitted
    start: NDArray[np.float64]  # weights that the fit began from
    scale: float  # units of score per logit
    of_penalty: NDArray[np.bool_]  # whether an error is the penalty's

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return it as arrays by name."""
        return {
            **{"errors": self.errors, "start": self.start, "scale": np.array([self.scale])},
            "of_penalty": self.of_penalty.astype(np.int8),
        }

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]], shape: tuple[int, int]) -> WeightFit:
        """Return what arrays tell of so many weights; ValueError where they tell of others."""
        errors, start = (taken(arrays, name, np.float64, 2) for name in ("errors", "start"))
        scale = taken(arrays, "scale", np.float64)
        of_penalty = taken(arrays, "of_penalty", np.int8, 2) != 0
        shapes = {errors.shape, start.shape, of_penalty.shape, shape}
        if len(shapes) > 1 or scale.shape != (1,):
            raise ValueError("the arrays do not fit the weights")
        if not np.isfinite(start).all():
            raise ValueError("the weights at the start are no numbers")
        if (errors < 0).any() or np.isinf(errors).any() or not 0 < scale[0] < np.inf:
            raise ValueError("its errors or its scale are no numbers from 0 up")
        return cls(errors, start, float(scale[0]), of_penalty)


class Weights(NamedTuple):
    """Weights of a linear model."""

    game: Game
    features: tuple[Feature, ...]
    columns: tuple[str, ...]  # names of the features' numbers
    knots: NDArray[np.int64]  # (S,), plies left
    weights: NDArray[np.float32]  # (S, columns), in the game's unit
    intercept: NDArray[np.float32]  # (S,)
    fit: WeightFit | None = None

    def __repr__(self) -> str:
        stages = ", ".join(map(str, self.knots))
        return f"Weights({len(self.columns):,} of {self.game.name} at {stages})"

    @classmethod
    def of(cls, model: FeatureModel, fit: WeightFit | None = None) -> Weights:
        """Return the weights of a linear model."""
        return cls(
            model.game,
            model.features,
            tuple(column_names(model.features)),
            np.array(model.knots, np.int64),
            np.array([block.weights for block in model.blocks], np.float32),
            np.array([block.intercept for block in model.blocks], np.float32),
            fit,
        )

    def table(self) -> pd.DataFrame:
        """Return a row for each weight, and one for the intercept, which comes first."""
        parts = {"": (decimals(self.weights), decimals(self.intercept))}
        if self.fit is not None:
            unknown = np.full(len(self.knots), np.nan)
            parts |= {"_error": (self.fit.errors, unknown), "_start": (self.fit.start, unknown)}
        found: dict[str, Any] = {"column": ["intercept", *self.columns]}
        for end, (numbers, first) in parts.items():
            for knot, row, one in zip(self.knots, numbers, first, strict=True):
                found[f"at_{knot}{end}"] = np.append(one, row)
        return pd.DataFrame(found)


def penalty_note(of_penalty: NDArray[np.bool_], errors: NDArray[np.float64]) -> str:
    """Return a note on the errors that are the penalty's; "" where there are none."""
    count, total = np.count_nonzero(of_penalty), np.count_nonzero(np.isfinite(errors))
    if not count:
        return ""
    return (
        f"{OF_PENALTY} {count:,} of {total:,} errors are the penalty's: it determines these "
        "weights more than the rows do."
    )


def penalty_lines(of_penalty: NDArray[np.bool_], errors: NDArray[np.float64]) -> list[str]:
    """Return the note as lines of a comment in C, whose errors are marked by a word."""
    note = penalty_note(of_penalty, errors).removeprefix(OF_PENALTY)
    return textwrap.wrap(note, 97, initial_indent="   penalty:", subsequent_indent="   ")


def errors_text(errors: NDArray[np.floating], of_penalty: NDArray[np.bool_]) -> str:
    """Return the errors of a weight for a comment in C, and the mark in a comment behind it."""
    told = ", ".join(f"{error:z.0f}" for error in errors)
    marked = [str(number) for number in np.flatnonzero(of_penalty)]
    if not marked:
        return told
    which = "" if of_penalty.all() else f" (stage {', '.join(marked)})"
    return f"{told} */ /* penalty{which}"


def decimals(numbers: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return numbers in single precision as their shortest decimals, 0.1 and not 0.10000000149."""
    return numbers.astype(str).astype(np.float64)


def weights_in(model: Any, fit: WeightFit | None = None) -> Weights | None:
    """Return the weights of a compiled model; None where it is not linear in features."""
    is_linear = isinstance(model, FeatureModel) and model.kind == "linear"
    return Weights.of(model, fit) if is_linear else None


def records_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as mappings, without what is not known."""
    rows = table.to_dict("records")
    return [{str(k): v for k, v in row.items() if v == v} for row in rows]

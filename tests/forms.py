"""Compiled forms of estimators."""

from typing import Any

from samuel.models.convert import compiled_model


def kind_of(estimator: Any) -> str:
    """Return the kind of a fitted estimator's compiled form, or "slow" where it has none."""
    model = compiled_model(estimator, 1.0)
    return "slow" if model is None else model.kind

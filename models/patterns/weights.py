"""Weights of a model of patterns, by shape, as the start of another fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.features.terms import PatternTerms, Stages
from samuel.games.catalog import known_game
from samuel.models.patterns.solver import Point


def adapted(init: Any, terms: PatternTerms, knots: Sequence[int]) -> Point:
    """Return the weights of a model at these knots, for the shapes and tables that both have."""
    own, theirs = terms.patterns, init.terms_.patterns
    if known_game(theirs.game) is not known_game(own.game):
        raise ValueError(f"a fit for {own.game} cannot continue a model of {theirs.game}")
    at = list(Stages.of(init.knots_, known_game(own.game).most_left).blended(init.coef_))
    start = Point(np.zeros((len(knots), terms.n_weights)), init.intercept_)

    def carry(mine: NDArray[Any], other: NDArray[Any]) -> None:
        """Copy the weights of configurations."""
        for row, knot in zip(start.weights, knots, strict=True):
            row[terms.weight_of[mine]] = at[knot][init.terms_.weight_of[other]]

    shapes = {shape.squares: k for k, shape in enumerate(theirs.shapes)}
    for number, shape in enumerate(own.shapes):
        if (known := shapes.get(shape.squares)) is not None:
            carry(
                np.arange(*own.starts[number : number + 2]),
                np.arange(*theirs.starts[known : known + 2]),
            )
    tables = {table.columns: k for k, table in enumerate(init.terms_.tables)}
    for number, table in enumerate(terms.tables):
        if (known := tables.get(table.columns)) is not None:
            cells = table.cells_in(init.terms_.tables[known])
            carry(np.arange(*terms.starts[number : number + 2]), init.terms_.starts[known] + cells)
    return start

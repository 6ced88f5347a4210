"""Weights of a model of patterns, by shape: as a table, and as the start of another fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
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


def weight_table(
    terms: PatternTerms, weights: NDArray[np.float32], seen: NDArray[np.float32], least: int
) -> pd.DataFrame:
    """Return weights (n_weights,) that were `seen` at least `least` times, the largest first.

    Columns are those of `PatternEstimator.weight_table`.
    """
    frames, patterns = [], terms.patterns
    for number, shape in enumerate(patterns.shapes):
        start, end = patterns.starts[number : number + 2]
        chosen, first = np.unique(patterns.weight_of[start:end], return_index=True)
        contents = np.array(patterns.contents(number))[first]
        frame = pd.DataFrame({"shape": shape.name, "contents": contents})
        frame.insert(1, "squares", [shape.squares] * len(frame))
        frames.append(frame.assign(weight=weights[chosen], count=seen[chosen]))
    for table, start in zip(terms.tables, terms.starts, strict=False):
        cells = terms.weight_of[start : start + table.size]
        numbers = np.stack(np.unravel_index(np.arange(table.size), table.sizes), axis=1)
        texts = [", ".join(map(str, row)) for row in (numbers + table.low).tolist()]
        frame = pd.DataFrame({"shape": table.name, "contents": texts})
        frame.insert(1, "squares", [()] * len(frame))
        frames.append(frame.assign(weight=weights[cells], count=seen[cells]))
    whole = pd.concat(frames, ignore_index=True)
    whole["count"] = whole["count"].round().astype(np.int64)
    whole = whole[whole["count"] >= least]
    return whole.sort_values("weight", ascending=False, key=abs, ignore_index=True)

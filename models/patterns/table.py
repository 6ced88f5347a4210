"""The weights of a pattern model as a table for people."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from samuel.features.terms import Terms


def weight_table(
    terms: Terms, weights: NDArray[np.float32], seen: NDArray[np.float32], least: int
) -> pd.DataFrame:
    """Return weights (n_weights,) that were `seen` at least `least` times, the largest first.

    The columns are those of PatternRegressor.weight_table.
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

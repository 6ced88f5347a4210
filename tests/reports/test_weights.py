"""Tables of weights before and after a fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samuel.games import game_named
from samuel.models.export.weights import weights_bytes
from samuel.models.named import handmade_model
from samuel.models.weights import WeightFit, Weights
from samuel.reports.weights import short_table


@pytest.fixture
def weights() -> Weights:
    """`classic` of chess as if fitted from something else: three weights moved, two stayed."""
    model = handmade_model("classic", game_named("chess"))
    assert model is not None
    found = Weights.of(model)
    start, errors = found.weights.astype(float), np.full(found.weights.shape, 0.02)
    for name, change in (("rooks_open", 0.5), ("tempo", -0.1), ("piece_squares_king_e4", 6.4)):
        start[:, found.columns.index(name)] += change
    errors[:, found.columns.index("shelter_near")] = np.nan
    return found._replace(fit=WeightFit(errors, start, 1.7, np.zeros(errors.shape, bool)))


def test_the_largest_changes_are_shown_with_intervals(weights: Weights) -> None:
    assert weights.fit is not None
    table = short_table(weights, weights.fit)
    assert list(table.columns) == [
        "weight",
        *(f"at {k}, {w}" for k in (24, 0) for w in ("before", "after")),
    ]
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["rooks_open"] == ["0.75", "0.250 ±0.039", "0.55", "0.050 ±0.039"]
    king = rows["piece_squares_king, mean of 64"]
    assert float(king[0]) - float(king[1]) == pytest.approx(0.1, abs=0.011)
    assert "shelter_near" not in rows and "material_pawn" not in rows
    assert [row[0] for row in table.rows[-2:]] == ["tempo", "rooks_open"]


def test_errors_that_are_the_penaltys_are_marked_on_page_and_in_header(
    weights: Weights, tmp_path: Path
) -> None:
    assert weights.fit is not None
    of_penalty = np.isfinite(weights.fit.errors)
    of_penalty[:, weights.columns.index("tempo")] = False
    marked = weights._replace(fit=weights.fit._replace(of_penalty=of_penalty))
    rows = {row[0]: row[1:] for row in short_table(marked, marked.fit).rows}
    assert rows["rooks_open"] == ["0.75", "0.250 ±0.039 *", "0.55", "0.050 ±0.039 *"]
    assert not any("*" in one for one in rows["tempo"])
    total, count = np.isfinite(weights.fit.errors).sum(), of_penalty.sum()
    note = f"{count:,} of {total:,} errors are the penalty's"
    header = weights_bytes(marked, "c", "x").decode()
    assert note in " ".join(header.split())
    assert "open +- 2, 2 */ /* penalty */" in header and "tempo +- 2, 2 */" in header
    assert any(note in one for one in short_table(marked, marked.fit).notes)
    assert not any("penalty" in one for one in short_table(weights, weights.fit).notes)
    kept = WeightFit.read(marked.fit.arrays(), weights.weights.shape)
    assert np.array_equal(kept.of_penalty, of_penalty)

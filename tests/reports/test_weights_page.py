"""Pages of weights, with tables of squares as boards, before and after."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import samuel
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.learning.selection.introspect import linear_weights
from samuel.models.saved.loading import load_compiled
from samuel.models.tapered import TaperedLogistic
from samuel.reports.comparison.figures import board_figure, weight_figure
from samuel.reports.weights_page import write_weights

GAME = game_named("chess")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of chess, fitted to chance from `classic`."""
    positions = random_positions(GAME, 600, seed=4, max_plies=80)
    results = np.random.default_rng(4).choice([-3.4, 3.4], len(positions))
    model = TaperedLogistic(["piece_squares", "rooks"], "chess", start="classic", alpha=0.01)
    out = tmp_path_factory.mktemp("models") / "tuned"
    card = {"loss": {"before": 0.7, "after": 0.6}, "logit_scale": 1.7}
    samuel.save(out, model.fit(positions, results), name="tuned", card=card)
    return out


def test_a_page_has_boards_of_each_piece_before_and_after(folder: Path, tmp_path: Path) -> None:
    page = write_weights(tmp_path / "page.html", folder).read_text()
    assert "http" not in page and "<script" not in page
    for kind in ("pawn", "knight", "bishop", "rook", "queen", "king"):
        assert f"<h3>piece squares {kind}</h3>" in page
    assert page.count("24 progress left, before") == page.count("0 progress left, after") == 6
    assert "0.70000 before, 0.60000 after (1.7 pawns per logit)" in page
    for heading in ("Tables of squares", "Other weights", "All weights"):
        assert f"<h2>{heading}</h2>" in page
    assert "95 % intervals" in page


def test_comparisons_draw_tables_of_pieces_as_boards(folder: Path) -> None:
    weights = linear_weights(load_compiled(folder))
    assert weights is not None
    figure = board_figure(weights, GAME)
    assert figure is not None
    titles = [axis.get_title() for axis in figure.axes[:-1]]
    assert len(titles) == 12 and titles[0] == "piece squares pawn, 24 progress left"
    bars = weight_figure(weights, GAME)
    assert bars is not None
    labels = [label.get_text() for label in bars.axes[0].get_yticklabels()]
    assert "rooks open" in labels and not any(re.search("[a-h][1-8]$", one) for one in labels)

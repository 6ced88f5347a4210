"""Pages of weights, with tables of squares as boards, before and after."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import samuel
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models.tapered import TaperedLogistic
from samuel.reports import write_weights

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

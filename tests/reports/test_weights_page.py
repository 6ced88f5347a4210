"""Pages of weights, with tables of squares as boards, before and after."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import samuel
from samuel.common.errors import UserError
from samuel.features.squares import square_tables
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.learning import linear_weights
from samuel.models.saved.loading import load_compiled
from samuel.models.tapered import TaperedLogistic
from samuel.models.weights import Weights
from samuel.reports.comparison.figures import board_figure, weight_figure
from samuel.reports.weights_page import boards_figure, write_weights

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


def test_pages_of_others_have_no_before(tmp_path: Path) -> None:
    page = write_weights(tmp_path / "page.html", "classic", "chess").read_text()
    assert "before" not in page and page.count("24 progress left") == 7
    page = write_weights(tmp_path / "page.html", "classic", "xiangqi").read_text()
    assert "<h2>Other weights</h2>" in page and "Tables of squares" not in page
    with pytest.raises(UserError, match="learned is not linear in features"):
        write_weights(tmp_path / "page.html", "learned", "othello")


def test_numbers_stand_on_their_squares(folder: Path) -> None:
    compiled = load_compiled(folder)
    weights = Weights.of(compiled)  # type: ignore[arg-type]
    places = square_tables(weights.columns, GAME)["piece_squares_pawn"]
    figure = boards_figure(weights, places)
    texts = [axis.texts for axis in figure.axes[:-1]]
    assert [len(one) for one in texts] == [48, 48]
    e4 = weights.weights[1, weights.columns.index("piece_squares_pawn_e4")]
    (found,) = [text for text in texts[0] if text.get_position() == (4, 4)]
    assert float(found.get_text()) == pytest.approx(e4, abs=0.006)


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

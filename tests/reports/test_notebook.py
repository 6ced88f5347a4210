"""What notebooks show of positions and results."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib
import pytest
from matplotlib.figure import Figure

import samuel
from samuel.common.displayable import Displayable
from samuel.games import Position, game_names
from samuel.games.catalog import is_of_the_package
from samuel.reports import notebook
from samuel.search import search
from samuel.search.reference.explanation import explain_position

matplotlib.use("agg")
DRAWN = [n for n in game_names() if is_of_the_package(n) and not n.startswith(("nim", "pig"))]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return results, a small one of each kind."""
    folder = tmp_path_factory.mktemp("shown")
    plan = samuel.SelfplayPlan(evaluator="classic", depth=1, epsilon=0.1, seed=1)
    dataset = samuel.generate(plan, games=30, out=folder / "games")
    position = Position.from_transcript("f5d6c3")
    limits = {"depth": 1, "pairs": 4}
    return {
        "position": position,
        "result": search(position, "classic", depth=3, all_moves=True),
        "dataset": dataset,
        "trained": samuel.train(dataset, "ridge", features=["mobility", "squares"]),
        "match": samuel.match("classic", "wpc", sprt=(0, 10), **limits),
        "tournament": samuel.tournament(["classic", "wpc", "random"], pairs=2, depth=1),
        "run": samuel.learn(
            folder / "run", generations=1, games=12, model="ridge", depth=1, gate_pairs=2,
            curve_pairs=2,
        ),
        "comparison": samuel.compare(dataset, ["ridge", "tree"]),
        "explanation": explain_position(position, samuel.load_evaluator("classic"), depth=1),
    }  # fmt: skip


def html_of(thing: Any) -> str:
    html = thing._repr_html_()
    assert isinstance(html, str)
    ElementTree.fromstring(f"<div>{html.replace('<br>', '<br/>')}</div>")  # well-formed
    return html


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("position", "Othello: the move is"),
        ("result", "depth 3"),
        ("dataset", "30"),
        ("trained", "player of the games"),
        ("match", "normalized Elo"),
        ("tournament", "random"),
        ("run", "log loss"),
        ("comparison", "Brier"),
        ("explanation", "<svg"),
    ],
)
def test_everything_shows_itself(shown: dict[str, Any], name: str, words: str) -> None:
    assert words in html_of(shown[name])
    assert len(repr(shown[name])) < 1_000


@pytest.mark.parametrize("name", DRAWN)
def test_positions_are_drawn_with_all_their_pieces(name: str) -> None:
    position = Position.start(name)
    if position.is_chance:
        position = position.play(position.outcomes()[0][0])
    svg = position._repr_svg_()
    assert svg is not None and ElementTree.fromstring(svg).tag.endswith("svg")
    if name == "othello":
        assert svg.count("<circle") == 4
    if name == "backgammon":
        assert svg.count("<circle") == 30 and "dice" in svg
    if name == "xiangqi":
        assert svg.count("<circle") == 32


@pytest.mark.filterwarnings("ignore:only .* openings")
def test_every_kind_that_draws_itself_has_a_drawing(tmp_path: Path) -> None:
    found = samuel.bench("nim", nodes=10, pairs=2, out=tmp_path / "bench")
    assert "bouton" in html_of(found)
    kinds = [kind for kind in Displayable.__subclasses__() if kind.__module__[:7] == "samuel."]
    assert len(kinds) > 12 and {kind.__name__ for kind in kinds} == set(notebook._HTML)


def test_games_without_a_board_are_text() -> None:
    position = Position.start("nim")
    assert position._repr_svg_() is None and "<pre>" in html_of(position)


def test_names_are_escaped(tmp_path: Path) -> None:
    result = samuel.match("classic", "wpc", depth=1, pairs=2)
    object.__setattr__(result, "a", "<b>&")
    html = html_of(result)
    assert "&lt;b&gt;&amp;" in html and "<b>" not in html


@pytest.mark.parametrize(
    ("plot", "name"),
    [
        ("plot_score", "match"),
        ("plot_llr", "match"),
        ("plot_pairs", "match"),
        ("plot_ratings", "tournament"),
        ("plot_learning_curve", "run"),
        ("plot_calibration", "comparison"),
        ("plot_stage_errors", "comparison"),
    ],
)
def test_plots_are_axes(shown: dict[str, Any], plot: str, name: str) -> None:
    draw = getattr(samuel, plot)
    ax = draw(shown[name])
    assert ax.has_data() and len(ax.get_figure().axes) == 1
    given = Figure().subplots()
    assert draw(shown[name], ax=given) is given and given.has_data()
    matplotlib.pyplot.close("all")


def test_a_match_without_a_test_has_no_llr() -> None:
    result = samuel.match("classic", "wpc", depth=1, pairs=2)
    with pytest.raises(samuel.UserError, match="sprt"):
        samuel.plot_llr(result)


def test_a_curve_that_nobody_played_is_refused(tmp_path: Path) -> None:
    run = samuel.learn(
        tmp_path / "run", generations=1, games=12, model="ridge", depth=1, gate_pairs=0,
        curve_pairs=0,
    )  # fmt: skip
    with pytest.raises(samuel.UserError, match="no matches"):
        samuel.plot_learning_curve(run)
    assert "The last one is generation 1" in html_of(run)


def test_chess_is_drawn_with_figures() -> None:
    svg = Position.parse("r3k3/8/8/8/8/8/8/4K2B b - - 0 1", "chess")._repr_svg_()
    assert svg is not None and svg.count("scale(0.01)") == 4 and "<circle" not in svg
    white = svg.split('scale(0.01)" stroke="#16191c"')
    assert len(white) == 3  # white pieces have a dark outline

"""What notebooks show of positions and results."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import matplotlib
import pytest
from matplotlib.figure import Figure

import samuel
from samuel.common.errors import UserError
from samuel.games import Position, game_names
from samuel.games.catalog import is_of_the_package
from samuel.search import analyse
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
        "result": analyse(position, "classic", depth=3, all_moves=True),
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
        ("trained", "classic (player)"),
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


def test_a_notebook_leaves_out_the_games_of_a_match(shown: dict[str, Any]) -> None:
    assert any(picture.detail for picture in shown["match"].pictures())
    assert "Games to look at" not in html_of(shown["match"])


@pytest.mark.parametrize("name", DRAWN)
def test_positions_are_drawn_with_all_their_pieces(name: str) -> None:
    position = Position.start(name)
    if position.is_chance:
        position = position.play(position.outcomes()[0][0])
    svg = position.pictures()[0].draw()
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    if name == "othello":
        assert svg.count("<circle") == 4
    if name == "backgammon":
        assert svg.count("<circle") == 30 and "dice" in svg
    if name == "xiangqi":
        assert svg.count("<circle") == 32


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("match", "The score as the pairs came in"),
        ("match", "The sequential test"),
        ("match", "Difference in strength"),
        ("tournament", "Ratings"),
        ("run", "Strength by generation"),
        ("comparison", "Calibration"),
        ("comparison", "Error by stage"),
    ],
)
def test_plots_are_axes(shown: dict[str, Any], name: str, title: str) -> None:
    ax = shown[name].plot(title)
    assert ax.has_data() and len(ax.get_figure().axes) == 1
    given = Figure().subplots()
    assert shown[name].plot(title, given) is given and given.has_data()
    matplotlib.pyplot.close("all")


def test_a_picture_that_a_result_does_not_have_is_refused(shown: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="no picture called 'Rating'; did you mean Ratings"):
        shown["tournament"].plot("Rating")

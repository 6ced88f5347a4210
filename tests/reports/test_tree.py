"""Searches explained: what was visited and cut, and pictures that say so."""

import itertools
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from samuel.cli.explain import EXAMPLES, read_tree
from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.models import load_evaluator
from samuel.reports.tree import write_tree
from samuel.search import analyse
from samuel.search.reference.explanation import Explanation, explain_position, explain_tree
from samuel.search.reference.node import PositionNode
from samuel.search.reference.reference import ALGORITHMS
from tests.toys import PIG

SVG = "{http://www.w3.org/2000/svg}"
OTHELLO = Position.from_transcript("f5d6c3d3c4")
TIC_TAC_TOE = Position.parse("XOX-O--X- O", "tic_tac_toe")
POSITIONS = [OTHELLO, TIC_TAC_TOE, Position.start("connect_four")]


def of_position(position: Position, depth: int = 2, method: str = "alphabeta") -> Explanation:
    return explain_position(position, load_evaluator("classic", position.game), depth, method)


def drawn(explanation: Explanation, folder: Path) -> ElementTree.Element:
    return ElementTree.parse(write_tree(folder / "tree.svg", explanation)).getroot()


def paged(explanation: Explanation, folder: Path) -> str:
    return write_tree(folder / "page.html", explanation).read_text()


def of_class(picture: ElementTree.Element, *names: str) -> list[ElementTree.Element]:
    nodes = [part for part in picture.iter() if part.find(f"{SVG}title") is not None]
    edges = [part for part in picture if part.tag == f"{SVG}path"]
    inside = [child for node in nodes for child in node]
    return [part for part in edges + inside if {*names} <= set(part.get("class", "").split())]


@pytest.mark.parametrize(
    ("name", "value", "leaves", "pv"),
    [("minimax-example", 3, (6, 9), "1 1"), ("alphabeta-example", 4, (10, 16), "2 1 1 2")],
)
def test_worked_examples(name: str, value: float, leaves: tuple[int, int], pv: str) -> None:
    for method in ALGORITHMS:
        told = explain_tree(EXAMPLES[name], method).summary()
        assert told["value"] == value
        assert told["pv"] == pv.split(), method
        plain = "minimax", "expectiminimax", "negamax"
        expected = leaves[1] if method in plain else leaves[0]
        assert (told["leaves"], told["leaves_total"]) == (expected, leaves[1])


def test_what_is_cut_and_why() -> None:
    told = explain_tree(EXAMPLES["alphabeta-example"]).summary()
    assert (told["nodes"], told["nodes_total"], told["visits"]) == (23, 31, 23)
    assert told["cut"] == [
        {"node": "1 1 2", "reason": "alpha cutoff: -3 <= 0", "children": ["2"]},
        {"node": "1 2", "reason": "beta cutoff: 3 >= 0", "children": ["2"]},
        {"node": "2 1 2", "reason": "alpha cutoff: -3 <= 4", "children": ["2"]},
        {"node": "2 2", "reason": "beta cutoff: 6 >= 4", "children": ["2"]},
    ]


def test_the_picture_of_a_worked_example(tmp_path: Path) -> None:
    picture = drawn(explain_tree(EXAMPLES["minimax-example"]), tmp_path)
    assert len(of_class(picture, "shape", "max")) == 1
    assert len(of_class(picture, "shape", "min")) == 3
    assert len(of_class(picture, "shape", "leaf")) == 9
    assert len(of_class(picture, "edge")) == 12
    assert len(of_class(picture, "cut", "edge")) == len(of_class(picture, "mark")) == 3
    assert len(of_class(picture, "pv", "edge")) == 2
    numbers = sorted(int(text.text or "") for text in of_class(picture, "number"))
    assert numbers == list(range(1, 11))
    reasons = [text.text for text in of_class(picture, "why")]
    assert reasons == ["2 ≤ \N{GREEK SMALL LETTER ALPHA}", "1 ≤ \N{GREEK SMALL LETTER ALPHA}"]
    tips = [title.text or "" for title in picture.iter(f"{SVG}title")]
    assert any("alpha cutoff: 2 ≤ 3" in tip and tip.startswith("2: MIN") for tip in tips)
    assert any(tip.endswith("never searched: alpha cutoff: 2 ≤ 3 at its parent") for tip in tips)


@pytest.mark.parametrize("method", ALGORITHMS)
def test_positions_have_the_value_and_line_of_the_search(method: str) -> None:
    for position in POSITIONS:
        explanation = of_position(position, 2, method)
        evaluator = load_evaluator("classic", position.game)
        found = analyse(position, evaluator, depth=2, exact_from=0)
        told = explanation.summary()
        assert told["value"] == found.score
        after = position
        for move in told["pv"]:
            after = after.play(move)
        assert len(told["pv"]) == 2
        assert told["nodes_total"] == 1 + sum(
            1 + len(position.play(move).legal_moves()) for move in position.legal_moves()
        )


def overlaps(picture: ElementTree.Element) -> int:
    """Return how many boxes of leaves overlap another."""
    boxes = []
    for shape in of_class(picture, "shape", "leaf"):
        x, y, width = map(float, re.findall(r"M(\S+) (\S+) h(\S+)", shape.get("d", ""))[0])
        boxes.append((y, x, x + width))
    boxes.sort()
    return sum(a[0] == b[0] and a[2] > b[1] for a, b in itertools.pairwise(boxes))


def texts(explanation: Explanation, folder: Path) -> str:
    """Return all text of a picture but its tips and its board."""
    picture = drawn(explanation, folder)
    groups = [picture, *picture.findall(f"{SVG}g")]
    return "\n".join(text.text or "" for group in groups for text in group.findall(f"{SVG}text"))


def test_the_legend_explains_every_sign_and_only_what_there_is(tmp_path: Path) -> None:
    words = texts(explain_tree(EXAMPLES["alphabeta-example"]), tmp_path)
    for sign in ("cut: never searched", "alpha cutoff: now", "beta cutoff: now", "at most; the"):
        assert sign in words
    assert "above a node" not in words
    words = texts(explain_tree(EXAMPLES["alphabeta-example"], "minimax"), tmp_path)
    assert not re.search("cut|window|at most|at least", words)
    words = texts(of_position(TIC_TAC_TOE, 4), tmp_path)
    assert "MAX: O (to move at the root)" in words and "MIN: X" in words
    assert "0.997: a win in 3 plies from the root" in words and "above a node: its move" in words
    words = texts(of_position(OTHELLO), tmp_path)
    assert "MAX: White (to move at the root)" in words and "a win in" not in words


def test_the_picture_of_a_position_has_its_board_beside_the_root(tmp_path: Path) -> None:
    assert drawn(explain_tree([1, 2]), tmp_path).find(f"{SVG}svg") is None
    for position in POSITIONS:
        picture = drawn(of_position(position), tmp_path)
        board = picture.find(f"{SVG}svg")
        assert board is not None
        below = float(board.get("y", "")) + float(board.get("height", ""))
        tops = [float(text.get("y", "")) for text in of_class(picture, "halo")]
        assert below < min(tops)


def test_the_page_stands_alone_and_lists_the_visits(tmp_path: Path) -> None:
    page = paged(of_position(TIC_TAC_TOE), tmp_path)
    assert "http" not in page and "<script" not in page and "<link" not in page
    (picture,) = re.findall(r"<svg.*</svg>", page, flags=re.DOTALL)
    ElementTree.fromstring(picture)
    rows = re.findall(r"<tr><td>(\d+)</td>", page)
    assert [int(row) for row in rows] == list(range(1, 14))
    assert "alpha cutoff: -0.3 ≤ -0.3".replace("-", "\N{MINUS SIGN}") in page
    assert '<p class="soft">value' in page
    long = explain_tree(list(range(300)), "mtdf")  # a pass a leaf
    page = paged(long, tmp_path)
    assert page.count("<tr><td>") == 2000 and "more.</p>" in page


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody", "a file with nested lists, or minimax-example or"),
        (".", "a file with nested lists, or minimax-example or"),
        ("x" * 5000, "a file with nested lists, or minimax-example or"),
        ("[[3, 12", "not nested lists in JSON"),
        ("[1] + [2]", "not nested lists in JSON"),
        ("[__import__('os')]", "not nested lists in JSON"),
        ("[" * 100_000, "too deep"),
        ("[" * 200 + "1" + "]" * 200, "120 plies"),
        ("[]", "empty list"),
        ("[NaN]", "got nan"),
        ("[Infinity]", "got inf"),
        ("[1e999]", "got inf"),
        ('[1, "2"]', "a tree must be nested lists of numbers, such as"),
        ("[true]", "a tree must be nested lists of numbers, such as"),
        (str(list(range(100_000))), "more than 100,000 nodes, too many to count"),
    ],
)
def test_what_is_no_tree_is_refused_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as refused:
        explain_tree(*read_tree(text)[:1])
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("method", ["minimax", "alphabeta", "pvs", "mtdf"])
def test_a_tree_too_large_to_draw_is_counted(method: str) -> None:
    rows = [[a * b % 23 for b in range(25)] for a in range(1, 21)]
    explanation = explain_tree(rows, method)
    told = explanation.summary()
    assert (told["nodes_total"], told["leaves_total"]) == (521, 500)
    assert told["value"] == max(map(min, rows))
    assert (told["nodes"] == 521) == (not told["cut"]) == (method == "minimax")
    with pytest.raises(UserError, match="more than 500 nodes, too many to draw"):
        explanation.pictures()[0].draw()
    assert not explanation.is_drawable
    assert explain_tree(list(range(499))).is_drawable
    assert not explain_tree(list(range(500))).is_drawable


@pytest.mark.parametrize("name", ["backgammon", "checkers", "othello"])
def test_the_work_is_that_of_the_tree_and_of_pruned_captures(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No position below the leaves is generated, and captures beyond them are cut by bounds."""
    made, child = [], PositionNode._child
    monkeypatch.setattr(PositionNode, "_child", lambda *a: made.append(child(*a)) or made[-1])
    game = game_named(name)
    evaluator = load_evaluator("zero", game)  # which no capture changes
    rows = random_positions(game, 3, seed=5)
    for position in (Position.start(game), *(Position(game, tuple(row.tolist())) for row in rows)):
        made.clear()
        depth = 1 if game.chance or game.max_moves > 300 else 2  # a toy has a thousand moves
        found = explain_position(position, evaluator, depth)
        assert len(made) == found.summary()["nodes_total"] - 1
        assert not made or made[0].scorer.looked_at <= 100 * len(made)


def test_nodes_of_chance_are_drawn_with_the_weights_of_what_may_come(tmp_path: Path) -> None:
    position = Position.start(PIG)
    explanation = explain_position(position, load_evaluator("zero", PIG), 2)
    picture = drawn(explanation, tmp_path)
    assert explanation.summary()["value"] == analyse(position, "zero", depth=2).score
    assert len(of_class(picture, "shape", "chance")) == 1 + 3
    names = {text.text for text in of_class(picture, "halo")}
    assert {"1 1/6", "2 3/6", "3 2/6", "roll", "hold"} <= names
    tips = [title.text or "" for title in picture.iter(f"{SVG}title")]
    assert any(tip.startswith("roll: chance to move") for tip in tips)
    assert overlaps(picture) == 0
    with pytest.raises(UserError, match="expectiminimax, star1, star2"):
        explain_position(position, load_evaluator("zero", PIG), 2, "pvs")
    with pytest.raises(UserError, match="more than 500 nodes"):
        explain_position(position, load_evaluator("zero", PIG), 6).pictures()[0].draw()

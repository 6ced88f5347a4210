"""`samuel explain`: its JSON, its files, its manner of failing."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from samuel.search.reference.reference import ALGORITHMS
from tests.cli.conftest import Run
from tests.processes import ROOT

TREE = '"[[3,12,8],[2,4,6],[14,1,5]]"'


def test_a_tree_in_json(run: Run) -> None:
    found = run.json(f"explain --tree {TREE} --out tree.svg")
    assert (found["value"], found["leaves"], found["nodes"]) == (3, 6, 10)
    assert (found["method"], found["out"]) == ("alphabeta", "tree.svg")
    assert [cut["reason"] for cut in found["cut"]] == [
        "alpha cutoff: 2 <= 3",
        "alpha cutoff: 1 <= 3",
    ]
    ElementTree.parse("tree.svg")


def test_a_worked_example_for_people(run: Run) -> None:
    out = run.quiet("explain --tree alphabeta-example")
    assert "10 of 16" in out and "explain.svg" in out
    assert Path("explain.svg").exists()


def test_a_position_too_large_to_draw_is_counted(run: Run) -> None:
    line = "explain --game connect_four --evaluator zero --depth 4 --method alphabeta"
    out = run.quiet(line)
    assert "of 2801, best line" in out and "nothing written: more than 500 nodes" in out
    found = run.json(line)
    assert found["out"] is None and 0 < found["nodes"] < found["nodes_total"] == 2801
    assert not list(Path().iterdir())


def test_positions_of_games(run: Run) -> None:
    game = ROOT / "examples/custom_game.py"
    for line in (
        "explain",
        "explain --moves f5d6c3d3c4 --evaluator wpc --depth 1 --method pvs",
        "explain --game tic_tac_toe --position 'XOX-O--X- O' --depth 4 --method mtdf",
        f"explain --game {game} --evaluator zero --depth 1",
    ):
        assert run.json(f"{line} --out page.html")["pv"]
        assert "<svg" in Path("page.html").read_text()


@pytest.mark.slow
def test_a_tree_that_uct_has_grown(run: Run) -> None:
    line = "explain --method uct:playouts=50,playout_plies=0 --moves f5d6c3 --depth 1"
    found = run.json(f"{line} --out page.html")
    assert (found["simulations"], found["method"]) == (50, "uct:playouts=50,playout_plies=0")
    assert found["drawn"] == 1 + len(found["moves"]) < found["nodes"]
    assert found["pv"][0] in {move["move"] for move in found["moves"]}
    keys = {"move", "visits", "share", "mean", "reward", "bound", "proven"}
    assert all(move.keys() == keys for move in found["moves"])
    assert "<th>upper bound</th>" in Path("page.html").read_text()
    out = run.quiet("explain --game pig --method montecarlo:playouts=9 --out a.svg")
    assert re.search(r"\b9 simulations", out) and "a.svg" in out


def test_the_algorithms_of_the_help_are_those_there_are(run: Run) -> None:
    text = re.sub(r"[│\n ]+", " ", run.done("explain --help"))
    for name in ALGORITHMS:
        assert f" {name}" in text
        run.done(f"explain --tree {TREE} --method {name} --out a.svg")

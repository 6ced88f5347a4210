"""Trees grown by sampling explained: what is drawn of them, and what is said."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from samuel.common.errors import UserError
from samuel.games import Position
from samuel.models import load_evaluator
from samuel.reports.tree import write_tree
from samuel.search import analyse
from samuel.search.reference import sampled
from samuel.search.reference.sampled import Sampling, explain_sampling
from tests.reports.test_tree import SVG, of_class, overlaps
from tests.toys import PIG

OTHELLO = Position.from_transcript("f5d6c3d3c4")
TIC_TAC_TOE = Position.parse("XOX-O--X- O", "tic_tac_toe")


def grown(position: Position, algorithm: str = "uct:playouts=200", levels: int = 2) -> Sampling:
    return explain_sampling(position, load_evaluator("zero", position.game), levels, algorithm)


def drawn(sampling: Sampling, folder: Path) -> ElementTree.Element:
    file = write_tree(folder / "tree.svg", sampling)
    return ElementTree.parse(file).getroot()


@pytest.mark.slow
def test_the_numbers_are_those_of_the_search(tmp_path: Path) -> None:
    sampling = grown(OTHELLO)
    found = analyse(OTHELLO, "zero", method="uct:playouts=200", all_moves=True)
    told = sampling.summary()
    assert (told["value"], told["pv"], told["simulations"]) == (found.score, found.pv, 200)
    assert found.moves == {move.move: pytest.approx(move.mean) for move in sampling.moves}
    assert sum(move.visits for move in sampling.moves) == 200
    assert sum(move.share for move in sampling.moves) == pytest.approx(1.0)
    assert all(0 < (move.reward or 0) < (move.bound or 0) for move in sampling.moves)
    visits = [move.visits for move in sampling.moves]
    assert visits == sorted(visits, reverse=True)
    picture = drawn(sampling, tmp_path)
    shapes = of_class(picture, "shape")
    assert len(shapes) == told["drawn"] == len(list(sampling.root)) > 1 + len(visits)
    shown = [text.text for text in of_class(picture, "number")]
    assert {str(number) for number in visits} | {"200"} <= set(shown)
    assert len(of_class(picture, "pv", "edge")) == 2
    assert overlaps(picture) == 0


def test_the_next_simulation_goes_where_the_bound_is_highest() -> None:
    for playouts in (50, 51, 90, 133):
        before, after = (
            {m.move: m for m in grown(OTHELLO, f"uct:exploration=0.7,playouts={n}").moves}
            for n in (playouts, playouts + 1)
        )
        (went,) = [name for name in before if after[name].visits > before[name].visits]
        assert before[went].bound == max(move.bound or 0 for move in before.values())


def test_what_is_proven_is_marked(tmp_path: Path) -> None:
    sampling = grown(TIC_TAC_TOE, levels=3)
    for node in sampling.root:
        after = TIC_TAC_TOE
        for move in node.path.split():
            after = after.play(move)
        assert (node.player == "nobody") == after.is_terminal
        if node.proven:
            sides = 1 if after.side == TIC_TAC_TOE.side else -1
            assert analyse(after, "zero", depth=9, table_bits=8).score * sides * node.proven > 0
    proofs = [node.proven for node in sampling.root]
    picture = drawn(sampling, tmp_path)
    texts = [text.text for text in picture.iter(f"{SVG}text")]
    assert texts.count("loss") == proofs.count(-1) > 0
    assert texts.count("win") == proofs.count(1)
    tips = [title.text or "" for title in picture.iter(f"{SVG}title")]
    assert sum("proven loss for MAX" in tip for tip in tips) == proofs.count(-1)


@pytest.mark.slow
def test_nodes_of_chance_have_the_weights_of_what_may_come(tmp_path: Path) -> None:
    sampling = grown(Position.start(PIG), levels=3)
    picture = drawn(sampling, tmp_path)
    names = {text.text for text in of_class(picture, "halo")}
    assert {"1 1/6", "2 3/6", "3 2/6", "roll", "hold"} <= names
    chance = [node for node in sampling.root if node.player == "chance"]
    assert len(of_class(picture, "shape", "chance")) == len(chance) > 1
    assert sampling.summary()["pv"] == [move.move for move in sampling.moves][:1]
    thrown = grown(Position.start("backgammon"), "uct:playouts=100", 1)
    assert {move.bound for move in thrown.moves} == {None} and thrown.summary()["pv"] == []
    assert sum(int(move.move.split()[1].split("/")[0]) for move in thrown.moves) == 36


def test_of_a_large_tree_what_was_visited_most_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampled, "MOST_DRAWN", 40)
    sampling = grown(OTHELLO, "uct:playouts=1000", 6)
    nodes = list(sampling.root)
    assert sampling.summary()["drawn"] == len(nodes) == 40
    assert sampling.summary()["nodes"] > 500
    assert " ".join(sampling.summary()["pv"][:6]) in [node.path for node in nodes if node.is_pv]
    hidden = sum(node.hidden for node in nodes)
    picture = drawn(sampling, tmp_path)
    labels = [re.match(r"\+ (\d+) more", text.text or "") for text in picture.iter(f"{SVG}text")]
    assert sum(int(label[1]) for label in labels if label) <= hidden
    tips = "\n".join(title.text or "" for title in picture.iter(f"{SVG}title"))
    assert sum(map(int, re.findall(r"(\d+) more nodes below", tips))) == hidden > 0


def test_what_does_not_sample_is_refused() -> None:
    for algorithm, message in (
        ("alphabeta", "alphabeta does not sample; use montecarlo or uct"),
        ("uct:playouts=0", "playouts"),
        ("uct:colour=red", "no setting of uct called 'colour'"),
    ):
        with pytest.raises(UserError, match=message):
            grown(OTHELLO, algorithm)
    with pytest.raises(UserError, match="depth"):
        grown(OTHELLO, levels=0)
    with pytest.raises(UserError, match="evaluates othello"):
        explain_sampling(TIC_TAC_TOE, load_evaluator("classic", OTHELLO.game))

"""Evaluators by name, a user's own among them."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from samuel.common.errors import UserError
from samuel.games import Evaluator, game_named
from samuel.games.playing import random_positions
from samuel.games.plugins import load_plugin
from samuel.models import (
    evaluate,
    evaluator_names,
    load_evaluator,
    register_evaluator,
)
from tests.models.test_serialized import elsewhere, scores_of, serialized_of

OTHELLO = game_named("othello")
FILE = '''
from samuel import Evaluator, register_evaluator

def stones(position, integers, floats):
    """Count the squares
    of the side to move.

    Nothing else.
    """
    return floats[0] * (position[0] & integers[0])

register_evaluator(Evaluator("stones", "othello", stones, integers=[255], floats=[{weight}]))
'''


def five(position: Any, integers: Any, floats: Any) -> float:
    return 5.0


def load(folder: Path, weight: float = 0.5) -> None:
    file = folder / "stones.py"
    file.write_text(FILE.format(weight=weight))
    load_plugin(file)


def test_what_a_file_registers_has_a_name_and_a_line_about_it(tmp_path: Path) -> None:
    usual = evaluator_names(OTHELLO)
    load(tmp_path)
    about = "Count the squares of the side to move."
    assert evaluator_names(OTHELLO) == usual | {"stones": about}
    assert "stones" not in evaluator_names("connect_four")
    positions = random_positions(OTHELLO, 20, seed=1, max_plies=20)
    scores = evaluate(load_evaluator("stones"), OTHELLO, positions)
    assert scores.tolist() == [0.5 * int(row[0] & 255) for row in positions]


def test_in_another_process_the_name_means_the_same(tmp_path: Path) -> None:
    load(tmp_path)
    carried = serialized_of("stones")
    content = pickle.dumps(carried)
    assert pickle.loads(content).value[1] is carried.value[1]
    # its numbers go along: they may not be those that the file gives it
    stones = carried.value[1]
    others = serialized_of(replace(stones, name="stones_too", floats=[3.0]))
    register_evaluator(replace(stones, floats=[4.0]))
    again = serialized_of("stones")
    register_evaluator(stones)
    found = elsewhere(tmp_path, *(pickle.dumps(one) for one in (carried, others, again)))
    for one, (name, scores) in zip((carried, others, again), found, strict=True):
        assert name == one.value[1].name and scores.tolist() == scores_of(one).tolist()
    assert len({scores.sum() for _, scores in found}) == 3


def test_what_no_file_registered_stays_in_its_process(tmp_path: Path) -> None:
    load(tmp_path)
    own = Evaluator("five", "othello", five)
    for one in (own, replace(own, evaluate=replace(own).evaluate)):
        register_evaluator(one)
        with pytest.raises(UserError, match="five exists only in this process, so other processes"):
            pickle.dumps(serialized_of("five"))


@pytest.mark.parametrize(
    ("name", "game", "complaint"),
    [
        ("learned", "othello", "othello already has an evaluator 'learned'; give yours"),
        ("zero", "nim", "nim already has an evaluator 'zero'; give yours another"),
        ("a/b", "othello", "the name of an evaluator must be letters, digits, _ and -"),
        ("gtp:x", "othello", "the name of an evaluator must be letters, digits, _ and -"),
        ("-x", "othello", "the name of an evaluator must be letters, digits, _ and -"),
        ("", "othello", "the name of an evaluator must be letters, digits, _ and -"),
        ("a b", "othello", "the name of an evaluator must be letters, digits, _ and -"),
        ("five", "shogi", "game called 'shogi'"),
        ("five", "reversi", "evaluator five is for 'reversi'; write 'othello', its full"),
    ],
)
def test_what_cannot_be_named_so_is_refused(name: str, game: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        register_evaluator(Evaluator(name, game, five))

"""Evaluators of a person's own on the command line: what is wrong with one is a sentence."""

import os

import numpy as np
import pytest

from samuel.errors import UserError
from samuel.games import Evaluator
from samuel.testing import ContractError, check_evaluator

OWN = """
from samuel import Evaluator, register_evaluator
def mine(position, integers, floats):
    {body}
register_evaluator(Evaluator("mine", "othello", mine, integers=[1, 2], floats=[1.0, 2.0]))
"""


def register(folder, body):
    (folder / "own.py").write_text(OWN.format(body=body))


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("return floats[0] / (floats[0] - 1) * 0", "mine scores nan in some positions"),
        ("import math; return math.pi", "mine cannot be compiled"),
        ("return floats", "mine cannot be compiled: not every path"),
        ("raise ValueError('too hard')", "mine"),
        ("return floats.nosuch(1)", "mine cannot be compiled"),
    ],
)
def test_a_slip_in_the_function_is_a_sentence(run, tmp_path, body, complaint):
    register(tmp_path, body)
    status, out, err = run("match mine zero --depth 1 --pairs 2 --plugin own.py")
    assert (status, out) == (1, "")
    assert complaint in err.splitlines()[-1]


def test_a_file_beside_that_fails_is_a_sentence(run, tmp_path):
    (tmp_path / "own.py").write_text("import helper_of_mine\n")
    (tmp_path / "helper_of_mine.py").write_text("import nosuchmodule\n")
    status, out, err = run("models --plugin own.py")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "nosuchmodule" in err


def test_a_file_that_changes_the_directory_moves_nothing(run, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    register(tmp_path, "return floats[0]")
    with open(tmp_path / "own.py", "a") as file:
        file.write("import os\nos.chdir('elsewhere')\n")
    here = os.getcwd()
    assert run("models --plugin own.py")[0] == 0
    assert os.getcwd() == here


@pytest.mark.parametrize("name", ["classic+x.rote", "a:b"])
def test_a_card_of_what_is_not_there(run, name):
    status, out, err = run(f"models {name}")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "no evaluator called" in err


def swaps(position, integers, floats):
    position[0], position[1] = position[1], position[0]
    return 1.0


def writes(position, integers, floats):
    integers[0] += 1
    return 1.0


def looks_behind(position, integers, floats):
    return 5.0 if integers[2] > 7 else 1.0


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        (swaps, "it changes the position|at first and"),
        (writes, "changes its integers|at first and"),
        (looks_behind, "reads outside"),
    ],
)
def test_what_writes_or_looks_where_it_must_not(function, complaint):
    with pytest.raises(ContractError, match=complaint):
        check_evaluator(Evaluator("mine", "othello", function, integers=[1, 2]), game())


def game():
    from samuel.games import game_named

    return game_named("othello")


def test_numbers_are_copied_whatever_holds_them():
    base = np.arange(16, dtype=np.int32).reshape(8, 2)
    column = base[:, 0]
    column.flags.writeable = False
    made = Evaluator("mine", "othello", swaps, integers=column)
    base[:] = 7
    assert made.integers.tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
    assert made.integers.flags.c_contiguous


@pytest.mark.parametrize(
    "wrong", [{"origin": 5}, {"check": None}, {"words": -1}, {"words": "a"}, {"probcut": [1]}]
)
def test_attributes_of_the_wrong_kind_are_refused(wrong):
    with pytest.raises((TypeError, ValueError, UserError)):
        Evaluator("mine", "othello", swaps, **wrong)

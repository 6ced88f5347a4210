"""What an evaluator does with the arrays it is given."""

import functools
from typing import Any

import numpy as np
import pytest

from samuel.errors import UserError
from samuel.games import Evaluator, Position, game_named
from samuel.kernels.jit import jit
from samuel.kernels.pointers import LINE
from samuel.models import evaluate


@jit
def first_of(position: Any, integers: Any, floats: Any) -> float:
    return floats[0] + integers[0]


@pytest.mark.parametrize("ahead", range(4))
def test_its_arrays_are_its_own_and_begin_a_line_of_the_cache(ahead: int) -> None:
    integers = np.arange(100, dtype=np.int32)[ahead:]
    floats = np.arange(100, dtype=np.float32)[ahead:]
    evaluator = Evaluator("first", "othello", first_of, None, integers, floats)
    integers[:], floats[:] = 0, 0
    for array in (evaluator.integers, evaluator.floats, evaluator.evaluation().floats):
        assert array.ctypes.data % (4 * LINE) == 0
        np.testing.assert_array_equal(array, np.arange(ahead, 100))
    for array in (evaluator.integers, evaluator.floats):
        assert not array.flags.writeable
    assert evaluator.evaluation().floats.flags.writeable


def sum_of_two(position: Any, integers: Any, floats: Any) -> float:
    return floats[0] + integers[0]


def test_a_plain_function_with_numbers_as_one_types_them() -> None:
    one, other = (Evaluator(name, "othello", sum_of_two, None, [1, 2], [0.5]) for name in "ab")
    assert one.evaluate is other.evaluate
    assert (one.integers.dtype, one.floats.dtype) == (np.int32, np.float32)
    few = Evaluator("few", "othello", sum_of_two, integers=[], floats=[1e-300, np.inf])
    assert few.integers.dtype == np.int32 and few.floats.tolist() == [0.0, np.inf]
    game = game_named("othello")
    assert evaluate(one, game, Position.start(game).row[None])[0] == 1.5


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"integers": [1.5]}, "integers are whole numbers in one row, not float64"),
        ({"integers": [1 << 40]}, "integers are kept as int32"),
        ({"floats": [[1.0]]}, "floats are numbers in one row"),
        ({"floats": ["a"]}, "floats are numbers in one row"),
        ({"floats": [1e300]}, "floats are kept as float32"),
        ({"evaluate": functools.partial(sum_of_two)}, "not partial; what it is to know"),
        ({"evaluate": "classic"}, "not str"),
        ({"evaluate": lambda position: 0.0}, "takes three arguments: position, integers, floats"),
    ],
)
def test_what_cannot_be_compiled_is_refused_at_once(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises((TypeError, ValueError), match=complaint):
        Evaluator(**{"name": "a", "game": "othello", "evaluate": sum_of_two} | given)


def test_numbers_are_copied_whatever_holds_them() -> None:
    base = np.arange(16, dtype=np.int32).reshape(8, 2)
    column = base[:, 0]
    column.flags.writeable = False
    made = Evaluator("mine", "othello", sum_of_two, integers=column)
    base[:] = 7
    assert made.integers.tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
    assert made.integers.flags.c_contiguous


@pytest.mark.parametrize(
    "wrong", [{"origin": 5}, {"check": None}, {"words": -1}, {"words": "a"}, {"probcut": [1]}]
)
def test_attributes_of_the_wrong_kind_are_refused(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError, UserError)):
        Evaluator("mine", "othello", sum_of_two, **wrong)

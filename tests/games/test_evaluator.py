"""What an evaluator does with the arrays it is given."""

from typing import Any

import numpy as np
import pytest

from samuel.games import Evaluator
from samuel.kernels.jit import jit
from samuel.kernels.pointers import LINE


@jit
def first_of(position: Any, integers: Any, floats: Any) -> float:
    return floats[0] + integers[0]


@pytest.mark.parametrize("ahead", range(4))
def test_its_arrays_are_its_own_and_begin_a_line_of_the_cache(ahead: int) -> None:
    integers = np.arange(100, dtype=np.int32)[ahead:]
    floats = np.arange(100, dtype=np.float32)[ahead:]
    evaluator = Evaluator("first", "othello", first_of, None, integers, floats)
    moved = object.__new__(Evaluator)  # as from another process
    moved.__setstate__({**vars(evaluator), "integers": integers, "floats": floats})
    integers[:], floats[:] = 0, 0
    for one in (evaluator, moved):
        for array in (one.integers, one.floats, one.evaluation().floats):
            assert array.ctypes.data % (4 * LINE) == 0
            np.testing.assert_array_equal(array, np.arange(ahead, 100))
        for array in (one.integers, one.floats):
            assert not array.flags.writeable
        assert one.evaluation().floats.flags.writeable

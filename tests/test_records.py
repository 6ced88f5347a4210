"""Records: what follows from one declaration."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import float64, int32, int64, types, uint64

from samuel.kernels.digest import source_digest
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at, compose_later
from samuel.kernels.records import (
    allocate,
    array,
    array_type,
    entry,
    length,
    number,
    packed,
    part,
    pointer_type,
    record,
    thawing,
    to_pointers,
)

ADD = int64(int64, int64)


@jit(ADD)
def add(a: int, b: int) -> int:
    return a + b


@record
class Line(NamedTuple):
    """A line of play."""

    moves: Pointer = array(int32, ("plies",), "the moves from the root on", fill=-1)
    width: int = length("scores", "moves of a position", axis=1)
    scores: Pointer = array(int64, ("plies", 3), "those of all moves")
    weight: float = number("what it counts", float64, value=1.5)


@record
class Analysis(NamedTuple):
    """A line with a function."""

    line: Line = part(Line, "the line")
    call: Any = entry(ADD, "puts two together")
    kept: Pointer = array(uint64, (1,), "one word")


@jit(int64(types.Array(int64, 1, "C")))
def read_packed(block: Any) -> int:
    its = thaw(at(block, 0))
    its.line.moves[1] = 5
    return its.call(its.line.moves[0], its.line.width) + int64(2 * its.line.weight)


thaw = thawing(pointer_type(Analysis))


@jit(int64(array_type(Line)))
def read_pointers(line: Line) -> int:
    its = to_pointers(line)
    return its.moves[1] + its.width + its.scores[4] + line.scores[1, 1]


def test_arrays_are_made_as_declared_and_lengths_are_measured() -> None:
    line = allocate(Line, {"plies": 4})
    assert line.moves.dtype == np.int32 and line.moves.tolist() == [-1] * 4
    assert line.scores.shape == (4, 3) and line.scores.dtype == np.int64
    assert (line.width, line.weight) == (3, 1.5)
    given = np.zeros((2, 5), np.int64)
    line = allocate(Line, {"plies": 2}, scores=given, weight=2.0)
    assert line.scores is given and (line.width, line.weight) == (5, 2.0)
    with pytest.raises(TypeError, match="Line has no field 'score'"):
        allocate(Line, {"plies": 2}, score=given)


def test_kernels_read_what_is_packed_or_passed() -> None:
    analysis = allocate(Analysis, {"plies": 4}, call=add)
    add.ready()
    assert read_packed(packed(analysis)) == -1 + 3 + 3
    assert analysis.line.moves.tolist() == [-1, 5, -1, -1]
    analysis.line.scores[1, 1] = 10
    assert read_pointers(analysis.line) == 5 + 3 + 10 + 10


def test_the_digest_has_the_layout_of_what_is_thawed() -> None:
    @record
    class Two(NamedTuple):
        """Two arrays."""

        one: Pointer = array(int64, ("n",), "the first")
        other: Pointer = array(uint64, ("n",), "the second")

    @record
    class Swapped(NamedTuple):
        """Two arrays of the same types, their names swapped."""

        other: Pointer = array(int64, ("n",), "the first")
        one: Pointer = array(uint64, ("n",), "the second")

    @record
    class Retyped(NamedTuple):
        """Two arrays of the same names, their types swapped."""

        one: Pointer = array(uint64, ("n",), "the first")
        other: Pointer = array(int64, ("n",), "the second")

    def reading(kind: Any) -> str:
        read = thawing(kind)

        @jit
        def first(pointer: Any) -> Any:
            return read(pointer).one

        return source_digest(first.py_func)

    kinds = [pointer_type(Two), pointer_type(Swapped), pointer_type(Retyped), array_type(Two)]
    assert len({reading(kind) for kind in kinds}) == len(kinds)
    assert reading(kinds[0]) == reading(kinds[0])


def test_a_digest_is_the_same_wherever_a_file_lies(tmp_path: Path) -> None:
    """Searches keep evaluators apart in a table by it, so what they find hangs on it."""

    def digest_in(name: str, added: int) -> str:
        (file := tmp_path / f"{name}.py").write_text(f"def part(x):\n    return x + {added}\n")
        part = {"part": jit(runpy.run_path(str(file))["part"])}
        composed = compose_later("f", "def f(x):\n    return part(x)", part, int64(int64))
        return source_digest(composed.py_func)

    assert digest_in("here", 1) == digest_in("there", 1) != digest_in("elsewhere", 2)

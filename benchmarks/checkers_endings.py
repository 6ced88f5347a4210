"""Solved endings of checkers: beside another program's, and played out against best defence.

Every position of two pieces against two that is drawn at random is looked up in the database of
the checkers program `samuel` as well (`make engines`; left out where it is missing), which has no
plies, and no three against one. And won positions are played at 10 ms a move by `classic` with the
endings against a side that delays as long as it can; none may stop being won ("spoilt") or be drawn
by rule, be it by repetition or by plies without a jump or a step of a man.
"""

from __future__ import annotations

import time
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import record
from samuel.games import Position, game_named
from samuel.games.checkers.endings import solve, with_endings
from samuel.games.checkers.retrograde import (
    DRAW,
    IMPOSSIBLE,
    Tables,
    materials,
    set_up,
    size_of,
    value_at,
)
from samuel.models import load_evaluator
from samuel.search import new_memory, search

GAME = game_named("checkers")
DATABASE = Path(__file__).parents[1] / "build/engines/share/samuel/data/4pc.cdb"
COMPARED, PLAYED, SECONDS = 10_000, 1_000, 0.01
PLACES = range(32)
MOST = [material for material in materials(4) if sum(material) == 4]
POSITIONS = 6_209_316
"""Positions of four pieces: J. Schaeffer's table less those in which one side has all pieces."""


class Kind(NamedTuple):
    """Two pieces of a side, kings before men, and the numbers of the squares they stand on."""

    kings: int
    numbers: NDArray[np.int64]
    length: int


class OtherProgram:
    """Its database of two against two: two bits a position, 1 where Black wins and 2 where White.

    Squares are counted from Black's first row, in each row from White's right. A material is there
    once, and by turning the board for whoever has the fewer kings; White's pair of squares counts
    on before Black's, and before both who is to move.
    """

    def __init__(self, path: Path) -> None:
        packed = np.frombuffer(path.read_bytes(), np.uint8)
        self._values = (packed[:, None] >> np.arange(0, 8, 2) & 3).ravel()
        self._starts, start = {}, 0
        for white, black in ((2, 2), (1, 2), (1, 1), (0, 2), (0, 1), (0, 0)):
            self._starts[white, black] = start
            start += 2 * _pairs(white, True).length * _pairs(black, False).length

    def value(self, position: Position) -> int:
        """Return 1 where who is to move wins, -1 where it loses, else 0."""
        sides = [_listed(position, side) for side in (1, 0)]
        (white, its), (black, others) = sides
        turned = (white, black) not in self._starts
        mover = position.side
        if turned:
            white, black, mover = black, white, 1 - mover
            its, others = [31 - k for k in others], [31 - k for k in its]
        one, other = _pairs(white, True), _pairs(black, False)
        place = one.numbers[its[0], its[1]] + one.length * other.numbers[others[0], others[1]]
        won = self._values[self._starts[white, black] + mover + 2 * place]
        return 0 if won == 0 else 1 if won == mover + 1 else -1


def _pairs(kings: int, is_white: bool) -> Kind:
    """Number the ordered pairs of squares, or those without order where the pieces are alike."""
    numbers, count = np.zeros((32, 32), np.int64), 0
    last_row = range(4) if is_white else range(28, 32)
    for a, b in product(PLACES, PLACES):
        if kings != 1 and b < a:
            numbers[a, b] = numbers[b, a]
        elif a != b and not (kings < 2 and b in last_row) and not (kings < 1 and a in last_row):
            numbers[a, b] = count
            count += 1
    return Kind(kings, numbers, count)


def _listed(position: Position, side: int) -> tuple[int, list[int]]:
    """Return how many kings a side has, and its squares, the kings' first."""
    pieces = position.text.split(":")[1 + (side == 0)][1:].split(",")
    pieces.sort(key=lambda piece: piece[0] != "K")
    numbers = [int(piece.removeprefix("K")) - 1 for piece in pieces]
    return sum(piece[0] == "K" for piece in pieces), [4 * (k // 4) + 3 - k % 4 for k in numbers]


def _drawn(generator: np.random.Generator, listed: list[Any]) -> Position:
    """Return a position of one of the materials, either side to move."""
    row, sizes = np.zeros(5, np.uint64), np.array([size_of(one) for one in listed], float)
    while True:
        material = listed[generator.choice(len(listed), p=sizes / sizes.sum())]
        if set_up(int(generator.integers(size_of(material))), *material, row):
            side = int(generator.integers(2))
            return Position(GAME, (*(int(word) for word in row[:4]), side), side)


def compared(tables: Tables) -> dict[str, Any]:
    """Return in how many positions both databases agree."""
    other, generator = OtherProgram(DATABASE), np.random.default_rng(1)
    listed = [one for one in materials(4) if one[0] + one[2] == one[1] + one[3] == 2]
    equal = 0
    for _ in range(COMPARED):
        position = _drawn(generator, listed)
        value = value_at(tables, position.row)
        ours = 0 if value == DRAW else -1 if value & 1 else 1
        equal += ours == other.value(position)
    return {"what": "equal to the program's", "of": COMPARED, "number": equal}


def played(tables: Tables) -> list[dict[str, Any]]:
    """Return how many won positions were won, drawn by the rules' count of plies, and spoilt."""
    generator = np.random.default_rng(2)
    listed = [one for one in materials(4) if sum(one) >= 3]
    evaluator, memory = with_endings(load_evaluator("classic", GAME), tables), new_memory(GAME, 18)
    counts = {"won": 0, "drawn by rule": 0, "spoilt": 0}
    while sum(counts.values()) < PLAYED:
        position = _drawn(generator, listed)
        value = value_at(tables, position.row)
        if value != DRAW and value & 1 == 0:
            counts[_game(position, tables, evaluator, memory)] += 1
    return [{"what": name, "of": PLAYED, "number": n} for name, n in counts.items()]


def _game(position: Position, tables: Tables, evaluator: Any, memory: Any) -> str:
    """Play a won position out; return what came of it."""
    winner = position.side
    while not position.is_terminal:
        if position.side == winner:
            found = search(position, evaluator, seconds=SECONDS, memory=memory)
            position = position.play(str(found.move))
            if value_at(tables, position.row) & 1 == 0:
                return "spoilt"
        else:
            children = [position.play(move) for move in position.legal_moves()]
            position = max(children, key=lambda child: int(value_at(tables, child.row)))
    return "drawn by rule" if position.is_drawn else "won"


def main() -> None:
    """Solve four pieces, compare and play."""
    began = time.perf_counter()
    tables = solve(4)
    rows = [{"what": "s to solve", "of": 4, "number": time.perf_counter() - began}]
    parts = [tables.values[tables.starts[one] :][: size_of(one)] for one in MOST]
    assert sum((values != IMPOSSIBLE).sum() for values in parts) == POSITIONS
    if DATABASE.exists():
        rows.append(compared(tables))
    rows += played(tables)
    note = f"positions of up to 4 pieces; {1000 * SECONDS:g} ms a move, one thread"
    record("checkers_endings", rows, note)


if __name__ == "__main__":
    main()

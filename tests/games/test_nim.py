"""Nim: counts, text, and the search against the closed form."""

import itertools
import math
from functools import cache

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.features import extract, features_named
from samuel.games import Position, game_named
from samuel.games.nim.rules import HEAPS
from samuel.games.perft import perft
from samuel.models import evaluate, load_evaluator
from samuel.search import Memory, new_memory, solve

GAMES = ["nim", "nim_misere"]


def wins(game: str, heaps: tuple[int, ...]) -> bool:
    """Return whether the side to move wins: C. L. Bouton, 1901."""
    if game == "nim_misere" and max(heaps) <= 1:
        return heaps.count(1) % 2 == 0
    return bool(np.bitwise_xor.reduce(heaps))


def position_of(game: str, heaps: tuple[int, ...], side: str = "X") -> Position:
    return Position.parse(f"{'-'.join(map(str, heaps))} {side}", game)


@cache
def sequences(heaps: tuple[int, ...], depth: int) -> int:
    """Count sequences of moves, whatever the order of the heaps."""
    if depth == 0:
        return 1
    return sum(
        sequences(tuple(sorted((*heaps[:k], left, *heaps[k + 1 :]))), depth - 1)
        for k, heap in enumerate(heaps)
        for left in range(heap)
    )


@pytest.mark.parametrize("game", GAMES)
def test_perft(game: str) -> None:
    start = Position.start(game)
    counts = [1, 15, 176, 1588, 10986, 58982, 248600]
    assert [perft(start, depth) for depth in range(7)] == counts
    assert [sequences((3, 5, 7), depth) for depth in range(7)] == counts


@pytest.mark.parametrize(
    ("heaps", "winners"),
    [((1, 3, 5, 7), (False, False)), ((3, 4, 5), (True, True)), ((1, 1), (False, True))],
)
def test_known_winners(heaps: tuple[int, ...], winners: tuple[bool, bool]) -> None:
    # brute force, of normal play and of misère
    assert tuple(wins(game, heaps) for game in GAMES) == winners
    assert tuple(solved(game, heaps) > 0 for game in GAMES) == winners


def solved(game: str, heaps: tuple[int, ...], memory: Memory | None = None) -> float:
    memory = memory or new_memory(game_named(game), 16, 16)
    return solve(position_of(game, heaps), "zero", memory=memory).score


def require_winners(game: str, positions: list[tuple[int, ...]]) -> None:
    memory = new_memory(game_named(game), 18, 18)
    found = [solved(game, heaps, memory) > 0 for heaps in positions]
    assert found == [wins(game, heaps) for heaps in positions]
    rows = np.array([position_of(game, heaps).words for heaps in positions], np.uint64)
    scores = evaluate(load_evaluator("bouton", game_named(game)), game_named(game), rows)
    assert (scores > 0).tolist() == found and set(np.abs(scores)) == {1}


def random_heaps(n: int, largest: int, positions: int) -> list[tuple[int, ...]]:
    """Return n different lists of heaps from each of which at most `positions` can be reached."""
    random, found = np.random.default_rng(1901), set()
    while len(found) < n:
        heaps = tuple(random.integers(0, largest + 1, random.integers(1, HEAPS + 1)).tolist())
        if math.prod(heap + 1 for heap in heaps) <= positions:
            found.add(heaps)
    return sorted(found)


@pytest.mark.parametrize("game", GAMES)
def test_the_search_finds_the_winner_of_all_small_heaps(game: str) -> None:
    require_winners(game, list(itertools.product(range(4), range(6), range(8))))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("largest", "positions"), [(9, 300), pytest.param(15, 1000, marks=pytest.mark.slow)]
)
def test_the_search_finds_the_winner_of_random_heaps(
    game: str, largest: int, positions: int
) -> None:
    require_winners(game, random_heaps(500, largest, positions))


def test_features() -> None:
    names = ("heaps", "ones", "nim_sum", "objects", "nim_sum_bits", "winner")
    rows = [position_of("nim", heaps).row for heaps in ((3, 0, 5, 7), (1, 1), (1, 16))]
    values = extract(features_named(names, "nim"), np.array(rows))
    assert values.tolist() == [
        [3, 0, 1, 15, 1, 0, 0, 0, 0, 1],
        [2, 2, 0, 2, 0, 0, 0, 0, 0, -1],
        [2, 1, 17, 17, 1, 0, 0, 0, 1, 1],
    ]
    misere = extract(features_named(("winner",), "nim_misere"), np.array(rows))
    assert misere.tolist() == [[1], [1], [1]]


@pytest.mark.parametrize("text", ["", "3-5-7", "3-5-7 Z", "3--5 X", "-3 X", "٣ X", "3 5 7 X"])
def test_bad_positions_are_refused(text: str) -> None:
    with pytest.raises(UserError, match="like 3-5-7 X"):
        Position.parse(text, "nim")

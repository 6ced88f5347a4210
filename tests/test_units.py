import math

import pytest

from samuel.units import between, with_interval

INF = math.inf


@pytest.mark.parametrize(
    ("number", "low", "high", "words"),
    [
        (35, 10, 60, "+35 Elo (95 %: +10 to +60)"),
        (-0.2, -10.4, 9.6, "+0 Elo (95 %: -10 to +10)"),
        (INF, 312, INF, "at least +312 Elo (95 %)"),
        (-INF, -INF, -28, "at most -28 Elo (95 %)"),
        (35, -INF, 60, "+35 Elo (95 %: at most +60)"),
        (35, 10, INF, "+35 Elo (95 %: at least +10)"),
    ],
)
def test_an_infinite_end_is_no_number(number: float, low: float, high: float, words: str) -> None:
    assert with_interval(number, low, high, unit=" Elo") == words


def test_an_interval_without_ends_says_so() -> None:
    assert between(-INF, INF) == "anything" and between(-1.25, 2, 1) == "-1.2 to +2.0"
    assert with_interval(INF, 312, INF, level="") == "at least +312"
    assert with_interval(35, 10, 60, level="") == "+35 (+10 to +60)"

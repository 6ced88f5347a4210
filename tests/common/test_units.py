import math
import re
from pathlib import Path

import pytest

from samuel.common.displayable import (
    between,
    cell,
    counted,
    duration,
    rounded,
    short,
    with_interval,
)
from samuel.games import Evaluator, Position
from samuel.kernels.jit import jit
from samuel.models import evaluate

ROOT = Path(__file__).parents[2]
FOLDERS = ["arena", "cli", "games", "learning", "models", "play", "reports", "search", "selfplay"]
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


def test_one_is_no_plural() -> None:
    assert [counted(n, "game") for n in (0, 1, 1200)] == ["0 games", "1 game", "1,200 games"]


def test_no_number_has_an_exponent() -> None:
    numbers = (2083.4, 1e7, 999.96, 9.996, 5.5, -0.0149, 0.00001, -0.0, INF)
    shown = ["2,083", "10,000,000", "1,000", "10", "5.5", "-0.0149", "0.00001", "0", "inf"]
    assert [rounded(number) for number in numbers] == shown
    assert [cell("mean", number) for number in numbers[:3]] == shown[:3]
    assert [short(number) for number in (1e-5, 9.96, 2.5e13)] == ["0.00001", "10", "25,000 G"]
    times = (2.5e-6, 0.0123, 1.5, 99.96, 1234.0, 1e6)
    texts = ["2.5 \u00b5s", "12.3 ms", "1.5 s", "100 s", "20.6 min", "16,667 min"]
    assert [duration(seconds) for seconds in times] == texts


@jit
def _minus_zero(position, integers, floats):
    return -0.0


def test_nothing_is_shown_as_minus_zero() -> None:
    (score,) = evaluate(Evaluator("even", "othello", _minus_zero), "othello", Position.start())
    assert not math.copysign(1, score) < 0
    texts = {path: path.read_text() for name in FOLDERS for path in (ROOT / name).rglob("*.py")}
    signs = re.compile(r"\{[^{}\n]*:\+,?[.\dg]")
    signed = {path.name for path, text in texts.items() if signs.search(text)}
    assert not signed, "a number with a sign is written {number:+z.2f}"

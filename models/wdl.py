"""Parameters of win, draw and loss chances as files: JSON and C; and those of the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from samuel.common.errors import c_comment
from samuel.common.json_files import json_bytes, record_in
from samuel.games.evaluator import Evaluator
from samuel.games.wdl import WinDrawLoss

FORMAT = 1
_SHIPPED = Path(__file__).parent / "shipped"
_IN_POWERS = np.array([[1, 0, 0, 0], [-3, 3, 0, 0], [3, -6, 3, 0], [-1, 3, -3, 1]], np.float64)
"""Coefficients of 1, x, x**2 and x**3 from those of the Bernstein polynomials."""


class _Coefficients(TypedDict):
    """Entries of a file that are read."""

    a: list[float]
    b: list[float]
    first: float
    last: float


def wdl_bytes(wdl: WinDrawLoss, about: dict[str, Any] | None = None) -> bytes:
    """Return the content of a file of JSON."""
    content = {"format": FORMAT, **vars(wdl), **(about or {})}
    return json_bytes(content, "the chances")


def wdl_in(content: bytes, name: str, remedy: str) -> WinDrawLoss:
    """Return the parameters in a file of JSON; ValueError where they are not sound."""
    found = record_in(content, _Coefficients, name, remedy, format=FORMAT)
    return WinDrawLoss(np.array(found["a"]), np.array(found["b"]), found["first"], found["last"])


def shipped_wdl(evaluator: Evaluator) -> WinDrawLoss | None:
    """Return the parameters that come with a hand-made evaluator of the package, or None."""
    path = _SHIPPED / f"{evaluator.game}-{evaluator.name}-wdl.json"
    if not path.exists():
        return None
    return wdl_in(path.read_bytes(), str(path), "reinstall samuel")


def wdl_in_c(wdl: WinDrawLoss, title: str, unit: str) -> bytes:
    """Return a function in C99 that computes the chances."""

    def cubic(coefficients: Any) -> str:
        c0, c1, c2, c3 = (f"{c:.17g}" for c in _IN_POWERS @ coefficients)
        return f"(({c3} * x + {c2}) * x + {c1}) * x + {c0}"

    return f"""/* {c_comment(title)} */
#include <math.h>

/* Chances of a win, a draw and a loss for the side to move.
   score: score for the side to move, in {c_comment(unit)}
   progress: progress of the game, from 0 at the start to 1 at the end */
static void win_draw_loss(double score, double progress, double chances[3]) {{
    const double part = (progress - {wdl.first:.17g}) / {wdl.last - wdl.first:.17g};
    const double x = part < 0 ? 0 : part > 1 ? 1 : part;
    const double a = {cubic(wdl.a)};
    const double b = {cubic(wdl.b)};
    chances[0] = 1 / (1 + exp((a - score) / b));
    chances[2] = 1 / (1 + exp((a + score) / b));
    chances[1] = fmax(0, 1 - chances[0] - chances[2]);
}}
""".encode()

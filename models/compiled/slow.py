"""Evaluators without a compiled form: the search calls back into Python at every position.

The compiled `evaluate` calls a C function whose address stands in its integers as two words,
the lower first. That function is Python's: it takes its turn under the global lock.
"""

from __future__ import annotations

import ctypes
import math
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import int64
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.catalog import known_game
from samuel.games.evaluator import Evaluator
from samuel.games.playing import random_positions
from samuel.games.rules import EVALUATE
from samuel.kernels.jit import DISABLED, jit
from samuel.kernels.pointers import Pointer, call_address

_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_float, ctypes.POINTER(ctypes.c_uint64))
_LOWER, _WORD_BITS = 0xFFFFFFFF, 32
_PROBES = 8


class SlowEvaluatorWarning(UserWarning):
    """An evaluator has no compiled form, so that a search with it takes far longer."""


@jit(EVALUATE)
def _call_back(position: Pointer, integers: Pointer, floats: Pointer) -> float:
    address = (int64(integers[1]) << _WORD_BITS) | (int64(integers[0]) & _LOWER)
    return call_address(address, position)


_call_back.calls_python = True


def slow_evaluator(
    score: Callable[[NDArray[np.uint64]], NDArray[np.float32]],
    name: str,
    game: str,
    title: str,
    origin: str = "",
) -> Evaluator:
    """Return an evaluator that calls `score` with one position (1, K) at a time.

    An exception in `score` ends no search, since none passes through compiled code: scores are
    0 from then on, and `Evaluator.check`, called after each use, raises it.
    """
    words = known_game(game).words
    call = _Caller(score, words, title)
    _warn(call, game, title)
    callback = _CALLBACK(call)
    address = ctypes.cast(callback, ctypes.c_void_p).value or 0

    def check(_alive: Any = callback) -> None:
        call.raise_first()

    return Evaluator(
        name=name,
        game=game,
        evaluate=(lambda position, _integers, _floats: call(position)) if DISABLED else _call_back,
        words=words,
        integers=np.array([address & _LOWER, address >> _WORD_BITS], np.uint32).view(np.int32),
        origin=origin,
        check=check,
    )


class _Caller:
    """The Python side of a call: keeps the first exception, for none may leave it."""

    def __init__(self, score: Callable[[Any], Any], words: int, title: str) -> None:
        self.score = score
        self.words = words
        self.title = title
        self.first: BaseException | None = None

    def __call__(self, position: Any) -> float:
        if self.first is not None:
            return 0.0
        try:
            words = [position[k] for k in range(self.words)]
            result = float(self.score(np.array([words], np.uint64))[0])
            if not math.isfinite(result):
                raise UserError(
                    f"{self.title} returned {result!r} for the position "
                    f"{[int(word) for word in words]}"
                )
            return result
        except BaseException as error:
            self.first = error
            return 0.0

    def raise_first(self) -> None:
        first, self.first = self.first, None
        if first is not None:
            raise first


def _warn(call: _Caller, game: str, title: str) -> None:
    positions = random_positions(known_game(game), _PROBES, seed=0)
    call(positions[0])  # the first call sets things up
    started = time.perf_counter()
    for position in positions:
        call(position)
    microseconds = (time.perf_counter() - started) / _PROBES * 1e6
    call.raise_first()
    warnings.warn(
        f"{title} has no compiled form: each evaluation runs in Python and takes "
        f"{microseconds:.0f} us, where a compiled one takes under 10; use shallow searches",
        SlowEvaluatorWarning,
        stacklevel=5,
    )

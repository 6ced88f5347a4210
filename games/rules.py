"""Rules of a game as kernels take them: moves, turns, signatures and function pointers.

A position is a row of K `uint64` words, always from the side to move. Rules are plain functions
over numpy arrays under `jit`; `pointer` wraps them into compiled functions with the C signatures
below, which reach the kernels as function pointers. So one compiled search serves every game and
every evaluator, from the disk cache, and an edit of a rule recompiles only that rule
(docs/decisions/002).

`play` returns whose turn follows: OTHER, the other side's, or SAME, and with CHANCE joined to it
the dice are thrown first. Where chance is to move, the position is that of the side which then
moves; `outcomes` lists what may come, each with its weight, and `play` with an outcome in the place
of a move makes the position after it. REVERSIBLE is joined where the history counts for draws
(games/draws.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import float32, int64, types, uint64
from numpy.typing import NDArray

from samuel.kernels.jit import jit
from samuel.kernels.pointers import COUNTS, FLOATS, INTS, WORDS, compose, view
from samuel.kernels.records import array_type, entry, record

Words: TypeAlias = tuple[int, ...]

PASS = -1
"""The one legal move of a side that must pass."""
NO_MOVE = -2
"""Placeholder where there is no move to name: an empty table entry, a finished game."""
MAX_MOVE = (1 << 30) - 1
"""Moves are integers from 0 to this. Table entries hold the lowest 16 bits, which should differ
between the moves of a position: they decide which to search first."""
MOST_MOVES = 0xFFFD
"""No position of any game has more moves."""

MOST_PLIES = (1 << 15) - 1
"""Most plies of a game: a row of a dataset numbers them in 16 bits."""

ENDLESS = 1 << 30
"""`plies_left` inside kernels where a game has no bound."""
USUAL_PLIES = 80
"""A clock is shared out as if no game had more plies left."""

ROW = uint64[::1]
ROWS = uint64[:, ::1]

OTHER, SAME, CHANCE, REVERSIBLE, CHECK = 0, 1, 2, 4, 8
"""Turns that follow a move, and what is joined to them.

OTHER is the other side's turn, SAME the same side's again. CHANCE is joined to either (`SAME |
CHANCE`) where the dice are thrown before that side moves. REVERSIBLE is joined where what stood
before the move may stand again. CHECK is joined to REVERSIBLE where the move attacks: a side that
makes nothing but such moves until a position stands too often has lost. Sides then move in turn,
and win or lose 1.
"""


LEGAL_MOVES = int64(WORDS, INTS)
NOISY = int64(WORDS, int64, int64, INTS)
PLAY = int64(WORDS, int64, WORDS)
OUTCOMES = int64(WORDS, INTS, INTS)
IS_TERMINAL = types.boolean(WORDS)
NULL_MOVE = int64(WORDS, WORDS)
EXCHANGE = int64(WORDS, int64)
UTILITY = float32(WORDS)
COUNT = int64(WORDS)
COUNT_REPLIES = int64(WORDS, INTS)
ORDER = types.void(WORDS, INTS, int64, INTS)
EVALUATE = float32(WORDS, INTS, FLOATS)
EVALUATE_WITHIN = float32(WORDS, INTS, FLOATS, float32, float32)
REFRESH = types.void(WORDS, INTS, FLOATS, WORDS)
UPDATE = types.void(WORDS, WORDS, INTS, FLOATS, WORDS, WORDS)
EVALUATE_STATE = float32(WORDS, INTS, FLOATS, WORDS)
SOLVE = int64(
    *(WORDS, int64, int64, WORDS, int64, INTS, COUNTS),
    *(types.FunctionType(EVALUATE), INTS, FLOATS, int64),
)

Row: TypeAlias = NDArray[np.uint64]


@record
class Rules(NamedTuple):
    """Rules of a game for a kernel: function pointers, from the side to move throughout."""

    legal_moves: Any = entry(LEGAL_MOVES, "lists the moves")
    play: Any = entry(PLAY, "makes a move")
    outcomes: Any = entry(OUTCOMES, "lists what chance may bring, with its weights")
    is_terminal: Any = entry(IS_TERMINAL, "returns whether the game is over")
    utility: Any = entry(UTILITY, "returns the result of a finished game")
    plies_left: Any = entry(COUNT, "counts the plies left at most")
    left: Any = entry(COUNT, "counts what is left of the game")
    order: Any = entry(ORDER, "gives hints for the order of moves")
    noisy: Any = entry(NOISY, "lists the moves of quiescence search")
    candidates: Any = entry(LEGAL_MOVES, "lists the moves that are worth a search")
    in_check: Any = entry(IS_TERMINAL, "returns whether the side to move must meet a threat")
    null_move: Any = entry(NULL_MOVE, "passes")
    exchange: Any = entry(EXCHANGE, "returns the gain of a move by captures on its square")
    solve: Any = entry(SOLVE, "solves an endgame")


RULES = array_type(Rules)


@jit
def keep_order(position: Row, moves: Any, n: int, hints: Any) -> None:
    """Give every move the same hint: the order in which the game lists them."""
    for i in range(n):
        hints[i] = 0


@jit
def no_noisy_moves(position: Row, move: int, beyond: int, moves: Any) -> int:
    """Rule of a game without noisy moves: every position is quiet."""
    return 0


@jit
def no_exchange(position: Row, move: int) -> int:
    """Rule of a game without exchanges: no move gains anything."""
    return 0


SIGNATURES: dict[str, tuple[Any, str]] = {
    "legal_moves": (LEGAL_MOVES, "position, moves"),
    "play": (PLAY, "position, move, child"),
    "outcomes": (OUTCOMES, "position, outcomes, weights"),
    "is_terminal": (IS_TERMINAL, "position"),
    "utility": (UTILITY, "position"),
    "plies_left": (COUNT, "position"),
    "left": (COUNT, "position"),
    "order": (ORDER, "position, moves, n, hints"),
    "noisy": (NOISY, "position, move, beyond, moves"),
    "candidates": (LEGAL_MOVES, "position, moves"),
    "in_check": (IS_TERMINAL, "position"),
    "null_move": (NULL_MOVE, "position, child"),
    "exchange": (EXCHANGE, "position, move"),
    "solve": (
        SOLVE,
        "position, alpha, beta, table, rows, scratch, counters, evaluate, integers, floats, guided",
    ),
}
"""Signature of each rule, and its parameters."""
ABSENT = {
    **dict.fromkeys(("outcomes", "noisy", "null_move", "exchange", "solve"), "0"),
    **{"in_check": "False", "plies_left": str(ENDLESS)},
}
"""Values of rules that a game may leave out."""


def pointer(name: str, rule: Any, words: int, max_moves: int, bits: int = -1) -> Any:
    """Return a rule as a compiled function over pointers; `bits` are kept of a turn.

    A rule of ABSENT may be None.
    """
    signature, parameters = SIGNATURES[name]
    views = dict.fromkeys(("moves", "outcomes", "weights", "hints"), max_moves)
    views |= {} if name == "solve" else {"position": words, "child": words}
    arguments = [f"view({p}, {views[p]})" if p in views else p for p in parameters.split(", ")]
    call, kind = f"rule({', '.join(arguments)})", signature.return_type
    if kind in (int64, float32):
        call = f"{kind}({call})"
    if name == "play":
        call += f" & {bits}"
    called = name
    if rule is None:  # the same function for all games
        called, call = f"no_{name}", ABSENT[name]
    source = f"def {called}({parameters}):\n    return {call}"
    parts = {"rule": rule, "view": view, "int64": int64, "float32": float32}
    returns = "OTHER or SAME" if name == "play" else "a number"
    return compose(called, source, parts, signature, returns)

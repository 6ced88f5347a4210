"""The interface between the rules of a game, an evaluator, and everything that uses them.

A position is a row of K `uint64` words, always from the side to move. Rules and evaluators are
compiled functions with the signatures below and reach the kernels as function pointers: one
compiled search serves every game and every evaluator, from the disk cache, and an edit of a
function behind a pointer recompiles that function alone (docs/decisions/0002).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numba import float32, int32, int64, types, uint64
from numba.extending import typeof_impl
from numpy.typing import NDArray

from errors import UserError
from jit import jit

PASS = -1
"""The one legal move of a side that must pass."""
NO_MOVE = -2
"""Where there is no move to name: an empty table entry, a finished game."""
MAX_MOVE = 0xFFFD
"""Moves are integers from 0 to this, so that a table entry can hold one in 16 bits."""

ROW = types.Array(uint64, 1, "C")
ROWS = types.Array(uint64, 2, "C")
MOVES = types.Array(int32, 1, "C")
INTEGERS = types.Array(int32, 1, "C")
FLOATS = types.Array(float32, 1, "C")
TABLE = types.Array(uint64, 2, "C")
SCRATCH = types.Array(int32, 2, "C")
COUNTERS = types.Array(int64, 1, "C")

LEGAL_MOVES = int64(ROW, MOVES)
PLAY = types.void(ROW, int64, ROW)
IS_TERMINAL = types.boolean(ROW)
UTILITY = float32(ROW)
REMAINING = int64(ROW)
ORDER = types.void(ROW, MOVES, int64, MOVES)
SOLVE = int64(ROW, int64, int64, TABLE, SCRATCH, COUNTERS)
EVALUATE = float32(ROW, INTEGERS, FLOATS)

Row: TypeAlias = NDArray[np.uint64]
Words: TypeAlias = tuple[int, ...]


class Rules(NamedTuple):
    """What a kernel needs of a game: the function pointers, from the side to move throughout."""

    legal_moves: Any
    play: Any
    is_terminal: Any
    utility: Any
    remaining: Any
    order: Any
    solve: Any


class Evaluation(NamedTuple):
    """What a kernel needs of an evaluator: `evaluate(position, integers, floats)` and arrays."""

    evaluate: Any
    integers: Any
    floats: Any


def _pointers(*signatures: Any) -> list[Any]:
    return [types.FunctionType(signature) for signature in signatures]


RULES = types.NamedTuple(
    _pointers(LEGAL_MOVES, PLAY, IS_TERMINAL, UTILITY, REMAINING, ORDER, SOLVE), Rules
)
EVALUATION = types.NamedTuple([*_pointers(EVALUATE), INTEGERS, FLOATS], Evaluation)


@typeof_impl.register(Rules)
def _type_of_rules(_value: Rules, _context: Any) -> Any:
    # numba would type each field as its own dispatcher, and every game would compile anew
    return RULES


@typeof_impl.register(Evaluation)
def _type_of_evaluation(_value: Evaluation, _context: Any) -> Any:
    return EVALUATION


@jit(ORDER)
def keep_order(position: Row, moves: Any, n: int, hints: Any) -> None:
    """Give every move the same hint: the order in which the game lists them."""
    for i in range(n):
        hints[i] = 0


@jit(SOLVE)
def no_solver(
    position: Row, alpha: int, beta: int, table: Any, scratch: Any, counters: Any
) -> int:
    """Stand where a game has no endgame solver of its own; never called."""
    return 0


class Notation(Protocol):
    """How people read and write a game's positions and moves."""

    def read(self, text: str) -> tuple[Words, int]:
        """Return the words and the side to move (0 moves first); raise UserError on bad text."""

    def write(self, words: Words, side: int) -> str:
        """Return the one-line text that `read` takes back."""

    def board(self, words: Words, side: int) -> str:
        """Return the position drawn over several lines."""

    def read_move(self, text: str) -> int:
        """Return the move that `text` names; raise UserError where it names none."""

    def write_move(self, move: int) -> str:
        """Return the move's text."""

    def read_moves(self, transcript: str) -> list[int]:
        """Return the moves of a transcript; raise UserError where it names something else."""


@dataclass(frozen=True)
class Game:
    """A two-player zero-sum game of perfect information.

    Attributes:
        name: lower case, words joined by an underscore.
        start: the words of the initial position; the first player (side 0) moves.
        legal_moves: `legal_moves(position, moves) -> n` lists the n legal moves in `moves`
            (int32). n is 0 only when the game is over; where a side must pass, the one move
            is `PASS`.
        play: `play(position, move, child)` writes the position after a legal move, seen by the
            side then to move.
        is_terminal: `is_terminal(position)`, true when the game is over.
        utility: `utility(position)`, the result of a finished game for the side to move, in
            the game's unit (float32).
        remaining: `remaining(position)`, how far the end is: the number of empty squares, or
            any count that falls toward 0.
        notation: how people write it.
        max_moves: no position has more legal moves.
        max_plies: no game is longer, passes included.
        unit: the name of the unit of scores.
        max_utility: the largest utility.
        sooner_is_better: a win scores more the sooner it comes (games whose unit is the result).
        order: `order(position, moves, n, hints)` rates moves for the search: higher first.
        solve: `solve(position, alpha, beta, table, scratch, counters)` returns the exact
            utility, fail-soft, faster than a plain search would; or None.
        exact_from: the game is solved from this many `remaining` by default.
        symmetries: int8 (S, 64), each row a permutation of the bits of every word that leaves
            the game unchanged; the first is the identity.
        opening_plies: random plies at the start of a self-play or match game, by default.
        squares: the squares of the board, in the order of features and pictures, as (name, bit).
        shape: rows and columns of the board, or None where it is no rectangle.
    """

    name: str
    start: Words
    legal_moves: Callable[..., Any]
    play: Callable[..., Any]
    is_terminal: Callable[..., Any]
    utility: Callable[..., Any]
    remaining: Callable[..., Any]
    notation: Notation
    max_moves: int
    max_plies: int
    unit: str = "result"
    max_utility: float = 1.0
    sooner_is_better: bool = True
    order: Callable[..., Any] = keep_order
    solve: Callable[..., Any] | None = None
    exact_from: int = 0
    opening_plies: int = 4
    symmetries: NDArray[np.int8] = field(
        default_factory=lambda: np.arange(64, dtype=np.int8)[None], repr=False, compare=False
    )
    squares: tuple[tuple[str, int], ...] = ()
    shape: tuple[int, int] | None = None

    @property
    def words(self) -> int:
        """The number K of words a position takes."""
        return len(self.start)

    @functools.cached_property
    def rules(self) -> Rules:
        """The function pointers, as a kernel takes them."""
        return Rules(
            self.legal_moves,
            self.play,
            self.is_terminal,
            self.utility,
            self.remaining,
            self.order,
            self.solve or no_solver,
        )

    @functools.cached_property
    def max_remaining(self) -> int:
        """`remaining` of the initial position."""
        return int(self.remaining(self.row(self.start)))

    def row(self, words: Words) -> Row:
        """Return the position as an array of K words."""
        return np.array(words, dtype=np.uint64)


@dataclass(frozen=True)
class Evaluator:
    """A static evaluation that the search can run.

    Attributes:
        name: what reports call it.
        game: the name of the game it is for.
        evaluate: `evaluate(position, integers, floats)` returns the score for the side to move,
            in the game's unit (float32). It need not look whether the game is over: the search
            scores finished games by their utility.
        integers, floats: its flat parameters (int32, float32). `floats` may end in room for
            intermediate results, so each thread takes its own `evaluation()`.
        origin: where it came from, for people.
        check: called after each use of the kernel; raises what the evaluator could not raise
            inside it.
    """

    name: str
    game: str
    evaluate: Callable[..., Any]
    integers: NDArray[np.int32] = field(default_factory=lambda: np.zeros(1, np.int32), repr=False)
    floats: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros(1, np.float32), repr=False
    )
    origin: str = "hand-made"
    check: Callable[[], None] = field(default=lambda: None, repr=False)

    def evaluation(self) -> Evaluation:
        """Return what a kernel takes, with arrays that no other thread writes to."""
        return Evaluation(self.evaluate, self.integers.copy(), self.floats.copy())

    def require_game(self, game: Game) -> None:
        """Raise UserError unless this evaluator is for `game`."""
        if self.game not in (game.name, "any"):
            raise UserError(
                f"{self.name} evaluates {self.game}, not {game.name}; "
                f"choose a model for {game.name} (samuel models --game {game.name} lists them)"
            )

"""An evaluator: a static evaluation that the search can run, with its parameters."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numba import float32, int32
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.catalog import known_game
from samuel.games.game import Game, Unchanging
from samuel.games.rules import EVALUATE, EVALUATE_STATE, REFRESH, UPDATE
from samuel.games.wdl import WinDrawLoss
from samuel.kernels.digest import source_digest
from samuel.kernels.jit import EntryPoint, first_paragraph, jit
from samuel.kernels.pointers import aligned, compose, is_aligned, view
from samuel.kernels.records import array, array_type, entry, number, pointer_type, record

ANY_LENGTH = 1 << 40
"""The length that a kernel gives an array whose true length it does not know."""
HAND_MADE = "hand-made"
"""Origin of an evaluator that was not fitted."""
_BEHIND = 1 << 16
"""Numbers behind the parameters by which it is seen whether any of these is read."""
_DEEPEST_CUT, _PAIRS_OF_FIELDS = 64, (2, 4)
"""Bounds of the parameters of ProbCut, as search/alphabeta/probcut.py reads them."""


@record
class Evaluation(NamedTuple):
    """Evaluator for a kernel: `evaluate(position, integers, floats)` and its data."""

    evaluate: Any = entry(EVALUATE, "returns the score of a position")
    integers: Any = array(int32, ("integers",), "its parameters")
    floats: Any = array(float32, ("floats",), "its parameters, and its room")


@record
class Incremental(NamedTuple):
    """Functions by which an evaluation follows the line of play (an accumulator, as of an NNUE).

    A state is a row of words for a position. It depends only on the position, not on the moves
    before: `update` writes what `refresh` would.
    """

    refresh: Any = entry(REFRESH, "`refresh(position, integers, floats, state)` writes the state")
    update: Any = entry(
        UPDATE,
        "`update(position, child, integers, floats, state, child_state)` writes the state of a "
        "child, which a move or a pass leads to",
    )
    evaluate_state: Any = entry(
        EVALUATE_STATE, "`evaluate_state(position, integers, floats, state)` returns the score"
    )
    size: int = number("words of a state")


EVALUATION = array_type(Evaluation)
"""As Python passes it: with arrays."""
STATIC = pointer_type(Evaluation)
"""As kernels pass it on: with pointers (`to_pointers`)."""


@dataclass(frozen=True, eq=False, repr=False)
class Evaluator(Unchanging):
    """A static evaluation that the search can run.

    Attributes
    ----------
    name
        Name in reports.
    game
        Name of the game.
    evaluate
        `evaluate(position, integers, floats)` returns the score for the side to move, in the game's
        unit. It is a plain function or one under `jit`; functions that it calls are under `jit`. It
        is not called for finished games, which score their utility. Array lengths are unknown in
        it and indices are not checked: use no len() and no index from the end
        (`testing.check_evaluator` finds both). Division by 0 gives infinity. Global numbers are
        fixed at compilation, so put what changes into `integers` and `floats`. A function that is
        already compiled over pointers (EVALUATE) is accepted too, and may have the attributes
        `within` and `incremental`.
    words
        Number K of words of a position. None for the K of the registered game of this name.
    integers, floats
        Parameters, int32 and float32, each one row. They are copied and never changed. All threads
        share `integers`; each thread has a copy of `floats`, which may have room for intermediate
        results.
    origin
        Source of the evaluator, in words.
    probcut
        Parameters of ProbCut, float32 (stages, depths, pairs, fields), or None.
    wdl
        Chances of a win, a draw and a loss by score and progress, or None.
    ignores_chance
        True if the score of a position is equal before and after a throw of dice. The search
        then evaluates once for all throws.
    check
        Function that is called after each use of the kernel, and raises errors for it.
    source
        Compiled form, or the call that made the evaluator (Derivation), by which it is pickled.
        None for others, which are pickled by name or folder.

    Examples
    --------
    >>> import samuel
    >>> def moves_left(position, integers, floats):
    ...     return 1.0
    >>> samuel.Evaluator("constant", "tic_tac_toe", moves_left)
    Evaluator('constant', tic_tac_toe, hand-made)
    """

    name: str
    game: str
    evaluate: Callable[..., Any]
    words: int | None = None
    integers: NDArray[np.int32] = field(default_factory=lambda: np.zeros(1, np.int32), repr=False)
    floats: NDArray[np.float32] = field(default_factory=lambda: np.zeros(1, np.float32), repr=False)
    origin: str = HAND_MADE
    probcut: NDArray[np.float32] | None = field(default=None, repr=False)
    wdl: WinDrawLoss | None = field(default=None, repr=False)
    ignores_chance: bool = False
    check: Callable[[], None] = field(default=lambda: None, repr=False)
    source: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self._require_types()
        is_own = not isinstance(self.evaluate, EntryPoint)
        if isinstance(self.evaluate, FunctionType):
            object.__setattr__(self, "evaluate", _under_jit(self.evaluate))
        _require_function(self.evaluate)
        if self.probcut is not None and not probcut_is_sound(self.probcut):
            raise ValueError(
                "parameters of ProbCut must be float32 of shape (stages, depths, 2, 4), all "
                "finite: in each pair a shallow depth below the deep one, a positive slope "
                "and a sigma of at least 0"
            )
        for name, dtype in (("integers", np.int32), ("floats", np.float32)):
            given = _numbers(name, getattr(self, name), dtype)
            # those of models are laid out once, and nobody else has them
            if is_own or given.flags.writeable or not is_aligned(given):
                given = aligned(given)
                given.flags.writeable = False
            object.__setattr__(self, name, given)

    def _require_types(self) -> None:
        """Raise TypeError or ValueError where an attribute that is no array cannot be used."""
        for name in ("name", "game", "origin"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name} must be text (got {getattr(self, name)!r})")
        if self.words is not None and not (type(self.words) is int and self.words > 0):
            raise ValueError(
                f"words must be the number of words of a position (got {self.words!r:.60})"
            )
        if not callable(self.check):
            raise TypeError(f"check must be a function without arguments (got {self.check!r})")

    def __repr__(self) -> str:
        origin = f", {self.origin}" if self.origin else ""
        return f"Evaluator({self.name!r}, {self.game}{origin})"

    @property
    def within(self) -> Any:
        """Entry point for lazy evaluation, or None.

        `within(position, integers, floats, low, high)` returns the score if that lies between `low`
        and `high`. Otherwise it may return a bound: a number that is at most `low` and not below
        the score, or at least `high` and not above the score. An evaluation can thus stop as soon
        as the score is known to leave the window. Its signature is EVALUATE_WITHIN.
        """
        return getattr(self.evaluate, "within", None)

    @property
    def incremental(self) -> Incremental | None:
        """Functions that keep a state up to date along the line of a search, or None."""
        return getattr(self.evaluate, "incremental", None)

    @property
    def orders_endings(self) -> bool:
        """True where a game's own solver is faster with its order of moves: for compiled models."""
        return self.origin != HAND_MADE and not getattr(self.evaluate, "calls_python", False)

    def evaluation(self) -> Evaluation:
        """Return the evaluator as kernels take it, with its own copy of the floats."""
        return Evaluation(self.entry_point, self.integers, aligned(self.floats))

    @functools.cached_property
    def entry_point(self) -> Any:
        """`evaluate` over pointers (EVALUATE); shared by all evaluators with the same one."""
        return _evaluate_pointer(self.evaluate, self._words)

    @property
    def _words(self) -> int:
        return known_game(self.game).words if self.words is None else self.words

    @property
    def about(self) -> str:
        """Description in one line: the start of the function's docstring, or the origin."""
        return first_paragraph(self.evaluate) or self.origin

    def is_like(self, other: Evaluator) -> bool:
        """Return whether another evaluator has equal code and equal parameters."""
        names = ("integers", "floats", "probcut")
        pairs = [(getattr(self, name), getattr(other, name)) for name in names]
        # one made long ago and one made now are compiled apart, from the same source
        is_same = self.function is other.function or (
            source_digest(self.function) == source_digest(other.function)
        )
        return all(np.array_equal(a, b) for a, b in pairs) and is_same

    @property
    def function(self) -> Any:
        """Function that `evaluate` was compiled from."""
        return getattr(self.evaluate, "py_func", self.evaluate)

    def followed_by(self, value: int) -> Evaluator:
        """Return the evaluator with 65,536 further numbers, to find reads beyond its parameters."""
        if isinstance(self.evaluate, EntryPoint):
            return self
        integers, floats = (
            np.concatenate([own, np.full(_BEHIND + value, value, own.dtype)])
            for own in (self.integers, self.floats)
        )
        pointer = _evaluate_pointer(self.evaluate, self._words, len(integers), len(floats))
        return replace(self, evaluate=pointer, integers=integers, floats=floats)

    def require_game(self, game: Game) -> None:
        """Raise UserError if the evaluator is for another game."""
        if self.game not in (game.name, "any"):
            raise of_another_game(self.name, self.game, game)


def of_another_game(name: str, its: str, game: Game) -> UserError:
    """Return the error about an evaluator, by its name or folder, that is for another game."""
    return UserError(
        f"{name} evaluates {its}, not {game.name}; choose an evaluator for {game.name} (samuel "
        f"models --game {game.name} lists them)"
    )


class Derivation(NamedTuple):
    """Call by which another process makes an evaluator again."""

    function: Callable[..., Evaluator]
    arguments: tuple[Any, ...]
    evaluator: Evaluator


def derived(evaluator: Evaluator, function: Callable[..., Evaluator], *arguments: Any) -> Evaluator:
    """Return an evaluator that pickles as the call that made it."""
    return replace(evaluator, source=Derivation(function, arguments, evaluator))


class SharingEvaluator(Evaluator):
    """An evaluator all of whose searches write to one array of floats."""

    shared: NDArray[np.float32]

    @classmethod
    def of(cls, shared: NDArray[np.float32], **values: Any) -> SharingEvaluator:
        """Return the evaluator of these floats and the other values of an Evaluator."""
        made = cls(floats=shared, **values)
        object.__setattr__(made, "shared", shared)
        return made

    def evaluation(self) -> Evaluation:
        """Return what a kernel takes: the array itself, not a copy."""
        return Evaluation(self.entry_point, self.integers, self.shared)


@jit
def _nothing(position: Any, integers: Any, floats: Any) -> float:
    return 0.0


def zero_evaluator(game: Game) -> Evaluator:
    """Return the evaluator of a game that scores every position 0."""
    return Evaluator("zero", game.name, _nothing, game.words)


def probcut_is_sound(parameters: NDArray[np.float32]) -> bool:
    """Return whether a kernel may use parameters of ProbCut: a shallow search must be shallower."""
    if not isinstance(parameters, np.ndarray) or not parameters.flags.c_contiguous:
        return False
    if parameters.dtype != np.float32 or parameters.ndim != 4 or 0 in parameters.shape:
        return False
    if parameters.shape[1] > _DEEPEST_CUT or parameters.shape[2:] != _PAIRS_OF_FIELDS:
        return False
    shallow, slope, _, sigma = np.moveaxis(parameters, 3, 0)
    deep = np.arange(parameters.shape[1])[None, :, None]
    used = shallow != 0
    return bool(
        np.isfinite(parameters).all()
        and np.all((shallow == np.round(shallow)) & (shallow >= 0))
        and np.all((shallow < deep) & (slope > 0) & (sigma >= 0) | ~used)
    )


@functools.lru_cache(maxsize=256)
def _evaluate_pointer(
    evaluate: Any, words: int, integers: int = ANY_LENGTH, floats: int = ANY_LENGTH
) -> Any:
    """Return a function as an entry point over pointers; the lengths are what it takes them for."""
    if isinstance(evaluate, EntryPoint):
        if evaluate.declared != EVALUATE:
            raise TypeError(f"{evaluate.__name__} has the wrong signature, {evaluate.declared}")
        return evaluate
    source = (
        "def evaluate(position, integers, floats):\n"
        # where a path returns None this fails to compile, here rather than in the search
        f"    return float32(static(view(position, {words}), view(integers, {integers}),"
        f" view(floats, {floats})))"
    )
    parts = {"static": evaluate, "view": view, "float32": float32}
    return compose("evaluate", source, parts, EVALUATE, called=evaluate.__name__)


def _require_function(evaluate: Any) -> None:
    """Raise TypeError where it is no function that is compiled, or takes other arguments."""
    function = getattr(evaluate, "py_func", evaluate)
    if not isinstance(function, FunctionType):
        raise TypeError(
            "evaluate must be a plain function, or one under jit (got "
            f"{type(evaluate).__name__}); give further data as integers and floats"
        )
    try:
        inspect.signature(function).bind(*range(3))
    except TypeError:
        raise TypeError(
            f"{function.__name__} must take three arguments: position, integers, floats"
        ) from None


def _numbers(name: str, given: Any, dtype: type[np.number[Any]]) -> NDArray[Any]:
    """Return parameters as the kernels take them; ValueError where they are no such numbers."""
    array = np.asarray(given)
    if array.dtype == dtype and array.ndim == 1:
        return array
    kinds, what = ("iub", "integers") if dtype is np.int32 else ("iubf", "numbers")
    if array.ndim != 1 or (array.size and array.dtype.kind not in kinds):
        raise ValueError(
            f"{name} must be {what} in one row (got {array.dtype} in {array.ndim} axes)"
        )
    with np.errstate(over="ignore"):
        numbers = array.astype(dtype)
    if not np.allclose(numbers, array, rtol=1e-6, atol=1e-37, equal_nan=True):
        raise ValueError(f"{name} are stored as {np.dtype(dtype).name}, and some values do not fit")
    return numbers


@functools.lru_cache(maxsize=256)
def _under_jit(function: Callable[..., Any]) -> Any:
    """Return a plain function under `jit`: of the last 256 the same again, not compiled twice."""
    return jit(function)

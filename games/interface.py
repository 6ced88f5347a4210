"""The interface between the rules of a game and everything that uses them.

A position is a row of K `uint64` words, always from the side to move. Rules are plain functions
over numpy arrays under `jit`; `Game.rules` wraps them into compiled functions with the C
signatures below, which reach the kernels as function pointers. So one compiled search serves every
game and every evaluator, from the disk cache, and an edit of a rule recompiles that rule alone
(docs/decisions/002).

`play` says whose turn follows: OTHER, the other side's, or SAME, and with CHANCE joined to it the
dice are thrown first. Where chance is to move, the position is that of the side which then moves;
`outcomes` lists what may come, each with its weight, and `play` with an outcome in the place of a
move makes the position after it. REVERSIBLE is joined where the past counts for draws
(games/draws.py).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numba import float32, int32, int64, types, uint64
from numpy.typing import ArrayLike, NDArray

from samuel.common.errors import (
    UserError,
    require_number,
    unknown,
)
from samuel.games.board import Board
from samuel.games.defaults import Defaults
from samuel.kernels.compose import compose
from samuel.kernels.jit import jit
from samuel.kernels.pointers import COUNTS, FLOATS, INTS, WORDS, at, view
from samuel.kernels.records import array_type, entry, record

PASS = -1
"""The one legal move of a side that must pass."""
NO_MOVE = -2
"""Placeholder where there is no move to name: an empty table entry, a finished game."""
MAX_MOVE = (1 << 30) - 1
"""Moves are integers from 0 to this. Table entries hold the lowest 16 bits, which should tell the
moves of a position apart: they are told which to search first."""
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
Words: TypeAlias = tuple[int, ...]


@record
class Rules(NamedTuple):
    """Rules of a game for a kernel: function pointers, from the side to move throughout."""

    legal_moves: Any = entry(LEGAL_MOVES, "lists the moves")
    play: Any = entry(PLAY, "makes a move")
    outcomes: Any = entry(OUTCOMES, "lists what chance may bring, with its weights")
    is_terminal: Any = entry(IS_TERMINAL, "says whether the game is over")
    utility: Any = entry(UTILITY, "says what a finished game is worth")
    plies_left: Any = entry(COUNT, "counts the plies left at most")
    left: Any = entry(COUNT, "counts what is left of the game")
    order: Any = entry(ORDER, "gives hints for the order of moves")
    noisy: Any = entry(NOISY, "lists the moves of quiescence search")
    candidates: Any = entry(LEGAL_MOVES, "lists the moves that are worth a search")
    in_check: Any = entry(IS_TERMINAL, "says whether the side to move must meet a threat")
    null_move: Any = entry(NULL_MOVE, "passes")
    exchange: Any = entry(EXCHANGE, "says what a move gains by captures on its square")
    solve: Any = entry(SOLVE, "solves an endgame")


RULES = array_type(Rules)


@jit
def keep_order(position: Row, moves: Any, n: int, hints: Any) -> None:
    """Give every move the same hint: the order in which the game lists them."""
    for i in range(n):
        hints[i] = 0


@jit
def no_outcomes(position: Row, outcomes: Any, weights: Any) -> int:
    """Rule of a game without chance: no outcomes."""
    return 0


@jit
def no_noisy_moves(position: Row, move: int, beyond: int, moves: Any) -> int:
    """Rule of a game without noisy moves: every position is quiet."""
    return 0


@jit
def never_in_check(position: Row) -> bool:
    """Rule of a game without check."""
    return False


@jit
def no_null_move(position: Row, child: Row) -> int:
    """Rule of a game without a null move."""
    return 0


@jit
def no_exchange(position: Row, move: int) -> int:
    """Rule of a game without exchanges: no move gains anything."""
    return 0


@jit
def no_solver(
    position: Any,
    alpha: int,
    beta: int,
    table: Any,
    rows: int,
    scratch: Any,
    counters: Any,
    evaluate: Any,
    integers: Any,
    floats: Any,
    guided: int,
) -> int:
    """Placeholder solver of a game without an endgame solver; never called."""
    return 0


@jit(int64(types.FunctionType(LEGAL_MOVES), ROW, int32[::1]))
def list_moves(legal_moves: Any, position: Any, moves: Any) -> int:
    """Call a rule `legal_moves` from Python."""
    return legal_moves(at(position, 0), at(moves, 0))


@jit(int64(types.FunctionType(NOISY), ROW, int64, int64, int32[::1]))
def _list_noisy(noisy: Any, position: Any, move: int, beyond: int, moves: Any) -> int:
    return noisy(at(position, 0), move, beyond, at(moves, 0))


@jit(int64(types.FunctionType(PLAY), ROW, int64, ROW))
def play_move(play: Any, position: Any, move: int, child: Any) -> int:
    """Call a rule `play` from Python."""
    return play(at(position, 0), move, at(child, 0))


@jit(int64(types.FunctionType(OUTCOMES), ROW, int32[::1], int32[::1]))
def list_outcomes(outcomes: Any, position: Any, listed: Any, weights: Any) -> int:
    """Call a rule `outcomes` from Python."""
    return outcomes(at(position, 0), at(listed, 0), at(weights, 0))


@jit(types.boolean(types.FunctionType(IS_TERMINAL), ROW))
def _is_terminal(is_terminal: Any, position: Any) -> bool:
    return is_terminal(at(position, 0))


@jit(float32(types.FunctionType(UTILITY), ROW))
def _utility(utility: Any, position: Any) -> float:
    return utility(at(position, 0))


@jit(int64(types.FunctionType(COUNT), ROW))
def _count(rule: Any, position: Any) -> int:
    return rule(at(position, 0))


@jit
def endless(position: Row) -> int:
    """Return the bound of plies left of a game without one."""
    return ENDLESS


class HoldsWords:
    """One position of a game; functions take it, or a list of them, instead of rows."""

    game: Game
    words: Words


PositionsLike: TypeAlias = ArrayLike | HoldsWords | Sequence[HoldsWords]


def as_words(positions: ArrayLike) -> NDArray[np.uint64]:
    """Return the words of positions as kernels take them: uint64, writable, in C order.

    Another array is copied: pandas and joblib give read-only ones. The words of an int64 array
    keep their bits; a negative number in a list or an object array is refused.
    """
    if np.ma.is_masked(positions):
        raise ValueError("some words of positions are masked; give rows without masked words")
    given = np.asarray(positions)
    if given.dtype.kind == "f" and isinstance(positions, list | tuple):
        given = np.array(positions, object)  # what numpy makes of small and large numbers together
    types = {given.dtype.type} if given.dtype != object else set(map(type, given.flat))
    for kind in types:
        if not issubclass(kind, int | np.integer) or kind in (bool, np.timedelta64):
            raise ValueError(
                f"positions must be uint64 words (got {kind.__name__}); give "
                "Dataset.positions, TrainingData.positions or Position objects. An outer "
                "merge in pandas turns words into float64 and loses bits: take the columns "
                "from before it"
            )
    if given.dtype == np.int64 and not isinstance(positions, list | tuple):
        given = given.view(np.uint64)  # the same bits
    elif given.dtype != np.uint64 and given.size:
        for word in (given.min(), given.max()):
            if not 0 <= word < 2**64:
                raise ValueError(f"words of positions must be from 0 to 2**64 - 1 (got {word})")
    return np.require(given.astype(np.uint64, copy=False), np.uint64, ["C", "W"])


class Notation(Protocol):
    """Notation of a game's positions and moves, for reading and writing.

    One that also has `holds(positions)`, which returns of positions (n, K) which ones it can write
    (bool, (n,)), has datasets from elsewhere checked by it; without, only their moves are. One that
    has `among(text, moves, words)`, which returns which of the legal moves of a position a text
    means, understands what only the position tells; what it returns otherwise is no legal move. If
    it also has `meanings(text)`, which returns the moves that a text may mean in any position, or
    None where only the position tells, many texts are read at once. Its `texts_of(transcript)`
    returns the moves of a transcript as they stand there. One that has
    `name_of(move, position)` has another text of legal moves for people to read. One that has
    `reversible_in(text)` reads how many REVERSIBLE plies came before a position.
    """

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


_RULES: dict[str, tuple[Any, str, Any]] = {
    "legal_moves": (LEGAL_MOVES, "position, moves", None),
    "play": (PLAY, "position, move, child", None),
    "outcomes": (OUTCOMES, "position, outcomes, weights", no_outcomes),
    "is_terminal": (IS_TERMINAL, "position", None),
    "utility": (UTILITY, "position", None),
    "plies_left": (COUNT, "position", endless),
    "left": (COUNT, "position", None),
    "order": (ORDER, "position, moves, n, hints", None),
    "noisy": (NOISY, "position, move, beyond, moves", no_noisy_moves),
    "candidates": (LEGAL_MOVES, "position, moves", None),
    "in_check": (IS_TERMINAL, "position", never_in_check),
    "null_move": (NULL_MOVE, "position, child", no_null_move),
    "exchange": (EXCHANGE, "position, move", no_exchange),
}
"""Signature of each rule, its parameters, and what stands where a game has no such rule."""
_OF_SOLVERS = (
    "position, alpha, beta, table, rows, scratch, counters, evaluate, integers, floats, guided"
)
_LEAST_UTILITY, MOST_UTILITY = 0.125, 8388.0
"""Least and largest utility of a game.

The search counts in whole thousandths, less than 2**23 of them, and takes one from a win for each
ply.
"""
_RANGES: dict[str, tuple[float, float]] = {
    "max_moves": (1, MOST_MOVES),
    "max_plies": (1, MOST_PLIES),
    "chances": (1, 1 << 30),
    "progress_max": (0, 1 << 30),
    "repetitions": (0, MOST_PLIES),
    "reversible_plies": (0, MOST_PLIES),
    "exact_from": (0, MOST_PLIES),
    "opening_plies": (0, MOST_PLIES),
    "max_utility": (_LEAST_UTILITY, MOST_UTILITY),
    "margin": (0.0, MOST_UTILITY),
    "scale": (0.0, MOST_UTILITY),
}
"""Least and largest value of a game's numbers."""


@dataclass(frozen=True, eq=False, repr=False)
class Game:
    """A two-player zero-sum game of perfect information, with or without chance.

    The rules are functions under `jit`, without a signature; `position` and `child` are uint64
    arrays (K,), `moves` and `hints` int32 arrays (max_moves,).

    Attributes
    ----------
    name
        Name in lower case, words joined by underscores.
    start
        Words of the initial position; the first player (side 0) moves.
    legal_moves
        `legal_moves(position, moves) -> n` writes the n legal moves to `moves` (int32). n is 0 only
        when the game is over. A side that must pass has the single move `PASS`.
    play
        `play(position, move, child)` writes the position after a legal move or an outcome of chance
        to `child`, seen by its side to move. In games with chance, repeated turns or draws by rule
        it returns the turn.
    is_terminal
        `is_terminal(position)`, true when the game is over.
    utility
        `utility(position)`, the result of a finished game for the side to move, in
        the game's unit (float32).
    plies_left
        `plies_left(position)` is an upper bound of the plies left, without passes; in games that
        fill a board, the number of empty squares. None if there is no bound; such games are not
        solved.
    notation
        Notation of positions and moves.
    max_moves
        Largest number of legal moves of a position.
    max_plies
        Largest number of plies of a game, with passes and chance. Self-play and matches end a game
        there as a draw.
    unit
        Name of the unit of scores.
    max_utility
        Largest utility.
    sooner_is_better
        True if a sooner win scores more (games whose unit is the result).
    alternates
        True if the sides move in turn without chance. The value that `play` returns is then
        ignored.
    outcomes
        `outcomes(position, outcomes, weights) -> n` writes the n outcomes of chance and their
        weights, which sum to `chances` (int32 arrays (max_moves,)). n is 0 if a side is to move.
        None for games without chance.
    chances
        Sum of the weights of all outcomes of a position.
    repetitions
        Number of times that a position with one side to move stands on the board before the game
        ends: as a draw, or as a loss of the side whose moves in between were all CHECK. 0 for no
        such rule.
    reversible_plies
        Number of reversible plies in a row that end the game as a draw; 0 for no such rule.
    side_word
        Number of the word that has the side to move, if there is one and only the names of moves
        depend on it; else None.
    progress
        `progress(position)` counts from 0 to `progress_max`, and determines the stage of a
        position. By default it is the number of `plies_left` that are gone.
    progress_max
        Largest progress. By default `plies_left` of the initial position.
    order
        `order(position, moves, n, hints)` rates moves for the search: higher first, in
        thousandths of the unit, as evaluations are added to it.
    noisy
        `noisy(position, move, beyond, moves) -> n` writes the n noisy legal moves, such as
        captures, that quiescence search tries before it evaluates. 0 means that the position is
        quiet. The side may decline noisy moves and take the evaluation. If n is negative, the -n
        moves are all legal moves, or all `candidates`, and it must play one. `move` led to the
        position (NO_MOVE at the root), and `beyond` is the number of plies beyond the depth. Every
        line of noisy moves must end. None if all positions are quiet.
    in_check
        `in_check(position)`, true if the side to move must meet a threat. Alpha-beta then neither
        evaluates the position nor passes, and may search deeper. None if there is no such threat.
    null_move
        `null_move(position, child) -> int` writes the position after a pass and returns 1, or
        returns 0 if passing says nothing: in check, or where each move may harm. None if a search
        must not pass.
    exchange
        `exchange(position, move) -> int`, what a move gains, in thousandths of the unit, if both
        sides go on capturing on its square. `order` then rates noisy moves above 0 and all others
        0. None if moves capture nothing on their square.
    margin
        Advantage of the least piece, in the unit. Alpha-beta measures by it what is worth a search
        (`SearchOptions.null_move` and others, which need it). 0 if it does not prune so.
    scale
        Units of score per logit of the probability to win, which is 1 / (1 + exp(-score / scale)).
        0 if the unit is the result, or the final difference.
    quiescence_rules
        Further quiescence rules by name.
    candidates
        `candidates(position, moves) -> n` writes the legal moves that are worth a search, at least
        one if there is any. Alpha-beta and trees look at no others, except when alpha-beta solves a
        position. None if all moves are worth a search.
    solve
        `solve(position, alpha, beta, table, rows, scratch, counters, evaluate, integers,
        floats, guided)` returns the exact utility as an integer, fail-soft, faster than a
        plain search would; or None. Its arguments are pointers; `table` has `rows` rows of
        two words, a power of two, and is the solver's alone; `scratch` has MAX_PLY rows of
        `max_moves`, and at first in scratch[0] the number of the thread among those that share the
        table, from 0 on; `counters` is as in kernels/budget.py. Where `guided` is not 0, the
        evaluation may order moves; it must not change the result. The best move is left in
        scratch[0]. A stopped solver returns 0, which is thrown away.
    count_replies
        `count_replies(position)`, the perft of two plies, faster than by listing the moves; or
        None. Perft asks for it.
    perft_moves
        `perft_moves(position, moves) -> n`, like `legal_moves`, for perft, which goes on where a
        position is drawn by rule; with None in the place of `moves` it counts them. None if perft
        takes `legal_moves`.
    perft_counts_ended
        True if perft counts a game that ends before the depth as one leaf, as for Othello. By
        default only sequences of exactly this length count.
    exact_from
        Number of `plies_left` from which the game is solved by default.
    board
        Squares, their contents and symmetries; by default the notation's `grid`. None for a game
        without squares.
    regions
        Parts of the position, uint64 (R, K), for which the search learns corrections of
        evaluations. By default each word is one.
    opening_plies
        Default number of random plies at the start of a game.
    defaults
        Further suggestions to learning and play.

    Examples
    --------
    >>> import samuel
    >>> game = samuel.game_named("othello")
    >>> game.unit, game.board.rows, game.board.columns
    ('discs', 8, 8)
    """

    name: str
    start: Words
    legal_moves: Callable[..., Any]
    play: Callable[..., Any]
    is_terminal: Callable[..., Any]
    utility: Callable[..., Any]
    plies_left: Callable[..., Any] | None
    notation: Notation
    max_moves: int
    max_plies: int
    unit: str = "result"
    max_utility: float = 1.0
    sooner_is_better: bool = True
    alternates: bool = True
    outcomes: Callable[..., Any] | None = None
    chances: int = 1
    repetitions: int = 0
    reversible_plies: int = 0
    side_word: int | None = None
    progress: Callable[..., Any] | None = None
    progress_max: int = 0
    order: Callable[..., Any] = keep_order
    noisy: Callable[..., Any] | None = None
    in_check: Callable[..., Any] | None = None
    null_move: Callable[..., Any] | None = None
    exchange: Callable[..., Any] | None = None
    margin: float = 0.0
    scale: float = 0.0
    quiescence_rules: Mapping[str, Callable[..., Any]] = field(default_factory=dict, repr=False)
    candidates: Callable[..., Any] | None = None
    solve: Callable[..., Any] | None = None
    count_replies: Callable[..., Any] | None = None
    perft_moves: Callable[..., Any] | None = None
    perft_counts_ended: bool = False
    exact_from: int = 0
    opening_plies: int = 4
    board: Board | None = None
    regions: NDArray[np.uint64] | None = field(default=None, repr=False)
    defaults: Defaults = field(default_factory=Defaults, repr=False)

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            require_number(
                f"{name} of {self.name}", str(value) if value is None else value, least, most
            )
        for k, word in enumerate(self.start):
            require_number(f"word {k} of the start of {self.name}", word, 0, 2**64 - 1)
        require_number(f"side_word of {self.name}", self.side_word, 0, self.words - 1)
        if self.board is None:
            object.__setattr__(self, "board", getattr(self.notation, "grid", None))
        if self.board is not None and self.board.words > self.words:
            raise UserError(
                f"the board of {self.name} has {self.board.words} words, but its start has "
                f"{self.words}"
            )
        if self.plies_left is None and self.progress is None:
            raise UserError(
                f"{self.name} needs plies_left or progress, which models use for their stages"
            )
        if self.progress is not None and self.progress_max < 1:
            raise UserError(
                f"{self.name} has progress, so it needs progress_max, its largest value"
            )
        if self.outcomes is not None:
            if self.solve is not None:
                raise UserError(f"{self.name} has dice (outcomes), so it cannot have solve")
            if self.noisy is not None or self.quiescence_rules:
                raise UserError(f"{self.name} has dice (outcomes), so it cannot have noisy")
            # the dice decide when a game is won as much as the players do
            object.__setattr__(self, "sooner_is_better", False)
            object.__setattr__(self, "alternates", False)
        prunes = (self.in_check, self.null_move, self.exchange)
        if self.margin and (None in prunes or self.noisy is None or self.outcomes is not None):
            raise UserError(
                f"{self.name} has a margin, so it needs in_check, null_move, exchange and noisy, "
                "and no dice"
            )
        if self.has_draws:
            self._require_draws()
            object.__setattr__(self, "alternates", False)
        if self.regions is None:
            whole_words = np.diag(np.full(self.words, np.iinfo(np.uint64).max, np.uint64))
            object.__setattr__(self, "regions", whole_words)

    def _require_draws(self) -> None:
        if self.repetitions == 1:
            raise UserError(
                f"repetitions of {self.name} must be at least 2, or 0 for no draw by "
                "repetition (got 1)"
            )
        if self.plies_left is not None or self.outcomes is not None:
            raise UserError(
                f"{self.name} has draws by rule, so positions repeat: it can have no "
                "plies_left and no outcomes; give plies_left=None, progress and progress_max"
            )

    def __repr__(self) -> str:
        return f"Game({self.name!r})"

    @property
    def has_draws(self) -> bool:
        """True if earlier positions may end a game (games/draws.py)."""
        return self.repetitions != 0 or self.reversible_plies != 0

    @property
    def most_reversible(self) -> int:
        """Largest number of reversible plies in a row."""
        return self.reversible_plies or (self.max_plies if self.repetitions else 0)

    def __copy__(self) -> Game:
        return self

    def __deepcopy__(self, _memo: Any) -> Game:
        return self  # it never changes, and is known by what it is

    @property
    def words(self) -> int:
        """Number K of words of a position."""
        return len(self.start)

    @property
    def squares(self) -> tuple[str, ...]:
        """Names of the squares of the board; none without a board."""
        return self.board.squares if self.board else ()

    @property
    def shape(self) -> tuple[int, int] | None:
        """Numbers of rows and columns of the board; None without a board."""
        return self.board.shape if self.board else None

    @property
    def symmetries(self) -> NDArray[np.int64]:
        """Permutations of the squares under which the game is unchanged (S, squares)."""
        return self.board.symmetries if self.board else np.zeros((1, 0), np.int64)

    @functools.cached_property
    def rules(self) -> Rules:
        """The function pointers, as a kernel takes them."""
        if self.solve is None:
            return self.rules_of_play
        return self.rules_of_play._replace(solve=self._solver(self.solve))

    @functools.cached_property
    def rules_of_play(self) -> Rules:
        """The same without the game's solver, which takes seconds to compile the first time."""
        views = {"position": self.words, "child": self.words}
        views |= dict.fromkeys(("moves", "outcomes", "weights", "hints"), self.max_moves)
        found: dict[str, Any] = {}
        for name, (signature, parameters, absent) in _RULES.items():
            rule = getattr(self, name) or absent
            if rule is None or (name == "left" and self.progress is None):  # another serves
                found[name] = found["plies_left" if name == "left" else "legal_moves"]
                continue
            arguments = [
                f"view({p}, {views[p]})" if p in views else p for p in parameters.split(", ")
            ]
            call = f"rule({', '.join(arguments)})"
            called = name if getattr(self, name) else absent.__name__
            found[name] = self._pointer(called, rule, parameters, call, signature)
        return Rules(**found, solve=self._solver(no_solver))

    @functools.cached_property
    def rules_of_perft(self) -> Rules:
        """The same with the moves that perft counts."""
        if self.perft_moves is None:
            return self.rules_of_play
        views = f"view(position, {self.words}), view(moves, {self.max_moves})"
        parts = ("perft_moves", self.perft_moves, "position, moves", f"rule({views})", LEGAL_MOVES)
        return self.rules_of_play._replace(legal_moves=self._pointer(*parts))

    def _solver(self, rule: Any) -> Any:
        """Return the game's solver, or the placeholder."""
        name = "no_solver" if rule is no_solver else "solve"
        return self._pointer(name, rule, _OF_SOLVERS, f"rule({_OF_SOLVERS})", SOLVE)

    def _pointer(self, name: str, rule: Any, parameters: str, call: str, signature: Any) -> Any:
        """Return a rule as a compiled function over pointers."""
        kind, returns = signature.return_type, "a number"
        body = f"return {kind}({call})" if kind in (int64, float32) else f"return {call}"
        if name == "play":
            of_past = 0 if self.has_draws else REVERSIBLE | CHECK
            body = f"return int64({call}) & {~of_past}"
            body = f"{call}\n    return {OTHER}" if self.alternates else body
            returns = "OTHER or SAME"
        source = f"def {name}({parameters}):\n    {body}"
        parts = {"rule": rule, "view": view, "int64": int64, "float32": float32}
        return compose(name, source, parts, signature, returns)

    @functools.cached_property
    def most_left(self) -> int:
        """`left` of a game that has not begun."""
        return self.progress_max or self.left_in(self.row(self.start))

    @functools.cached_property
    def left_unit(self) -> str:
        """Unit of `left`, in words: "empties" where each ply fills a square."""
        if self.progress is not None:
            return "progress left"
        squares = 0 if self.board is None else len(self.board.squares)
        return "empties" if self.most_left <= squares else "plies left"

    @functools.cached_property
    def most_plies(self) -> int:
        """`plies_left` of a game that has not begun; without a bound, `max_plies`."""
        return min(self.plies_left_in(self.row(self.start)), self.max_plies)

    @functools.cached_property
    def left(self) -> Callable[..., Any]:
        """The rule `left(position)`: how much of the game is left."""
        if self.progress is None:
            assert self.plies_left is not None
            return self.plies_left
        most, progress = self.progress_max, self.progress
        return jit(lambda position: most - progress(position))

    @functools.cached_property
    def whole_play(self) -> Callable[..., Any]:
        """Return the rule `play` of a game, with the turn if the game leaves it out."""
        if not self.alternates:
            return self.play
        play = self.play

        @jit
        def alternating(position: Row, move: int, child: Row) -> int:
            play(position, move, child)
            return OTHER

        return alternating

    def row(self, words: Words) -> Row:
        """Return the position as an array of K words."""
        return self.rows(words)[0].copy()

    def words_of(self, positions: PositionsLike) -> ArrayLike:
        """Return words (n, K) or (K,) of positions, a data frame (word_0, ...) or an array."""
        given: Any = [positions] if isinstance(positions, HoldsWords) else positions
        is_object_array = str(getattr(given, "dtype", "")) == "object" and given.ndim == 1
        if not (is_object_array or isinstance(given, list | tuple)):
            return _in_order(given, self) if hasattr(given, "columns") else given
        words = list(given)
        for k, one in enumerate(words):
            if isinstance(one, HoldsWords):
                if one.game.name != self.name:
                    raise ValueError(
                        f"position {k} is a position of {one.game.name}, not of {self.name}"
                    )
                words[k] = one.words
        return words

    def rows(self, positions: PositionsLike) -> NDArray[np.uint64]:
        """Return positions as kernels take them: (n, K), writable, in C order."""
        rows = as_words(self.words_of(positions))
        if rows.ndim not in (1, 2) or rows.shape[-1] != self.words:
            raise ValueError(
                f"positions of {self.name} must be an array (n, {self.words}) of uint64 (got "
                f"shape {rows.shape})"
            )
        return rows.reshape(-1, self.words)

    def moves_in(self, row: Row) -> NDArray[np.int32]:
        """Return the legal moves of a position."""
        moves = np.zeros(self.max_moves, np.int32)
        return moves[: list_moves(self.rules_of_play.legal_moves, as_words(row), moves)]

    def moves_beyond_draws(self, row: Row) -> NDArray[np.int32]:
        """Return the moves of a position, also where it is drawn by rule."""
        moves = np.zeros(self.max_moves, np.int32)
        return moves[: list_moves(self.rules_of_perft.legal_moves, as_words(row), moves)]

    def candidates_in(self, row: Row) -> NDArray[np.int32]:
        """Return the legal moves that are worth a search."""
        moves = np.zeros(self.max_moves, np.int32)
        return moves[: list_moves(self.rules_of_play.candidates, as_words(row), moves)]

    def noisy_in(
        self, row: Row, move: int = NO_MOVE, beyond: int = 0
    ) -> tuple[NDArray[np.int32], bool]:
        """Return the noisy moves of a position, and whether one of them must be played."""
        moves = np.zeros(self.max_moves, np.int32)
        n = _list_noisy(self.rules_of_play.noisy, as_words(row), move, beyond, moves)
        return moves[: abs(n)], n < 0

    def with_quiescence(self, name: str) -> Game:
        """Return the game with another quiescence rule (`quiescence_rules`)."""
        if name not in self._variants:
            of = f"the game {self.name}"
            raise unknown("rule of quiescence search", name, self.quiescence_rules, of=of)
        return self._variants[name]

    @functools.cached_property
    def _variants(self) -> dict[str, Game]:
        """The game once for each rule, so that what is compiled for one is found again."""
        return {name: replace(self, noisy=rule) for name, rule in self.quiescence_rules.items()}

    def playable_in(self, row: Row) -> NDArray[np.int32]:
        """Return the outcomes of chance if chance is to move, else the legal moves."""
        outcomes = self.outcomes_in(row)[0]
        return outcomes if len(outcomes) else self.moves_in(row)

    def child_of(self, row: Row, move: int) -> Row:
        """Return the position after a legal move."""
        return self.after(row, move)[0]

    def after(self, row: Row, move: int) -> tuple[Row, int]:
        """Return the position after a legal move or an outcome of chance, and the turn."""
        child = np.zeros(self.words, np.uint64)
        turn = play_move(self.rules_of_play.play, as_words(row), move, child)
        return child, int(turn)

    def outcomes_in(self, row: Row) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the outcomes of chance in a position, and their weights."""
        listed, weights = np.zeros((2, self.max_moves), np.int32)
        n = list_outcomes(self.rules_of_play.outcomes, as_words(row), listed, weights)
        return listed[:n], weights[:n]

    def is_over(self, row: Row) -> bool:
        """Return whether the position ends the game, without regard to earlier positions."""
        return bool(_is_terminal(self.rules_of_play.is_terminal, as_words(row)))

    def utility_of(self, row: Row) -> float:
        """Return the result of a finished game, for the side to move."""
        return float(_utility(self.rules_of_play.utility, as_words(row)))

    def plies_left_in(self, row: Row) -> int:
        """Return an upper bound of the plies left; ENDLESS if there is none."""
        return int(_count(self.rules_of_play.plies_left, as_words(row)))

    def left_in(self, row: Row) -> int:
        """Return how much of the game is left in a position."""
        return int(_count(self.rules_of_play.left, as_words(row)))


def _in_order(frame: Any, game: Game) -> Any:
    """Return a data frame of positions with its columns in order; ValueError for other columns."""
    names, numbers = list(frame.columns), list(range(game.words))
    if names == numbers:
        return frame
    for known in ([f"word_{k}" for k in numbers], numbers):
        if len(names) == len(known) and set(names) == set(known):
            return frame[known]
    raise ValueError(
        f"columns of positions of {game.name} must be word_0 to word_{game.words - 1} "
        f"(got {', '.join(map(str, names[:8]))})"
    )

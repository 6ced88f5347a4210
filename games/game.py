"""Declaration of a game: ten fields that every game has, and groups that it may leave out."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import UnionType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError, require_number, unknown
from samuel.games.board import Board
from samuel.games.compiled import CompiledRules
from samuel.games.groups import (
    Chance,
    Defaults,
    DrawRules,
    PerftRules,
    Progress,
    Scores,
    SearchRules,
    Solver,
    Turns,
)
from samuel.games.notation import Notation
from samuel.games.rules import MOST_MOVES, MOST_PLIES, Row, Words
from samuel.games.words import PositionsLike, rows_of

_KINDS: dict[str, tuple[type | UnionType, str]] = {
    "notation": (Notation, "an object of a class that inherits from Notation"),
    "scores": (Scores, "Scores(unit, max_utility)"),
    "turns": (Turns, "Turns(alternates, side_word)"),
    "progress": (Progress | None, "Progress(rule, most)"),
    "chance": (Chance | None, "Chance(outcomes, total)"),
    "draws": (DrawRules, "DrawRules(repetitions, reversible_plies)"),
    "search": (SearchRules, "SearchRules(order, ...)"),
    "solver": (Solver, "Solver(exact_from, solve)"),
    "perft": (PerftRules, "PerftRules(count_replies, ...)"),
    "defaults": (Defaults, "Defaults(...)"),
}
"""Kinds of the notation and of the groups of a game, and how each is written."""


class Unchanging:
    """Base of objects that never change and are known by what they are: a copy is the object."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: Any) -> Self:
        return self


@dataclass(frozen=True, eq=False, repr=False)
class Game(Unchanging, CompiledRules):
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
        solved, and have `progress`.
    notation
        Notation of positions and moves, with the board of a game that has one.
    max_moves
        Largest number of legal moves of a position.
    max_plies
        Largest number of plies of a game, with passes and chance. Self-play and matches end a game
        there as a draw.
    scores
        Unit and range of scores.
    turns
        Order of the sides' turns.
    progress
        Progress of a game, which determines the stage of a position. By default it is the number of
        `plies_left` that are gone.
    chance
        Dice, or None.
    draws
        Draws by the history of a game.
    search
        Rules that only searches use.
    solver
        Solving of endgames.
    perft
        Rules of counting.
    defaults
        Suggestions to learning and play.

    Examples
    --------
    >>> import samuel
    >>> game = samuel.game_named("othello")
    >>> game.scores.unit, game.board.rows, game.board.columns
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
    scores: Scores = field(default_factory=Scores)
    turns: Turns = field(default_factory=Turns)
    progress: Progress | None = None
    chance: Chance | None = None
    draws: DrawRules = field(default_factory=DrawRules)
    search: SearchRules = field(default_factory=SearchRules)
    solver: Solver = field(default_factory=Solver)
    perft: PerftRules = field(default_factory=PerftRules)
    defaults: Defaults = field(default_factory=Defaults)

    def __post_init__(self) -> None:
        for name, (kind, written) in _KINDS.items():
            if not isinstance(given := getattr(self, name), kind):
                raise UserError(
                    f"{name} of {self.name} must be {written} (got {type(given).__name__})"
                )
        require_number(f"max_moves of {self.name}", self.max_moves, 1, MOST_MOVES)
        require_number(f"max_plies of {self.name}", self.max_plies, 1, MOST_PLIES)
        groups = self.scores, self.progress, self.chance, self.draws, self.search, self.solver
        for group in (*groups, self.defaults):
            for name, (least, most) in (group.ranges if group else {}).items():
                value = getattr(group, name)
                require_number(
                    f"{name} of {self.name}", str(value) if value is None else value, least, most
                )
        for k, word in enumerate(self.start):
            require_number(f"word {k} of the start of {self.name}", word, 0, 2**64 - 1)
        require_number(f"side_word of {self.name}", self.turns.side_word, 0, self.words - 1)
        if self.board is not None and self.board.words > self.words:
            raise UserError(
                f"the board of {self.name} has {self.board.words} words, but its start has "
                f"{self.words}"
            )
        for problem, found in (
            (
                "needs plies_left or progress, which models use for their stages",
                self.plies_left is None and self.progress is None,
            ),
            ("has dice (chance), so it cannot have solve", self.chance and self.solver.solve),
            (
                "has dice (chance), so it cannot have noisy",
                self.chance and (self.search.noisy or self.search.quiescence_rules),
            ),
            (
                "has a margin, so it needs in_check, null_move, exchange and noisy, and no dice",
                self.search.margin and (self.chance or not self.search.prunes),
            ),
            (
                "has draws by rule, so positions repeat: it can have no plies_left and no chance; "
                "give plies_left=None and progress=Progress(rule, most)",
                self.has_draws and (self.plies_left or self.chance),
            ),
        ):
            if found:
                raise UserError(f"{self.name} {problem}")
        if self.draws.repetitions == 1:
            raise UserError(
                f"repetitions of {self.name} must be at least 2, or 0 for no draw by "
                "repetition (got 1)"
            )

    def __repr__(self) -> str:
        return f"Game({self.name!r})"

    @property
    def sooner_is_better(self) -> bool:
        """True if a sooner win scores more; with dice, which decide as much, it does not."""
        return self.scores.sooner_is_better and self.chance is None

    @property
    def chances(self) -> int:
        """Sum of the weights of the outcomes of chance; 1 without chance."""
        return self.chance.total if self.chance else 1

    @property
    def most_reversible(self) -> int:
        """Largest number of reversible plies in a row."""
        return self.draws.reversible_plies or (self.max_plies if self.draws.repetitions else 0)

    @property
    def board(self) -> Board | None:
        """Squares, their contents and symmetries; None for a game without squares."""
        return self.notation.grid

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
    def regions(self) -> NDArray[np.uint64]:
        """Parts of the position for which the search learns corrections, uint64 (R, K)."""
        if self.search.regions is not None:
            return self.search.regions
        return np.diag(np.full(self.words, np.iinfo(np.uint64).max, np.uint64))

    @functools.cached_property
    def most_left(self) -> int:
        """`left` of a game that has not begun."""
        return self.progress.most if self.progress else self.left_in(self.row(self.start))

    @functools.cached_property
    def left_unit(self) -> str:
        """Unit of `left`, in words: "empties" where each ply fills a square."""
        if self.progress is not None:
            return "progress left"
        return "empties" if self.most_left <= len(self.squares) else "plies left"

    @functools.cached_property
    def most_plies(self) -> int:
        """`plies_left` of a game that has not begun; without a bound, `max_plies`."""
        return min(self.plies_left_in(self.row(self.start)), self.max_plies)

    def row(self, words: Words) -> Row:
        """Return the position as an array of K words."""
        return self.rows(words)[0].copy()

    def rows(self, positions: PositionsLike) -> NDArray[np.uint64]:
        """Return positions as kernels take them: (n, K), writable, in C order."""
        return rows_of(self.name, self.words, positions)

    def with_quiescence(self, name: str) -> Game:
        """Return the game with another quiescence rule (`SearchRules.quiescence_rules`)."""
        if name not in self._variants:
            of = f"the game {self.name}"
            rules = self.search.quiescence_rules
            raise unknown("rule of quiescence search", name, rules, of=of)
        return self._variants[name]

    @functools.cached_property
    def _variants(self) -> dict[str, Game]:
        """The game once for each rule, so that what is compiled for one is found again."""
        return {
            name: replace(self, search=replace(self.search, noisy=rule))
            for name, rule in self.search.quiescence_rules.items()
        }

"""Rules of a game, compiled: as function pointers, and called from Python for one position."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import float32, int32, int64, types
from numpy.typing import NDArray

from samuel.games.groups import Chance, DrawRules, PerftRules, Progress, SearchRules, Solver, Turns
from samuel.games.rules import (
    CHECK,
    COUNT,
    IS_TERMINAL,
    LEGAL_MOVES,
    NO_MOVE,
    NOISY,
    OTHER,
    OUTCOMES,
    PLAY,
    REVERSIBLE,
    ROW,
    UTILITY,
    Row,
    Rules,
    Words,
    keep_order,
    pointer,
)
from samuel.games.words import as_words
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at


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


class CompiledRules:
    """Rules of a game as function pointers, and as methods."""

    if TYPE_CHECKING:  # fields of Game
        start: Words
        legal_moves: Callable[..., Any]
        play: Callable[..., Any]
        is_terminal: Callable[..., Any]
        utility: Callable[..., Any]
        plies_left: Callable[..., Any] | None
        max_moves: int
        turns: Turns
        progress: Progress | None
        chance: Chance | None
        draws: DrawRules
        search: SearchRules
        solver: Solver
        perft: PerftRules

    @property
    def words(self) -> int:
        """Number K of words of a position."""
        return len(self.start)

    @property
    def alternates(self) -> bool:
        """True if the sides move in turn, whatever `play` returns."""
        return self.turns.alternates and self.chance is None and not self.has_draws

    @property
    def has_draws(self) -> bool:
        """True if earlier positions may end a game (games/draws.py)."""
        return self.draws.repetitions != 0 or self.draws.reversible_plies != 0

    @functools.cached_property
    def rules(self) -> Rules:
        """The function pointers, as a kernel takes them."""
        if self.solver.solve is None:
            return self.rules_of_play
        return self.rules_of_play._replace(solve=self._pointer("solve", self.solver.solve))

    @functools.cached_property
    def rules_of_play(self) -> Rules:
        """The same without the game's solver, which takes seconds to compile the first time."""
        asked = self.search
        found = {
            name: self._pointer(name, rule)
            for name, rule in (
                *(("legal_moves", self.legal_moves), ("play", self.whole_play)),
                ("outcomes", self.chance and self.chance.outcomes),
                *(("is_terminal", self.is_terminal), ("utility", self.utility)),
                *(("plies_left", self.plies_left), ("noisy", asked.noisy)),
                *(("order", asked.order or keep_order), ("in_check", asked.in_check)),
                *(("null_move", asked.null_move), ("exchange", asked.exchange), ("solve", None)),
            )
        }
        legal, left = found["legal_moves"], found["plies_left"]
        found["candidates"] = (
            self._pointer("candidates", asked.candidates) if asked.candidates else legal
        )
        found["left"] = self._pointer("left", self.left) if self.progress else left
        return Rules(**found)

    @functools.cached_property
    def rules_of_perft(self) -> Rules:
        """The rules of play with the moves that perft counts."""
        if self.perft.moves is None:
            return self.rules_of_play
        return self.rules_of_play._replace(
            legal_moves=self._pointer("legal_moves", self.perft.moves)
        )

    def _pointer(self, name: str, rule: Any) -> Any:
        """Return a rule of the game as a compiled function over pointers."""
        bits = -1 if self.has_draws else ~(REVERSIBLE | CHECK)
        return pointer(name, rule, self.words, self.max_moves, bits)

    @functools.cached_property
    def left(self) -> Callable[..., Any]:
        """The rule `left(position)`: how much of the game is left."""
        if self.progress is None:
            assert self.plies_left is not None
            return self.plies_left
        most, progress = self.progress.most, self.progress.rule
        return jit(lambda position: most - progress(position))

    @functools.cached_property
    def whole_play(self) -> Callable[..., Any]:
        """The rule `play` of a game, with the turn if the game leaves it out."""
        if not self.alternates:
            return self.play
        play = self.play

        @jit
        def alternating(position: Row, move: int, child: Row) -> int:
            play(position, move, child)
            return OTHER

        return alternating

    def moves_in(self, row: Row) -> NDArray[np.int32]:
        """Return the legal moves of a position."""
        return self._listed(self.rules_of_play.legal_moves, row)

    def moves_beyond_draws(self, row: Row) -> NDArray[np.int32]:
        """Return the moves of a position, also where it is drawn by rule."""
        return self._listed(self.rules_of_perft.legal_moves, row)

    def candidates_in(self, row: Row) -> NDArray[np.int32]:
        """Return the legal moves that are worth a search."""
        return self._listed(self.rules_of_play.candidates, row)

    def _listed(self, rule: Any, row: Row) -> NDArray[np.int32]:
        moves = np.zeros(self.max_moves, np.int32)
        return moves[: list_moves(rule, as_words(row), moves)]

    def noisy_in(
        self, row: Row, move: int = NO_MOVE, beyond: int = 0
    ) -> tuple[NDArray[np.int32], bool]:
        """Return the noisy moves of a position, and whether one of them must be played."""
        moves = np.zeros(self.max_moves, np.int32)
        n = _list_noisy(self.rules_of_play.noisy, as_words(row), move, beyond, moves)
        return moves[: abs(n)], n < 0

    def playable_in(self, row: Row) -> NDArray[np.int32]:
        """Return the outcomes of chance if chance is to move, else the legal moves."""
        outcomes = self.outcomes_in(row)[0] if self.chance else self.moves_in(row)
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
        """Return an upper bound of the plies left; ENDLESS without a bound."""
        return int(_count(self.rules_of_play.plies_left, as_words(row)))

    def left_in(self, row: Row) -> int:
        """Return how much of the game is left in a position."""
        return int(_count(self.rules_of_play.left, as_words(row)))

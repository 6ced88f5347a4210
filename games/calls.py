"""Calls of a game's rules from Python, for one position (K,)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import float32, int32, int64, types
from numpy.typing import NDArray

from samuel.games.rules import (
    COUNT,
    IS_TERMINAL,
    LEGAL_MOVES,
    NO_MOVE,
    NOISY,
    OUTCOMES,
    PLAY,
    ROW,
    UTILITY,
    Row,
    Rules,
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


class CalledFromPython:
    """Rules of a game as methods."""

    if TYPE_CHECKING:

        @property
        def rules_of_play(self) -> Rules:
            """The function pointers."""

        @property
        def rules_of_perft(self) -> Rules:
            """The same with the moves that perft counts."""

        @property
        def words(self) -> int:
            """Number of words of a position."""

        @property
        def max_moves(self) -> int:
            """Largest number of legal moves."""

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

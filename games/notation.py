"""Notation of a game's positions and moves; what a notation leaves out, `Notation` does."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from samuel.games.board import EMPTY, Board
from samuel.games.rules import Words

if TYPE_CHECKING:
    from samuel.games.scene import Figure, Scene

TURNS = {"same": (1, 1), "mirrored": (-1, 1), "rotated": (-1, -1)}
_WORD = 64


class Notation:
    """Base of notations: `read`, `write`, `board`, `read_move` and `write_move` are the game's own.

    Attributes
    ----------
    grid
        Board of the game, whose words are the first ones of a position. None without squares.
    second_sees
        View of the board where the second player is to move: the "same" as the first's, "mirrored"
        (its rows from the other end) or "rotated" (its columns too). Moves are named as the side to
        move sees them.
    players
        Signs of the two sides.
    passes
        True if a side may have to pass.
    needs_position
        True if a text may name a move that only the position tells (`among`).
    faults
        Reasons for the numbers of faults that `read_many` returns; none if it does not read.
    figurines
        Signs of pieces for a terminal that has them, by their letters.
    figures
        Drawings of pieces by the first player's letters, on a chequered board.
    """

    grid: Board | None = None
    second_sees: Literal["same", "mirrored", "rotated"] = "same"
    players: str = ""
    passes: bool = True
    needs_position: bool = False
    faults: tuple[str, ...] = ()
    figurines: Mapping[str, str] = {}
    figures: Mapping[str, Figure] = {}

    def read(self, text: str) -> tuple[Words, int]:
        """Return the words and the side to move (0 moves first); raise UserError on bad text."""
        raise NotImplementedError

    def write(self, words: Words, side: int) -> str:
        """Return the one-line text that `read` takes back."""
        raise NotImplementedError

    def board(self, words: Words, side: int) -> str:
        """Return the position drawn over several lines."""
        raise NotImplementedError

    def board_for(self, words: Words, side: int, viewer: int) -> str:
        """Return the drawing as a side (0 or 1) sees it."""
        return self.board(words, side)

    def read_move(self, text: str) -> int:
        """Return the move that `text` names; raise UserError where it names none."""
        raise NotImplementedError

    def write_move(self, move: int) -> str:
        """Return the move's text."""
        raise NotImplementedError

    def texts_of(self, transcript: str) -> list[str]:
        """Return the moves of a transcript as they stand there."""
        return transcript.split()

    def read_moves(self, transcript: str) -> list[int]:
        """Return the moves of a transcript; raise UserError where it names something else."""
        return [self.read_move(text) for text in self.texts_of(transcript)]

    def among(self, text: str, moves: Sequence[int], words: Words) -> int:
        """Return which of the legal moves of a position a text means; else what it is."""
        return self.read_move(text)

    def meanings(self, text: str) -> list[int] | None:
        """Return the moves that a text may mean; None where only the position tells."""
        move = self.among(text, (), ())
        return None if self.needs_position else [move]

    def names_of(self, line: Sequence[str], position: Any) -> list[str]:
        """Return moves played from a position in the game's usual notation."""
        return list(line)

    def reversible_in(self, text: str) -> int:
        """Return how many REVERSIBLE plies came before a position, as its text has it."""
        return 0

    def read_many(
        self, data: NDArray[np.uint8], offsets: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int8], NDArray[np.int16]]:
        """Return words, faults and plies of many texts, of a notation with `faults`."""
        raise NotImplementedError

    def castles_elsewhere(self, words: Words) -> bool:
        """Return whether engines need to be told that a position is of Chess960."""
        return False

    def king_takes_rook(self, move: int) -> str:
        """Return the move's text in Chess960."""
        return self.write_move(move)

    def scene(self, words: Words, side: int) -> Scene | None:
        """Return the position as a picture; None for the picture of its board."""
        return None

    def paths(self, move: int, side: int) -> list[list[str]] | None:
        """Return the places to click for a move, in each order; None where its text tells them."""
        return None

    def holds(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of positions (n, K) may be; all of them where a notation does not say."""
        return np.ones(len(positions), bool)

    def signs(self, words: Words, side: int) -> str:
        """Return the sign of each square as the first player sees the board."""
        assert self.grid is not None
        signs = [EMPTY] * len(self.grid.squares)
        for content in reversed(self.grid.kept):  # of several on a square the first counts
            assert content.word is not None
            for k, word in enumerate(words[content.word :][: self.grid.words_each]):
                left = int(word)
                while left:
                    bit = _WORD * k + (left & -left).bit_length() - 1
                    if bit in self._places[side]:
                        signs[self._places[side][bit]] = content.signs[side]
                    left &= left - 1
        return "".join(signs)

    def words_of(self, signs: Sequence[str], side: int) -> Words:
        """Return the words of a board by the sign of each square, of which all are known."""
        assert self.grid is not None
        words = [0] * self.grid.words
        contents = {content.signs[side]: content for content in self.grid.contents}
        for sign, square in zip(signs, self.seen_by(side), strict=True):
            if (word := contents[sign].word) is not None:
                bit = self.grid.bits[square]
                words[word + bit // _WORD] |= 1 << bit % _WORD
        return tuple(words)

    @functools.cached_property
    def _places(self) -> tuple[dict[int, int], ...]:
        """For each side the place in a text of each bit of a kind's words."""
        assert self.grid is not None
        return tuple(
            {self.grid.bits[square]: place for place, square in enumerate(self.seen_by(side))}
            for side in (0, 1)
        )

    def _turn(self, side: int) -> tuple[int, int]:
        """Return the steps through rows and columns that show a side's board as the first's."""
        return TURNS[self.second_sees if side else "same"]

    def seen_by(self, side: int) -> list[int]:
        """Return the square, as the side to move sees it, at each place of the text."""
        assert self.grid is not None
        by_row, by_column = self._turn(side)
        board = np.arange(len(self.grid.squares)).reshape(self.grid.shape)
        return board[::by_row, ::by_column].ravel().tolist()

"""`Position`: a game's position for people, immutable and from any side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from samuel.common.displayable import Displayable
from samuel.common.errors import UserError
from samuel.games.catalog import game_named
from samuel.games.draws import DRAWN, GOES_ON, Past, end_after, past_after, utility_by_past
from samuel.games.game import Game
from samuel.games.rows import possible_rows
from samuel.games.rules import PASS, SAME, Row, Words
from samuel.games.words import HoldsWords


def reversible_plies_of(text: str, game: Game) -> int:
    """Return the reversible plies before a position, as its text has them; one more is left."""
    return max(0, min(game.notation.reversible_in(text), game.draws.reversible_plies - 1))


@dataclass(frozen=True, repr=False)
class Position(HoldsWords, Displayable):
    """Position of a game, and the side to move.

    Positions never change: a move returns a new one.

    Attributes
    ----------
    game
        Game of the position.
    words
        Words of the position, from the side to move. If the dice are thrown first, from the side
        that moves then.
    side
        Side to move: 0 for the player who began the game, 1 for the other.
    past
        Keys of the positions since the last irreversible move, in games with draws by rule. They
        are not compared, and not in the text.
    plays_on
        True if the position is drawn by rule and play goes on (`playing_on`).

    Examples
    --------
    >>> import samuel
    >>> position = samuel.Position.from_transcript("f5d6c3")
    >>> position.side, len(position.legal_moves())
    (1, 4)
    """

    game: Game
    words: Words
    side: int = 0
    past: Past = field(default=(), compare=False)
    plays_on: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse words that are no position of the game."""
        possible_rows(self.game, [self.words])

    @classmethod
    def start(cls, game: Game | str = "othello") -> Position:
        """Return the initial position of a game.

        Parameters
        ----------
        game
            Game, or its name.

        Returns
        -------
        Position
            Initial position; its side to move is the first player.
        """
        game = game_named(game) if isinstance(game, str) else game
        return cls(game, game.start)

    @classmethod
    def parse(cls, text: str, game: Game | str = "othello") -> Position:
        """Read a position from its text: in Othello 64 characters, a blank and the side to move.

        Parameters
        ----------
        text
            Position in the notation of the game's community.
        game
            Game, or its name.

        Returns
        -------
        Position
            Position that the text describes.

        Raises
        ------
        UserError
            The text is no position; the message names the place.
        """
        game = game_named(game) if isinstance(game, str) else game
        words, side = game.notation.read(text)
        # what stood there is not known
        return cls(game, words, side, tuple(range(reversible_plies_of(text, game))))

    @classmethod
    def from_transcript(cls, transcript: str, game: Game | str = "othello") -> Position:
        """Play the moves of a transcript, such as `f5d6c3`, from the initial position.

        Outcomes of chance are part of the transcript. Forced passes may be left out.

        Parameters
        ----------
        transcript
            Moves as text, such as `f5d6c3`.
        game
            Game, or its name.

        Returns
        -------
        Position
            Position after the last move.

        Raises
        ------
        UserError
            A move cannot be read, or is not legal; the message names it.
        """
        position = cls.start(game)
        for _, after in position.along(transcript):
            position = after
        return position

    def along(self, transcript: str) -> Iterator[tuple[int, Position]]:
        """Yield each move of a transcript from here, left-out passes too, and what it leads to."""
        position, notation = self, self.game.notation
        for number, text in enumerate(notation.texts_of(transcript), 1):
            playable = position._playable()
            if not playable:
                raise UserError(f"the game is over before move {number} of {transcript!r}")
            move = position.meant(text, playable)
            if move != PASS and playable == [PASS]:
                position = position.play(PASS)
                yield PASS, position
                playable = position._playable()
            if move not in playable:
                name = notation.write_move(move)
                raise UserError(f"move {number} of {transcript!r}, {name}, is not legal")
            position = position.play(move)
            yield move, position

    @property
    def row(self) -> Row:
        """Words as an array, as kernels take them."""
        return np.array(self.words, np.uint64)

    @property
    def text(self) -> str:
        """Position on one line, as `parse` reads it."""
        return self.game.notation.write(self.words, self.side)

    def __repr__(self) -> str:
        return f"Position.parse({self.text!r}, {self.game.name!r})"

    def __str__(self) -> str:
        return self.game.notation.board(self.words, self.side)

    def legal_moves(self) -> list[str]:
        """Return the legal moves as text; none if the game is over or chance is to move.

        Returns
        -------
        list[str]
            Moves in the game's notation.

        Examples
        --------
        >>> import samuel
        >>> samuel.Position.start("tic_tac_toe").legal_moves()[:3]
        ['a1', 'b1', 'c1']
        """
        write = self.game.notation.write_move
        return [] if self.is_chance else [write(move) for move in self._playable()]

    def outcomes(self) -> list[tuple[str, int]]:
        """Return the outcomes of chance and their weights; none if a side is to move.

        The weights sum to `game.chances`.

        Returns
        -------
        list[tuple[str, int]]
            Pairs of an outcome in the game's notation and its whole-number weight.
        """
        listed, weights = (column.tolist() for column in self.game.outcomes_in(self.row))
        names = map(self.game.notation.write_move, listed)
        return list(zip(names, weights, strict=True))

    @property
    def is_chance(self) -> bool:
        """True if the dice are thrown before a side moves."""
        return len(self.game.outcomes_in(self.row)[0]) > 0

    def _playable(self) -> list[int]:
        """Return the legal moves, or the outcomes of chance."""
        if self.plays_on:
            return self.game.moves_beyond_draws(self.row).tolist()
        return [] if self._end else self.game.playable_in(self.row).tolist()

    def play(self, move: str | int) -> Position:
        """Return the position after a legal move, or after an outcome of chance.

        Parameters
        ----------
        move
            Move in the game's notation, or its number.

        Returns
        -------
        Position
            Position after the move.

        Raises
        ------
        UserError
            The move is not legal here.
        """
        child, turn = self.game.after(self.row, self.number_of(move))
        side = self.side if turn & SAME else 1 - self.side
        past = past_after(self.past, self.row, self.side, turn)
        return self._with(words=tuple(child.tolist()), side=side, past=past, plays_on=False)

    def _with(self, **changes: Any) -> Position:
        """Return a position of the same game, which is not checked."""
        after = object.__new__(Position)
        vars(after).update(vars(self) | changes)
        return after

    def playing_on(self) -> Position:
        """Return the position with its legal moves after a draw by rule.

        A board may claim such a draw or not, and an engine has to move. The history no longer
        counts.

        Returns
        -------
        Position
            This position, if the game is not over, or no move is legal.

        Examples
        --------
        >>> import samuel
        >>> bare_kings = samuel.Position.parse("8/8/4k3/8/8/4K3/8/8 w - - 0 1", "chess")
        >>> len(bare_kings.legal_moves()), len(bare_kings.playing_on().legal_moves())
        (0, 8)
        """
        if not self.is_terminal or not len(self.game.moves_beyond_draws(self.row)):
            return self
        return self._with(past=(), plays_on=True)

    def number_of(self, move: str | int) -> int:
        """Return the number that kernels use for a legal move or an outcome of chance."""
        playable = self._playable()
        number = self.meant(move, playable) if isinstance(move, str) else int(move)
        if number not in playable:
            names = ", ".join(map(self.game.notation.write_move, playable))
            legal = names or "none, the game is over"
            raise UserError(f"{move} is not legal here; legal moves: {legal}")
        return number

    def meant(self, text: str, playable: Sequence[int]) -> int:
        """Return the move that a text means here, legal or not."""
        return int(self.game.notation.among(text, playable, self.words))

    def names_of(self, line: Sequence[str]) -> list[str]:
        """Return moves played from here in the game's usual notation: in chess `Nf3` for `g1f3`.

        Parameters
        ----------
        line
            Moves in the game's notation, one after the other.

        Returns
        -------
        list[str]
            Name of each move; in most games the move itself.

        Raises
        ------
        UserError
            A move is not legal where it stands.

        Examples
        --------
        >>> import samuel
        >>> samuel.Position.start("chess").names_of(["e2e4", "e7e5", "g1f3"])
        ['e4', 'e5', 'Nf3']
        """
        return self.game.notation.names_of(line, self)

    @property
    def is_terminal(self) -> bool:
        """True if the game is over."""
        return not self.plays_on and (self._end != GOES_ON or self.game.is_over(self.row))

    @property
    def is_drawn(self) -> bool:
        """True if earlier positions make the game a draw."""
        return self._end == DRAWN

    @property
    def _end(self) -> int:
        """End of the game by its history, where the position itself is no end."""
        return end_after(self.game, self.row, self.side, self.past)

    def utility(self) -> float:
        """Return the result of a finished game for the side to move, in the game's unit.

        Returns
        -------
        float
            Result from the side to move, such as the final difference in discs.

        Raises
        ------
        ValueError
            The game is not over.
        """
        if not self.is_terminal:
            raise ValueError(
                "utility is for finished games; use search or evaluate for other positions"
            )
        end = self._end
        return (
            float(utility_by_past.py_func(end, self.game.scores.max_utility))
            if end
            else self.game.utility_of(self.row)
        )

"""The rules of EinStein würfelt nicht!: a race to the far corner, by stones that a die chooses.

A die is thrown before each move. The stone of that number moves one square right, down or both;
where it is gone, the next lower or the next higher that is left, as its owner likes. A stone on
the square it comes to is taken, of either side. Whoever reaches the far corner has won, and
whoever has no stones left has lost. Rules: I. Althöfer, "Rules of EinStein wuerfelt nicht", in
the Computer Chess Club, 5 March 2005.

words: for each number from 1 the square of the mover's stone and of the opponent's, a bit a square;
the last word is what the die shows, 0 where it is to be thrown. The board is turned by half for the
second player, so that everybody's own corner is a5 (bit 0), and the far one e1.

Players arrange their stones as they like, neither seeing the other's: that is no move, and not part
of the game here. It starts from one arrangement; others are given as positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import int32, int64
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.board import Board
from samuel.games.defaults import Defaults, Handmade
from samuel.games.interface import CHANCE, OTHER, SAME, Game, Row, Words
from samuel.games.notation import GridNotation
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit


@dataclass(frozen=True)
class EinsteinNotation(GridNotation):
    """A board and a die, which is a word of its own."""

    @classmethod
    def on(cls, board: Board) -> EinsteinNotation:
        """Return the notation for a square board with as many faces of the die as stones a side."""
        size, names = board.columns, []
        for square, name in enumerate(board.squares):
            right, down = square % size < size - 1, square < size * (size - 1)
            for step, fits in ((1, right), (size, down), (size + 1, right and down)):
                names.append(name + board.squares[square + step] if fits else "")
        faces = [str(k + 1) for k in range(len(board.pieces))]
        return cls(board, [*names, "", *faces], second_sees="rotated", players="XO")

    def holds(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of positions (n, K) have each stone once at most, no two on a square."""
        stones, die = positions[:, :-1], positions[:, -1]
        once = (stones & (stones - np.uint64(1)) == 0).all(axis=1)
        return super().holds(positions) & once & (die <= len(self.grid.pieces))

    def read(self, text: str) -> tuple[Words, int]:
        """Return the words, and the side to move (0 for X)."""
        squares, _, die = text.strip().rpartition(" ")
        faces = [str(k + 1) for k in range(len(self.grid.pieces))]
        if len(text.split()) != 3:
            squares, die = text, "0"
        elif die not in faces:
            raise UserError(f"the die must show 1 to {faces[-1]} (got {die!r})")
        words, side = super().read(squares)
        for word, stone in enumerate(words):
            if stone & (stone - 1):
                sign = self.grid.kept[word].signs[side]
                raise UserError(f"stone {sign} stands on two squares")
        return (*words, int(die)), side

    def write(self, words: Words, side: int) -> str:
        """Return the text that `read` takes back."""
        return super().write(words, side) + (f" {words[-1]}" if words[-1] else "")

    def board(self, words: Words, side: int) -> str:
        """Return the board drawn with its coordinates, who is to move, and the die."""
        lines = super().board(words, side).splitlines()[:-1]
        die = f"with a {words[-1]}" if words[-1] else "after the die"
        return "\n".join([*lines, f"{self.players[side]} to move, {die}"])


PLAYER, OPPONENT = 0, 1
"""Sides; the stone of number k (from 0) is word 2 * k + side."""

DEFAULTS = Defaults(
    title="EinStein wuerfelt nicht!",
    sides=("Black", "White"),
    features_in="samuel.games.einstein.features",
    evaluators={
        "classic": Handmade(
            "the race to the corners, and stones, weighted by hand; between -1 and 1",
            ("race", "stones_left"),
            {"race": (0.5,), "stones_left_player": (0.1,), "stones_left_opponent": (-0.1,)},
        ),
        "race": Handmade("the race to the corners alone", ("race",), {"race": (1.0,)}),
    },
    first="race",
    depth=2,
)


@jit
def playable(position: Row, stones: int) -> tuple[int, int]:
    """Return the two stones of the player that the die lets move: next lower, next higher.

    Both are the stone that it shows, where that is left. -1, and `stones`, where there is none.
    """
    lower = higher = int64(position[2 * stones]) - 1
    while lower >= 0 and position[2 * lower] == ZERO:
        lower -= 1
    while higher < stones and position[2 * higher] == ZERO:
        higher += 1
    return lower, higher


def _rules(size: int, stones: int) -> dict[str, Any]:
    """Return the rules on so many squares a side, as games.interface.Game takes them."""
    squares, die = size * size, 2 * stones
    home, goal = ONE, np.uint64(1 << squares - 1)
    steps = np.array([1, size, size + 1], np.uint64)
    on_right = np.uint64(sum(1 << size * row + size - 1 for row in range(size)))
    on_floor = np.uint64(sum(1 << square for square in range(squares - size, squares)))
    to_walk = [2 * (size - 1) - sum(divmod(square, size)) for square in range(squares)]
    walks = tuple(
        np.uint64(sum(1 << square for square in range(squares) if to_walk[square] == k))
        for k in range(2 * size - 1)
    )

    @jit
    def stones_of(position: Row, side: int) -> Word:
        """Return the squares of all stones of a side."""
        found = ZERO
        for k in range(stones):
            found |= position[2 * k + side]
        return found

    @jit
    def turned(stone: Word) -> Word:
        """Return a stone's square, if it has one, as the other side sees it."""
        return bit(squares - 1 - trailing_zeros(stone)) if stone != ZERO else ZERO

    @jit
    def is_terminal(position: Row) -> bool:
        """Return whether a side has reached its corner, or has no stones."""
        mine, theirs = stones_of(position, PLAYER), stones_of(position, OPPONENT)
        return mine & goal != ZERO or theirs & home != ZERO or mine == ZERO or theirs == ZERO

    @jit
    def utility(position: Row) -> float:
        """Return the result, 1 or -1."""
        theirs = stones_of(position, OPPONENT)
        return 1.0 if stones_of(position, PLAYER) & goal != ZERO or theirs == ZERO else -1.0

    @jit
    def list_steps(stone: Word, moves: Any, n: int) -> int:
        """Add the moves of a stone to n others; return how many there are then."""
        first = 3 * trailing_zeros(stone)
        if stone & on_right == ZERO:
            moves[n] = int32(first)
            n += 1
        if stone & on_floor == ZERO:
            moves[n] = int32(first + 1)
            n += 1
            if stone & on_right == ZERO:
                moves[n] = int32(first + 2)
                n += 1
        return n

    @jit
    def legal_moves(position: Row, moves: Any) -> int:
        """List the moves of the stone that the die shows, or of its neighbours in number."""
        if position[die] == ZERO or is_terminal(position):
            return 0
        lower, higher = playable(position, stones)
        n = list_steps(position[2 * lower], moves, 0) if lower >= 0 else 0
        if lower < higher < stones:
            n = list_steps(position[2 * higher], moves, n)
        return n

    @jit
    def outcomes(position: Row, listed: Any, weights: Any) -> int:
        """List what the die may show."""
        if position[die] != ZERO or is_terminal(position):
            return 0
        for k in range(stones):
            listed[k], weights[k] = int32(3 * squares + 1 + k), int32(1)
        return stones

    @jit
    def play(position: Row, move: int, child: Row) -> int:
        """Step as the move says, 3 * square + direction; or let the die show move - 3 * squares."""
        if move > 3 * squares:
            for word in range(die):
                child[word] = position[word]
            child[die] = np.uint64(move - 3 * squares)
            return SAME
        start = bit(move // 3)
        end = start << steps[move % 3]
        for k in range(stones):
            mine = position[2 * k]
            child[2 * k] = turned(position[2 * k + 1] & ~end)
            child[2 * k + 1] = turned(end if mine == start else mine & ~end)
        child[die] = ZERO
        return OTHER if is_terminal(child) else OTHER | CHANCE

    @jit
    def plies_left(position: Row) -> int:
        """Return the steps down and to the right that all stones together can still make."""
        mine, theirs = stones_of(position, PLAYER), stones_of(position, OPPONENT)
        left = 0
        for k in range(2 * size - 1):
            left += k * (popcount(mine & walks[k]) + popcount(theirs & walks[2 * size - 2 - k]))
        return left

    return {
        "legal_moves": legal_moves,
        "outcomes": outcomes,
        "play": play,
        "is_terminal": is_terminal,
        "utility": utility,
        "plies_left": plies_left,
    }


def _start(size: int) -> tuple[int, ...]:
    """Return the start: 1 2 3, 4 5 and 6 on the rows from one's own corner, the die not thrown."""
    rows = size // 2 + 1
    corner = [size * row + column for row in range(rows) for column in range(rows - row)]
    both = ((1 << square, 1 << size * size - 1 - square) for square in corner)
    return (*(word for pair in both for word in pair), 0)


def _board(size: int, stones: int) -> Board:
    squares = np.arange(size * size)
    return Board(
        size,
        size,
        pieces=["1A", "2B", "3C", "4D", "5E", "6F"][:stones],
        symmetric=[squares, squares.reshape(size, size).T.ravel()],
        row_names="54321"[-size:],
    )


def einstein(size: int = 5) -> Game:
    """Return the game on 5 squares a side with six stones, or on 3 with three and a die of three.

    Parameters
    ----------
    size
        squares a side.
    """
    start = _start(size)
    stones = len(start) // 2
    return Game(
        name="einstein" if size == 5 else f"einstein_{size}x{size}",
        start=start,
        notation=EinsteinNotation.on(_board(size, stones)),
        max_moves=6,
        max_plies=2 * (2 * stones * (2 * size - 2)),
        sooner_is_better=False,
        alternates=False,
        chances=stones,
        opening_plies=2,
        exact_from=10,
        defaults=DEFAULTS,
        **_rules(size, stones),
    )


GAME, GAME_3X3 = einstein(5), einstein(3)

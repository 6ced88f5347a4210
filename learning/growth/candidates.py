"""Which shape to add next: those that extend one there is by a square, judged when need be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from samuel.features.shapes import MOST_INSTANCES, MOST_SQUARES, Shape
from samuel.games.interface import Game
from samuel.learning.growth.sample import Sample

_AT_ONCE = 32
"""Shapes that are judged before the order is looked at again."""


def single_squares(game: Game) -> list[Shape]:
    """Return one shape of one square for each class of squares that the symmetries leave."""
    board = Board(game)
    return board.shapes({board.canonical(bit) for bit in board.bits})


class Board:
    """Shapes as sets of bits, and what the symmetries of a board make of them."""

    def __init__(self, game: Game) -> None:
        self.names = {1 << bit: name for name, bit in game.squares}
        self.bits = list(self.names)
        self._masks = {name: bit for bit, name in self.names.items()}
        self._images = [
            {bit: 1 << int(symmetry[bit.bit_length() - 1]) for bit in self.bits}
            for symmetry in game.symmetries
        ]

    def mask(self, shape: Shape) -> int:
        """Return the squares of a shape as a set of bits."""
        return sum(self._masks[name] for name in shape.squares)

    def images(self, mask: int) -> set[int]:
        """Return the images of a set of bits."""
        held = [bit for bit in self.bits if bit & mask]
        return {sum(image[bit] for bit in held) for image in self._images}

    def canonical(self, mask: int) -> int:
        """Return of the images of a set of bits the one whose squares come first on the board."""
        return min(self.images(mask), key=lambda image: [bit for bit in self.bits if bit & image])

    def extensions(self, mask: int) -> set[int]:
        """Return the sets, canonical, of which `mask` is all but one square."""
        return {self.canonical(mask | bit) for bit in self.bits if not bit & mask}

    def shapes(self, masks: set[int]) -> list[Shape]:
        """Return sets of bits as shapes, named by their squares."""
        held = [tuple(self.names[bit] for bit in self.bits if bit & m) for m in sorted(masks)]
        return [Shape("-".join(squares), squares) for squares in held]


class Candidates:
    """Shapes that may be added, with what they gained when they were last judged.

    Gains mostly fall as shapes are added, so those of before are taken for upper bounds: a shape is
    judged anew only when no other can be better by its bound (M. Minoux, "Accelerated greedy
    algorithms for maximizing submodular set functions", 1978). New ones have no bound.

    Parameters
    ----------
    game
        The game.
    start
        The shapes to extend first.
    """

    def __init__(self, game: Game, start: Sequence[Shape]) -> None:
        self._board = Board(game)
        self._shapes: list[Shape] = []
        self._masks = np.zeros(0, np.uint64)
        self._instances = np.zeros(0, np.int64)
        self._gains = np.zeros(0)
        self._known: set[int] = set()
        self.extend(start)

    def __len__(self) -> int:
        return len(self._shapes)

    def extend(self, shapes: Sequence[Shape]) -> None:
        """Add what extends some shapes by a square."""
        new: set[int] = set()
        for shape in shapes:
            if len(shape.squares) < MOST_SQUARES:
                new |= self._board.extensions(self._board.mask(shape)) - self._known
        found = self._board.shapes(new)
        self._known |= new
        self._shapes += found
        masks = np.array([self._board.mask(shape) for shape in found], np.uint64)
        self._masks = np.concatenate([self._masks, masks])
        self._instances = np.concatenate([self._instances, self._count(found)])
        self._gains = np.concatenate([self._gains, np.full(len(found), np.inf)])

    def best(
        self, sample: Sample, shapes: Sequence[Shape], room: int
    ) -> tuple[Shape, list[Shape], float] | None:
        """Return the shape that gains most for each configuration it costs.

        Parameters
        ----------
        sample
            What to judge by; its residuals are new since the last call.
        shapes
            Those of the model; what a new shape contains of them, it replaces.
        room
            How many configurations it may cost, those replaced not counted.

        Returns
        -------
        The shape, those that it replaces, and its gain (Sample.gain); None where none gains.
        """
        contained, is_new = self._relations(shapes)
        cost = np.array([shape.size for shape in self._shapes], np.int64)
        cost -= contained @ np.array([shape.size for shape in shapes])
        present = self._count(shapes)
        instances = present.sum() - contained @ present + self._instances
        feasible = is_new & (cost <= room) & (instances <= MOST_INSTANCES)
        weight, is_fresh = np.maximum(cost, 1), np.zeros(len(self), bool)
        while feasible.any():
            rates = np.where(feasible, self._gains / weight, -1.0)
            order = np.argsort(-rates, kind="stable")[:_AT_ONCE]
            if is_fresh[order[0]]:
                chosen = order[0]
                if self._gains[chosen] <= 0:
                    return None
                replaced = [
                    s for s, within in zip(shapes, contained[chosen], strict=True) if within
                ]
                return self._shapes[chosen], replaced, float(self._gains[chosen])
            for k in order[feasible[order] & ~is_fresh[order]]:
                self._gains[k] = sample.gain(self._shapes[k])
                is_fresh[k] = True
        return None

    def _count(self, shapes: Sequence[Shape]) -> NDArray[np.int64]:
        """Return how many instances each shape has."""
        board = self._board
        return np.array([len(board.images(board.mask(shape))) for shape in shapes], np.int64)

    def _relations(self, shapes: Sequence[Shape]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which shapes each candidate contains, (candidates, shapes), and which are new.

        One that a shape contains says nothing that the shape does not.
        """
        contained = np.zeros((len(self), len(shapes)), bool)
        is_new = np.ones(len(self), bool)
        for number, shape in enumerate(shapes):
            for image in self._board.images(self._board.mask(shape)):
                mask = np.uint64(image)
                contained[:, number] |= (mask & ~self._masks) == 0
                is_new &= (self._masks & ~mask) != 0
        return contained & is_new[:, None], is_new

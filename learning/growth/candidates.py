"""Candidates for the next shape: extensions by a square, rated when need be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from samuel.features.shapes import MOST_INSTANCES, Shape, most_squares
from samuel.games.feature import board_of
from samuel.games.interface import Game
from samuel.learning.growth.sample import Sample

_AT_ONCE = 32
"""Shapes that are rated before the order is looked at again."""


def single_squares(game: Game) -> list[Shape]:
    """Return one shape of one square for each class of squares that the symmetries leave."""
    squares = Squares(game)
    return squares.shapes({squares.canonical(bit) for bit in squares.bits})


class Squares:
    """Shapes as sets of a board's squares, and what its symmetries make of them.

    A set is a whole number: square k is in it where bit k is set.
    """

    def __init__(self, game: Game) -> None:
        self.names = {1 << k: name for k, name in enumerate(game.squares)}
        self.bits = list(self.names)
        self.most = most_squares(board_of(game))
        self._masks = {name: bit for bit, name in self.names.items()}
        self._images = [
            {bit: 1 << int(image) for bit, image in zip(self.bits, symmetry, strict=True)}
            for symmetry in game.symmetries
        ]

    def mask(self, shape: Shape) -> int:
        """Return the squares of a shape as a set."""
        return sum(self._masks[name] for name in shape.squares)

    def images(self, mask: int) -> set[int]:
        """Return the images of a set."""
        held = [bit for bit in self.bits if bit & mask]
        return {sum(image[bit] for bit in held) for image in self._images}

    def canonical(self, mask: int) -> int:
        """Return of the images of a set the one whose squares come first on the board."""
        return min(self.images(mask), key=lambda image: [bit for bit in self.bits if bit & image])

    def extensions(self, mask: int) -> set[int]:
        """Return the sets, canonical, of which `mask` is all but one square."""
        return {self.canonical(mask | bit) for bit in self.bits if not bit & mask}

    def shapes(self, masks: set[int]) -> list[Shape]:
        """Return sets as shapes, named by their squares."""
        held = [tuple(self.names[bit] for bit in self.bits if bit & m) for m in sorted(masks)]
        return [Shape("-".join(squares), squares) for squares in held]

    def words(self, masks: Sequence[int]) -> NDArray[np.uint64]:
        """Return sets as words (n, W), 64 squares each."""
        starts = range(0, len(self.bits), 64)
        rows = [[mask >> start & (1 << 64) - 1 for start in starts] for mask in masks]
        return np.array(rows, np.uint64).reshape(-1, len(starts))


class Candidates:
    """Shapes that may be added, with what they gained when they were last rated.

    Gains mostly fall as shapes are added, so those of before are taken for upper bounds: a shape is
    rated anew only when no other can be better by its bound (M. Minoux, "Accelerated greedy
    algorithms for maximizing submodular set functions", 1978). New ones have no bound.

    Parameters
    ----------
    start
        The shapes to extend first.
    """

    def __init__(self, game: Game, start: Sequence[Shape]) -> None:
        self._squares = Squares(game)
        self._base = len(board_of(game).contents)
        self._shapes: list[Shape] = []
        self._masks = self._squares.words([])
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
            if len(shape.squares) < self._squares.most:
                new |= self._squares.extensions(self._squares.mask(shape)) - self._known
        found = self._squares.shapes(new)
        self._known |= new
        self._shapes += found
        masks = self._squares.words([self._squares.mask(shape) for shape in found])
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
            What to rate by; its residuals are new since the last call.
        shapes
            Those of the model; what a new shape contains of them, it replaces.
        room
            How many configurations it may cost, those replaced not counted.

        Returns
        -------
        The shape, those that it replaces, and its gain (Sample.gain); None where none gains.
        """
        contained, is_new = self._relations(shapes)
        cost = self._sizes(self._shapes)
        cost -= contained @ self._sizes(shapes)
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
        squares = self._squares
        return np.array([len(squares.images(squares.mask(shape))) for shape in shapes], np.int64)

    def _sizes(self, shapes: Sequence[Shape]) -> NDArray[np.int64]:
        """Return how many configurations each shape has."""
        return np.array([self._base ** len(shape.squares) for shape in shapes], np.int64)

    def _relations(self, shapes: Sequence[Shape]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which shapes each candidate contains, (candidates, shapes), and which are new.

        One that a shape contains says nothing that the shape does not.
        """
        contained = np.zeros((len(self), len(shapes)), bool)
        is_new = np.ones(len(self), bool)
        for number, shape in enumerate(shapes):
            images = list(self._squares.images(self._squares.mask(shape)))
            for image in self._squares.words(images):
                contained[:, number] |= ((image & ~self._masks) == 0).all(axis=1)
                is_new &= ((self._masks & ~image) != 0).any(axis=1)
        return contained & is_new[:, None], is_new

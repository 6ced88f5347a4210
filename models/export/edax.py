"""A model of Othello's patterns as Edax's file of weights, eval.dat.

The format, as R. Delorme's Edax 4 reads it (https://github.com/abulmo/edax-reversi, src/eval.c):
little-endian; two magic numbers of 32 bits; version, release and build, 32 bits each; a date, a
double; then for each ply, 60 less the empty squares, 114,364 weights of 16 bits in 128ths of a
disc: of twelve kinds of shapes, one after another, and a constant. The squares of a kind are the
digits of a number in base 3, the first the most significant: 0 what the side to move has, 1 what
the opponent has, 2 empty. A symmetry maps each kind onto itself, and so numbers onto numbers; a
kind's weights are those of the numbers that are not greater than their images, ascending.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.features.terms import Stages
from samuel.models.patterns.model import PatternModel

MAGIC = 0x45444158, 0x4556414C
VERSION = 3, 2, 5
PLIES, WEIGHTS, QUANTUM = 61, 114_364, 128
KINDS = (
    "a1 b1 a2 b2 c1 a3 c2 b3 c3",
    "a5 a4 a3 a2 a1 b2 b1 c1 d1 e1",
    "b2 a1 b1 c1 d1 e1 f1 g1 h1 g2",
    "a1 c1 d1 c2 d2 e2 f2 e1 f1 h1",
    "a2 b2 c2 d2 e2 f2 g2 h2",
    "a3 b3 c3 d3 e3 f3 g3 h3",
    "a4 b4 c4 d4 e4 f4 g4 h4",
    "a1 b2 c3 d4 e5 f6 g7 h8",
    "b1 c2 d3 e4 f5 g6 h7",
    "c1 d2 e3 f4 g5 h6",
    "d1 e2 f3 g4 h5",
    "d1 c2 b3 a4",
)
_LARGEST = 32_767
_DIGIT = np.array([2, 0, 1])
"""Edax's digits of mover, opponent and emptiness as ours, which are counted from the opponent."""


def edax_bytes(model: PatternModel) -> bytes:
    """Return the content of an eval.dat."""
    if model.game.name != "othello":
        raise UserError(f"eval.dat is for othello, and the model is for {model.game.name}")
    if model.terms.tables:
        names = ", ".join(table.name for table in model.terms.tables)
        raise UserError(
            f"eval.dat stores shapes only, and the model also has tables of counts: {names}"
        )
    blended = np.stack(list(Stages.of(model.knots, model.game.most_left).blended(model.weights)))
    of_kinds = [np.zeros((PLIES, 3 ** len(kind))) for kind in _squares_of_kinds(model)]
    for shape in range(len(model.terms.patterns.shapes)):
        _add_shape(model, shape, blended[::-1], of_kinds)
    columns = [
        table[:, kept_numbers(kind)]
        for kind, table in zip(_squares_of_kinds(model), of_kinds, strict=True)
    ]
    constant = np.full((PLIES, 1), model.intercept)
    weights = np.round(QUANTUM * np.concatenate([*columns, constant], axis=1))
    if np.abs(weights).max() > _LARGEST:
        raise UserError(
            f"a weight is worth {np.abs(weights).max() / QUANTUM:.0f} discs; eval.dat stores "
            f"at most {_LARGEST // QUANTUM}: train with more games, or a larger alpha"
        )
    head = struct.pack("<2I3Id", *MAGIC, *VERSION, 0.0)  # the last is a date
    return head + weights.astype("<i2").tobytes()


def _squares_of_kinds(model: PatternModel) -> list[tuple[int, ...]]:
    number = {name: k for k, name in enumerate(model.terms.patterns.board.squares)}
    return [tuple(number[name] for name in kind.split()) for kind in KINDS]


def kept_numbers(kind: Sequence[int]) -> NDArray[np.int64]:
    """Return the numbers of a kind that are kept, ascending; `kind` has its squares, 8 a row."""
    digits = _digits(len(kind))
    image = _mirrored(kind)
    places = [image.index(square) for square in kind]
    images = digits[:, places] @ _powers(len(kind))
    return np.flatnonzero(np.arange(len(images)) <= images)


def _mirrored(kind: Sequence[int]) -> list[int]:
    """Return the image of a kind under the symmetry that maps it onto itself."""
    squares = np.arange(64).reshape(8, 8)
    for turned in (np.fliplr(squares), np.flipud(squares), squares.T, squares[::-1, ::-1].T):
        image = [int(turned[divmod(square, 8)]) for square in kind]
        if set(image) == set(kind) and image != list(kind):
            return image
    raise AssertionError(kind)


def _digits(n: int) -> NDArray[np.int64]:
    """Return the digits (3**n, n) of all numbers of n squares, the first the most significant."""
    return np.arange(3**n)[:, None] // _powers(n) % 3


def _powers(n: int) -> NDArray[np.int64]:
    return 3 ** np.arange(n - 1, -1, -1)


def _add_shape(
    model: PatternModel,
    shape: int,
    blended: NDArray[np.float32],
    of_kinds: list[NDArray[np.float64]],
) -> None:
    """Add the weights of a shape (plies, n_weights) to those of the kind that contains it."""
    patterns = model.terms.patterns
    instances = [squares for number, squares in patterns.instances if number == shape]
    kinds = _squares_of_kinds(model)
    for kind, table in zip(kinds, of_kinds, strict=True):
        inside = [squares for squares in instances if set(squares) <= set(kind)]
        if not inside:
            continue
        images = {frozenset(one[list(kind)].tolist()) for one in patterns.board.symmetries}
        # each instance of the shape lies in so many of the kind, and counts once
        share = len(instances) / (len(images) * len(inside))
        digits = _DIGIT[_digits(len(kind))]
        for squares in inside:
            own = digits[:, [kind.index(square) for square in squares]]
            number = own @ 3 ** np.arange(len(squares))
            weight = model.terms.weight_of[patterns.starts[shape] + number]
            table += share * blended[:, weight]
        return
    name = patterns.shapes[shape].name
    raise UserError(
        f"eval.dat has no shape that contains {name!r}; train with --model edax, or use shapes "
        "that lie within Edax's"
    )

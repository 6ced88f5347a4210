"""Material, piece-square tables, the bishop pair and the move."""

from __future__ import annotations

from typing import Any

from samuel.games.chess.squares import (
    BISHOP,
    CLASSES,
    KINDS,
    NAMES,
    PAWN_SQUARES,
    SIZE,
    SQUARES,
    THEIRS,
)
from samuel.games.feature import feature
from samuel.games.rules import Row
from samuel.kernels.bits import ONE, popcount, swapped_bytes, trailing_zeros
from samuel.kernels.jit import jit

_N_CLASSES = len(CLASSES)


@jit
def class_of(kind: int, square: int) -> int:
    """Return the column of a kind of piece on a square, as its side sees it."""
    return square - SIZE if kind == 0 else PAWN_SQUARES + SQUARES * (kind - 1) + square


@feature(game="chess", outputs=NAMES[:-1])
def material(position: Row, values: Any) -> None:
    """Difference in pieces of each kind, player minus opponent."""
    for kind in KINDS[:-1]:
        mine, theirs = position[2 * kind], position[2 * kind + THEIRS]
        values[kind] = popcount(mine) - popcount(theirs)


def _summed_squares(position: Row, weights: Any) -> float:
    """Return the sum of the weights of `piece_squares`, each times its number."""
    total = weights[0] * 0
    for kind in KINDS:
        pieces = position[2 * kind]
        while pieces:
            total += weights[class_of(kind, trailing_zeros(pieces))]
            pieces &= pieces - ONE
        pieces = swapped_bytes(position[2 * kind + THEIRS])
        while pieces:
            total -= weights[class_of(kind, trailing_zeros(pieces))]
            pieces &= pieces - ONE
    return total


@feature(game="chess", outputs=CLASSES, summed=_summed_squares)
def piece_squares(position: Row, values: Any) -> None:
    """Piece on each square: +1 for the player's, -1 for the opponent's, as its side sees it."""
    for k in range(_N_CLASSES):
        values[k] = 0
    for kind in KINDS:
        pieces = position[2 * kind]
        while pieces:
            values[class_of(kind, trailing_zeros(pieces))] += 1
            pieces &= pieces - ONE
        pieces = swapped_bytes(position[2 * kind + THEIRS])
        while pieces:
            values[class_of(kind, trailing_zeros(pieces))] -= 1
            pieces &= pieces - ONE


@feature(game="chess")
def bishop_pair(position: Row) -> float:
    """Bishop pair: 1 if only the player has two bishops, -1 if only the opponent has, else 0."""
    mine, theirs = position[2 * BISHOP], position[2 * BISHOP + THEIRS]
    return float((popcount(mine) > 1) - (popcount(theirs) > 1))


@feature(game="chess")
def tempo(position: Row) -> float:
    """Always 1: its weight is the value of having the move."""
    return 1.0

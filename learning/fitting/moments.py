"""Least squares by stage from sums of products alone: fitted often, read once.

A model staged as models/staged.py has it is, to least squares, one model a stage, each row
counting by its hat weight. A fit to any of the columns needs only the matrix of the rows' products,
summed; with one such matrix a stage and fold, leaving a fold out is a subtraction,
and adding a feature is the solution of as many equations as it has numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.learning.fitting.metrics import Floats

PENALTY = 10.0
"""Penalty of squared weights, in rows, for columns of variance 1.

It is next to nothing, but columns that say the same share what they say.
"""
_AT_ONCE = 1 << 14


@dataclass(frozen=True, eq=False)
class Design:
    """Rows as staged least squares sees them."""

    columns: NDArray[np.float32]
    hats: NDArray[np.float32]
    weight: NDArray[np.float32]
    game: NDArray[np.int64]

    @property
    def games(self) -> int:
        """The number of games."""
        return int(self.game.max()) + 1

    def weight_by_game(self) -> Floats:
        """Return the weight (games,) of the rows of each game."""
        by_game: Floats = np.bincount(self.game, self.weight, self.games).astype(np.float64)
        return by_game

    def variance(self) -> float:
        """Return the variance of the target."""
        target, weight = self.columns[:, -1].astype(np.float64), self.weight
        mean = np.average(target, weights=weight)
        return float(np.average(np.square(target - mean), weights=weight))

    def products(self, rows: NDArray[np.bool_]) -> Floats:
        """Return the products (S, D, D) of the columns of some rows, summed for each stage."""
        shares = self.hats * self.weight[:, None]
        return products_of(self.columns[rows], shares[rows])

    def errors_by_game(self, weights: Floats, rows: NDArray[np.bool_]) -> Floats:
        """Return the squared errors of K models on some rows, summed for each game."""
        models, stages, columns = weights.shape
        flat = weights.reshape(-1, columns).T.astype(np.float32)
        sums = np.zeros((models, self.games))
        chosen = np.flatnonzero(rows)
        for start in range(0, len(chosen), _AT_ONCE):
            part = chosen[start : start + _AT_ONCE]
            by_stage = (self.columns[part, :-1] @ flat).reshape(-1, models, stages)
            scores = np.einsum("nks,ns->kn", by_stage, self.hats[part])
            errors = np.square(scores - self.columns[part, -1]) * self.weight[part]
            for total, squared in zip(sums, errors, strict=True):
                total += np.bincount(self.game[part], squared, self.games)
        return sums


def products_of(columns: NDArray[np.float32], shares: NDArray[Any]) -> Floats:
    """Return the products (S, D, D) of columns (n, D), summed for each stage by shares (n, S)."""
    sums = []
    for share in shares.T:
        used = np.flatnonzero(share)
        some = columns[used].astype(np.float64)
        sums.append((some * share[used, None]).T @ some)
    return np.array(sums)


def penalized(products: Floats) -> Floats:
    """Return products (..., D, D) with the penalty of weights, that of the ones hardly any."""
    penalty = np.full(products.shape[-1], PENALTY)
    penalty[0], penalty[-1] = 1e-6, 0
    return products + np.diag(penalty)


def fitted_weights(products: Floats, columns: NDArray[np.int64]) -> Floats:
    """Return the weights (..., D - 1) of a fit to the ones and some columns, 0 for the others."""
    used = np.concatenate([[0], columns])
    weights = np.zeros(products.shape[:-1])
    sides = products[..., used, -1:]
    weights[..., used] = np.linalg.solve(products[..., used[:, None], used], sides)[..., 0]
    return weights[..., :-1]


def absorb(fit: Floats, held_out: Floats, columns: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Take out of all columns, the target too, what some columns say of them."""
    rest = fit[..., columns, :]
    shares = np.linalg.solve(rest[..., columns], rest)
    across = np.swapaxes(shares, -1, -2)
    said = across @ held_out[..., columns, :]
    both = across @ held_out[..., columns, :][..., columns] @ shares
    return (
        fit - np.swapaxes(rest, -1, -2) @ shares,
        held_out - said - np.swapaxes(said, -1, -2) + both,
    )


def fall(fit: Floats, held_out: Floats, columns: NDArray[np.int64]) -> float:
    """Return by how much the squared error on the held-out rows falls when columns join."""
    rest, others = fit[..., columns, :], held_out[..., columns, :]
    weights = np.linalg.solve(rest[..., columns], rest[..., -1:])
    return float(np.sum(weights * (2 * others[..., -1:] - others[..., columns] @ weights)))


def mean_by_game(sums: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return means and their standard errors, games being the independent units."""
    games = len(weight)
    mean = sums.sum(axis=1) / weight.sum()
    apart = np.square(sums - mean[:, None] * weight).sum(axis=1)
    scale = games / (games - 1) if games > 1 else np.nan
    return mean, np.sqrt(scale * apart) / weight.sum()

"""Stages: the shares that knots have of a count of squares left."""

import numpy as np
import pytest

from samuel.features.terms import Stages, even_knots


def test_hats_of_known_counts() -> None:
    hats = Stages.of((0, 30, 60), 60).hats(np.array([0, 15, 30, 50, 60, 64]))
    known = [[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0], [0, 1 / 3, 2 / 3], [0, 0, 1], [0, 0, 1]]
    np.testing.assert_allclose(hats, known)


@pytest.mark.parametrize("knots", [(0,), (20,), (20, 40), (0, 15, 30, 45, 60), even_knots(11, 36)])
def test_hats_are_interpolation_between_unit_vectors(knots: tuple[int, ...]) -> None:
    """Knots may lie beyond the most squares that can be left: 36."""
    left = np.arange(37)
    units = np.eye(len(knots))
    expected = np.column_stack([np.interp(left, knots, unit) for unit in units])
    np.testing.assert_allclose(Stages.of(knots, 36).hats(left), expected, atol=1e-12)

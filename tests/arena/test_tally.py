"""Sums of an event so far: the figures of all its pairs, without a walk over them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from samuel.arena.match import match
from samuel.arena.results import MatchResult
from samuel.arena.sequential.sprt import Sprt
from samuel.arena.standings import TournamentResult
from samuel.arena.statistics import match_statistics, mean_with_interval
from samuel.arena.tournament import tournament
from samuel.cli.match import line_of
from samuel.cli.progress import Pace
from samuel.cli.tournament import _how_far

GAME: dict[str, Any] = {"game": "connect_four", "nodes": 20, "exact_from": 0}


class Unwalked(Sequence[Any]):
    """Pairs that only their number is known of."""

    def __init__(self, n: int) -> None:
        self._n = n

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, place: Any) -> Any:
        pytest.fail("a redraw walks over the pairs")


def test_figures_so_far_are_those_of_the_pairs() -> None:
    seen: list[MatchResult] = []
    match("classic", "zero", **GAME, pairs=30, sprt=Sprt(-9, 9), progress=seen.append)
    for result in seen:
        plain = replace(result, so_far=None)
        assert result.so_far is not None and plain.as_dict() == result.as_dict()
        points = (1 + (result.results > 0) - (result.results < 0)) / 2
        assert result.statistics == match_statistics(points[:, 0], points[:, 1])
        assert result.mean == pytest.approx(mean_with_interval(result.results, 1))
        unwalked = replace(result, pairs=Unwalked(len(result.pairs)))
        line_of(unwalked, [])


def test_points_so_far_are_those_of_the_pairs() -> None:
    seen: list[TournamentResult] = []
    players = ["classic", "zero", "random"]
    tournament(players, **GAME, pairs=4, progress=lambda result, of: seen.append(result))
    for result in seen:
        plain = replace(result, so_far=None)
        assert (plain.points, plain.faults) == (result.points, result.faults)
        assert sum(result.points) == 2 * len(result.pairs)
        assert "leads" in _how_far(replace(result, pairs=Unwalked(len(result.pairs))), 12, Pace())

"""Matches at the edges of what can be asked for."""

import warnings
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

from samuel.arena import match, random_openings
from samuel.arena.players import player
from samuel.arena.statistics import MatchStatistics
from samuel.errors import UserError
from samuel.games import Position, game_named
from samuel.models import load_evaluator
from samuel.search import search
from samuel.search.limits import Limits
from samuel.search.methods import method_named

OTHELLO = game_named("othello")


def test_the_largest_numbers_are_no_limits() -> None:
    plain = match("classic", "wpc", pairs=4, limits=Limits(2))
    for limits in (Limits(2, 1 << 62), Limits(2, None, 1e9)):
        vast = match("classic", "wpc", pairs=4, limits=limits)
        assert np.array_equal(vast.results, plain.results)


def test_any_seed_is_a_seed() -> None:
    game = game_named("connect_four")
    openings = [random_openings(game, 20, 6, seed).positions for seed in (0, 1, 2**32 - 1, 2**40)]
    assert len({o.tobytes() for o in openings}) == 4
    assert len(random_openings(game, 20, 6, 10**30)) == 20


@pytest.mark.parametrize("seeds", [(0, 1), (1, 2), (7, 8)])
def test_neighbouring_seeds_share_few_openings(seeds: tuple[int, int]) -> None:
    one, other = (
        {tuple(row) for row in random_openings(OTHELLO, 300, 10, s).positions} for s in seeds
    )
    assert len(one & other) < 15


@pytest.mark.parametrize("plies", [0, 1])
def test_few_openings_are_refused_with_their_number(plies: int) -> None:
    with pytest.raises(UserError, match=f"only 1 different openings of {plies} plies"):
        match("classic", "wpc", pairs=2, opening_plies=plies)


def test_openings_longer_than_the_game_are_refused() -> None:
    with pytest.raises(UserError, match="hardly ever last 100 plies"):
        match("classic", "wpc", pairs=2, opening_plies=100)


def test_no_workers_are_refused() -> None:
    with pytest.raises(UserError, match="0 workers"):
        match("classic", "wpc", pairs=2, jobs=0)


def test_the_same_games_from_worker_processes() -> None:
    here = match("classic", "wpc", pairs=20, limits=Limits(2))
    with joblib.parallel_config(backend="loky"):
        there = match("classic", "wpc", pairs=20, limits=Limits(2), jobs=2)
    assert np.array_equal(here.results, there.results)


def test_a_solved_game_counts_as_if_played_to_the_end() -> None:
    """Play the first games move by move with `search`, exact endings and all."""
    sides = [load_evaluator("classic", OTHELLO), load_evaluator("wpc", OTHELLO)]
    result = match(*sides, pairs=3, limits=Limits(1), exact_from=8, openings="random", seed=5)
    for opening, pair in zip(
        random_openings(OTHELLO, 3, 8, 5).positions, result.results, strict=True
    ):
        for first, expected in enumerate((pair[0], -pair[1])):
            position, ply = Position(OTHELLO, tuple(int(word) for word in opening)), 0
            while not position.is_terminal:
                mover = sides[(ply + first) % 2]
                found = search(position, mover, depth=1, exact_from=8, table_bits=8)
                position, ply = position.play(found.move), ply + 1
            assert expected == position.utility() * (-1 if ply % 2 else 1)


@pytest.mark.parametrize("name", ["connect_four", "tic_tac_toe"])
def test_a_win_is_a_whole_unit_however_far_it_was_seen(name: str) -> None:
    result = match("classic", "zero", game=name, pairs=8, limits=Limits(4), exact_from=12)
    assert set(np.unique(result.results)) <= {-1.0, 0.0, 1.0}


def test_a_player_without_evaluation_loses() -> None:
    result = match("classic", "zero", pairs=30, limits=Limits(3), exact_from=0)
    assert result.statistics.score > 0.6
    assert result.mean_result > 0


def test_a_side_may_search_selectively() -> None:
    limited = Limits(None, 3000)
    selective = {"limits": limited, "probcut": 1.2}
    found = match("classic", "classic", pairs=3, **selective, probcut_b=0)
    assert found.limits == "3000 nodes, selective at 1.2 sigma against 3000 nodes"
    search(Position.start(OTHELLO), load_evaluator("wpc", OTHELLO), depth=2)  # of no consequence
    again = match("classic", "classic", pairs=3, **selective, probcut_b=0, jobs=2)
    assert np.array_equal(found.results, again.results)
    with pytest.raises(UserError, match="zero of othello comes without parameters for ProbCut"):
        match("classic", "zero", pairs=1, **selective)


def test_a_method_that_there_is_not_leaves_no_folder(tmp_path):
    for method in ("nonsense", "uct:playouts=0", "star2:probes=0"):
        with pytest.raises(UserError):
            match("zero", "zero", method=method, pairs=2, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_method_that_asks_no_evaluator_says_so():
    for method, told in (("uct:playouts=9", True), ("uct:playouts=9,playout_plies=0", False)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            player("classic", game_named("othello"), [Limits()], method_named(method))
        assert any("never asks classic" in str(one.message) for one in caught) == told


def test_a_match_stops_at_the_error_that_is_wanted(tmp_path: Path) -> None:
    def play(error: float, **more: Any) -> MatchStatistics:
        return match("wpc", "random", depth=1, openings="random", error=error, **more).statistics

    wide, narrow = play(150.0), play(75.0)
    assert wide.games < narrow.games
    for found, error in ((wide, 150), (narrow, 75)):
        assert max(found.elo_high - found.elo, found.elo - found.elo_low) <= error
    out = tmp_path / "match"
    assert play(150.0, out=out) == wide
    assert play(75.0, out=out) == narrow  # goes on there
    assert play(1.0, pairs=3).games == 6
    with pytest.raises(UserError, match="not by both"):
        play(10.0, sprt=(0, 5))

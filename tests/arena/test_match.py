"""Matches: paired, fair, the same for the same seed."""

import warnings
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import samuel
from samuel.arena.match import match
from samuel.arena.openings.choice import openings_for
from samuel.arena.players import entrant
from samuel.common.errors import UserError
from samuel.features import Features
from samuel.games import Position, game_named
from samuel.models import load_evaluator
from samuel.search import analyse, new_memory
from samuel.search.limits import Limits
from samuel.search.methods import method_named

OTHELLO = game_named("othello")


def test_an_evaluator_against_itself_shares_every_pair():
    result = match("classic", "classic", pairs=30, limits=Limits(2))
    assert result.statistics.pentanomial == (0, 0, 30, 0, 0)
    assert np.array_equal(result.results[:, 0], -result.results[:, 1])


def test_swapping_the_sides_swaps_the_result():
    one = match("classic", "wpc", pairs=25, limits=Limits(2), seed=4)
    other = match("wpc", "classic", pairs=25, limits=Limits(2), seed=4)
    assert np.array_equal(one.results, -other.results[:, ::-1])
    assert one.statistics.score == pytest.approx(1 - other.statistics.score)


@pytest.mark.parametrize("limits", [Limits(None, 1000), Limits(5)], ids=str)
@pytest.mark.parametrize("game", ["othello", "connect_four"])
def test_a_game_is_the_same_whatever_was_played_before_it(limits, game):
    # to the node: what a table remembered of the same opening would save some
    chosen = openings_for(game_named(game), "random", 2, 4, seed=2).take([0, 1, 0])
    played = match("classic", "classic", game=game, limits=limits, openings=chosen, pairs=3)
    games = [[(one.moves, list(one.nodes)) for one in pair] for pair in played.pairs]
    assert games[2] == games[0] != games[1]
    for (moves, nodes), other in games:
        assert other == (moves, nodes[::-1])


@pytest.mark.parametrize(
    "limits", [Limits(None, 300), Limits(None, None, 0.0005), Limits(30, 200, 0.01)]
)
def test_node_and_time_limits_play_whole_games(limits):
    result = match("classic", "wpc", pairs=3, limits=limits)
    assert result.statistics.games == 6
    assert np.abs(result.results).max() <= 64
    assert min(result.nodes_per_second) > 0


def test_each_side_may_have_its_own_limit():
    def results(depth, depth_b):
        limits = {"limits": Limits(depth), "limits_b": Limits(depth_b)}
        return match("wpc", "wpc", pairs=10, **limits).results

    assert np.array_equal(results(4, 1), -results(1, 4)[:, ::-1])
    assert len({results(*depths).tobytes() for depths in ((1, 1), (1, 4), (4, 1), (4, 4))}) == 4


@pytest.mark.parametrize("asked", ["match", "search", "evaluate"])
def test_an_estimator_in_an_evaluators_place_is_told_how_it_becomes_one(asked):
    pipeline = make_pipeline(Features(["mobility"]), Ridge())
    calls = {
        "match": lambda: samuel.match(pipeline, "classic", pairs=1, depth=1),
        "search": lambda: analyse(samuel.Position.start(), pipeline, depth=1),
        "evaluate": lambda: samuel.evaluate(pipeline, "othello", [(1, 2)]),
    }
    with pytest.raises(UserError, match="Pipeline is neither an evaluator nor its name or folder"):
        calls[asked]()


def test_the_same_games_whoever_plays_them():
    here = match("classic", "wpc", pairs=40, limits=Limits(3), jobs=1)
    two = match("classic", "wpc", pairs=40, limits=Limits(3), jobs=2)
    with joblib.parallel_config(backend="loky"):
        there = match("classic", "wpc", pairs=40, limits=Limits(3), jobs=2)
    assert np.array_equal(here.results, two.results)
    assert np.array_equal(here.results, there.results)


def test_what_cannot_be_played_is_refused():
    four = load_evaluator("classic", game_named("connect_four"))
    for bad, message in (
        ({"b": four, "game": "othello"}, "classic evaluates connect_four, not othello"),
        ({"b": "nobody"}, "no evaluator called 'nobody'"),
        ({"pairs": 0}, r"pairs must be .*\(got 0\)"),
        ({"depth": -3}, r"depth must be .*\(got -3\)"),
        ({"depth": 4, "seconds": float("nan")}, r"seconds must be .*\(got nan\)"),
        ({"seconds": float("nan")}, r"seconds must be .*\(got nan\)"),
        (
            {"pairs": 2, "opening_plies": 100},
            "random games of othello rarely last 100 plies or more",
        ),
        ({"pairs": 2, "jobs": 0}, "jobs must be at least 1"),
    ):
        with pytest.raises(UserError, match=message):
            match("classic", **{"b": "wpc"} | bad)


@pytest.mark.parametrize(("depth", "exact_from"), [(1, 8), (3, 0)])
def test_a_game_is_the_one_that_search_would_play(depth, exact_from):
    """Play the first games move by move with `analyse`, exact endings and all."""
    sides = [load_evaluator("classic", OTHELLO), load_evaluator("wpc", OTHELLO)]
    limits = {"limits": Limits(depth), "exact_from": exact_from}
    result = match(*sides, pairs=3, openings="random", seed=5, **limits)
    for opening, pair in zip(
        openings_for(OTHELLO, "random", 3, 8, seed=5).positions, result.results, strict=True
    ):
        for first, expected in enumerate((pair[0], -pair[1])):
            memories = [new_memory(OTHELLO, 12, 14) for _ in sides]
            position, ply = Position(OTHELLO, tuple(int(word) for word in opening)), 0
            while not position.is_terminal:
                side = (ply + first) % 2
                terms = {"depth": depth, "exact_from": exact_from, "memory": memories[side]}
                position, ply = position.play(analyse(position, sides[side], **terms).move), ply + 1
            assert expected == position.utility() * (-1 if ply % 2 else 1)


def test_a_player_without_evaluation_loses():
    result = match("classic", "zero", pairs=30, limits=Limits(3), exact_from=0)
    assert result.statistics.score > 0.6
    assert result.mean_result > 0


def test_a_side_may_search_selectively():
    limited = Limits(None, 3000)
    selective = {"limits": limited, "probcut": 1.2}
    found = match("classic", "classic", pairs=3, **selective, probcut_b=0)
    assert found.limits == "3000 nodes, selective at 1.2 sigma against 3000 nodes"
    analyse(Position.start(OTHELLO), load_evaluator("wpc", OTHELLO), depth=2)  # of no consequence
    again = match("classic", "classic", pairs=3, **selective, probcut_b=0, jobs=2)
    assert np.array_equal(found.results, again.results)
    with pytest.raises(UserError, match="zero of othello comes without parameters for ProbCut"):
        match("classic", "zero", pairs=1, **selective)


def test_a_method_that_asks_no_evaluator_says_so():
    for method, told in (("uct:playouts=9", True), ("uct:playouts=9,playout_plies=0", False)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            entrant("classic", game_named("othello"), Limits(), method_named(method))
        assert any("never calls classic" in str(one.message) for one in caught) == told


def test_a_match_stops_at_the_error_that_is_wanted(tmp_path):
    def play(error, **more):
        return match("wpc", "random", depth=1, openings="random", error=error, **more).statistics

    wide, narrow = play(150.0), play(75.0)
    assert wide.games < narrow.games
    for found, error in ((wide, 150), (narrow, 75)):
        assert max(found.elo_high - found.elo, found.elo - found.elo_low) <= error
    out = tmp_path / "match"
    assert play(150.0, out=out) == wide
    assert play(75.0, out=out) == narrow  # goes on there
    assert play(1.0, pairs=3).games == 6
    with pytest.raises(UserError, match="sprt and error cannot be given together: each is a rule"):
        play(10.0, sprt=(0, 5))


def test_a_limit_of_b_alone_leaves_it_the_others_of_a(tmp_path: Path) -> None:
    asked = {"game": game_named("connect_four"), "pairs": 1, "depth": 2, "out": tmp_path / "it"}
    assert match("classic", "zero", exact_from_b=0, **asked).limits == "depth 2"
    with pytest.raises(UserError, match="it"):  # B solved less in those games
        match("classic", "zero", **asked)

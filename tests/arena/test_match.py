"""Matches: paired, fair, the same for the same seed."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import samuel
from samuel.arena import match, random_openings
from samuel.errors import UserError
from samuel.features import Features
from samuel.games import Position, game_named
from samuel.games.symmetry import canonical_keys
from samuel.models import load_evaluator
from samuel.search import new_memory, search
from samuel.search.limits import Limits


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
    chosen = random_openings(game_named(game), 2, 4, 2).take([0, 1, 0])
    played = match("classic", "classic", game=game, limits=limits, openings=chosen, pairs=3)
    games = [
        [(one.moves, [side.nodes for side in one.spent]) for one in pair.games]
        for pair in played.pairs
    ]
    assert games[2] == games[0] != games[1]
    for (moves, nodes), other in games:
        assert other == (moves, nodes[::-1])


def test_the_same_games_with_two_workers():
    one = match("classic", "wpc", pairs=40, limits=Limits(3), jobs=1)
    two = match("classic", "wpc", pairs=40, limits=Limits(3), jobs=2)
    assert np.array_equal(one.results, two.results)


def test_a_game_is_the_one_that_search_would_play():
    game = game_named("othello")
    sides = [load_evaluator(name, game) for name in ("classic", "wpc")]
    result = match(*sides, pairs=3, limits=Limits(3), exact_from=0, openings="random", seed=2)
    for opening, expected in zip(
        random_openings(game, 3, 8, 2).positions, result.results, strict=True
    ):
        memories = [new_memory(game, 12, 14) for _ in sides]
        position, ply = Position(game, tuple(map(int, opening))), 0
        while not position.is_terminal:
            side = ply % 2
            found = search(position, sides[side], depth=3, exact_from=0, memory=memories[side])
            position, ply = position.play(found.move), ply + 1
        utility = position.utility() * (1 if ply % 2 == 0 else -1)
        assert utility == expected[0]


def test_solved_games_end_as_played_out_ones():
    early = match("wpc", "wpc", pairs=10, limits=Limits(6), exact_from=4, seed=3)
    late = match("wpc", "wpc", pairs=10, limits=Limits(6), exact_from=1, seed=3)
    # at depth 6 the last four squares are searched to the end either way, passes included
    assert np.array_equal(early.results, late.results)


@pytest.mark.parametrize("name", ["othello", "connect_four"])
def test_openings_are_all_different(name):
    game = game_named(name)
    openings = random_openings(game, 200, 6, seed=1).positions
    assert len(np.unique(canonical_keys(game, openings))) == 200
    assert not np.array_equal(openings, random_openings(game, 200, 6, seed=2).positions)
    assert np.array_equal(openings, random_openings(game, 200, 6, seed=1).positions)


def test_more_openings_than_there_are():
    game = game_named("othello")
    assert len(random_openings(game, 14, 3)) == 14  # known: 14 after 3 moves
    with pytest.raises(UserError, match="only 14 different openings of 3 plies"):
        random_openings(game, 15, 3)


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


def test_progress_comes_to_the_end():
    seen = []
    match("classic", "wpc", pairs=40, limits=Limits(1), progress=seen.append)
    games = [result.statistics.games for result in seen]
    assert games == sorted(games) and games[-1] == 80


def test_progress_begins_with_what_is_kept(tmp_path):
    seen = []
    for pairs in (20, 40):
        seen.clear()
        match("classic", "wpc", pairs=pairs, depth=1, out=tmp_path, progress=seen.append)
    assert seen[0].statistics.games >= 40 and seen[-1].statistics.games == 80


@pytest.mark.parametrize("name", ["connect_four", "tic_tac_toe"])
def test_other_games(name):
    result = match("classic", "zero", game=name, pairs=8, limits=Limits(2))
    assert set(np.unique(result.results)) <= {-1.0, 0.0, 1.0}


def test_what_cannot_be_played_is_refused():
    four = load_evaluator("classic", game_named("connect_four"))
    for bad, message in (
        ({"b": four, "game": "othello"}, "classic evaluates connect_four, not othello"),
        ({"b": "nobody"}, "no evaluator called 'nobody'"),
        ({"b": "wpc", "pairs": 0}, "pairs 0 is out of range"),
        ({"b": "wpc", "depth": -3}, "depth -3 is out of range"),
        ({"b": "wpc", "depth": 4, "seconds": float("nan")}, "seconds nan is out of range"),
        ({"b": "wpc", "seconds": float("nan")}, "seconds nan is out of range"),
    ):
        with pytest.raises(UserError, match=message):
            match("classic", **bad)


@pytest.mark.parametrize("asked", ["match", "search", "evaluate"])
def test_an_estimator_in_an_evaluators_place_is_told_how_it_becomes_one(asked: str) -> None:
    pipeline = make_pipeline(Features(["mobility"]), Ridge())
    calls = {
        "match": lambda: samuel.match(pipeline, "classic", pairs=1, depth=1),
        "search": lambda: search(samuel.Position.start(), pipeline, depth=1),
        "evaluate": lambda: samuel.evaluate(pipeline, "othello", [(1, 2)]),
    }
    with pytest.raises(UserError, match=r"Pipeline is no evaluator.*compile_model\(it, NAME\)"):
        calls[asked]()

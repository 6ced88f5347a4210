"""Tournaments: who meets whom, what is counted, and the ratings that come of it."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samuel.arena.match import match
from samuel.arena.players import entrant, with_distinct_names
from samuel.arena.records import MOST_PLAYERS, sides_of
from samuel.arena.running import EventRun
from samuel.arena.standings import TournamentResult, games_of, read_result
from samuel.arena.tournament import tournament
from samuel.common.errors import UserError
from samuel.games import game_named
from samuel.models import load_evaluator
from samuel.search.limits import Limits
from tests.arena.fakes import GAME, engine

FIELD = ["classic", "wpc", "zero", "classic"]


def play(players: list[Any] | None = None, **more: Any) -> TournamentResult:
    options: dict[str, Any] = {
        "pairs": 6,
        "limits": Limits(1),
        "openings": "random",
        "seed": 3,
    }
    return tournament(players or FIELD, **options | more)


@pytest.fixture(scope="module")
def all_meet() -> TournamentResult:
    return play()


def meetings(result: TournamentResult) -> Counter[frozenset[int]]:
    """Return how many pairs of games everybody played with everybody."""
    return Counter(frozenset(divmod(pair[0].pairing, MOST_PLAYERS)) for pair in result.pairs)


def results_by_key(result: TournamentResult) -> dict[tuple[int, int], list[float]]:
    return {pair[0].key: [one.result for one in pair] for pair in result.pairs}


def test_names_are_made_distinct(all_meet: TournamentResult) -> None:
    assert all_meet.names == ("classic", "wpc", "zero", "classic (2)")


def test_a_number_that_is_taken_is_not_given_twice() -> None:
    game = game_named(GAME)
    one = entrant("zero", game, Limits())
    named = [type(one)(name, one.limits, one.serialized) for name in ("x", "x", "x (2)", "x")]
    names = [other.name for other in with_distinct_names(named)]
    assert names[:2] == ["x", "x (2)"]
    assert len(set(names)) == 4
    unlike = [type(one)(name, one.limits, one.serialized) for name in ("x (2)", "x", "x")]
    assert len({other.name for other in with_distinct_names(unlike)}) == 3


def test_in_a_round_robin_all_meet(all_meet: TournamentResult) -> None:
    everybody = {frozenset(two): 6 for two in itertools.combinations(range(4), 2)}
    assert meetings(all_meet) == everybody
    # and all from the same openings
    by_pairing: dict[int, list[tuple[int, ...]]] = {}
    for pair in sorted(all_meet.pairs, key=lambda pair: pair[0].key):
        by_pairing.setdefault(pair[0].pairing, []).append(pair[0].opening)
    assert len(set(map(tuple, by_pairing.values()))) == 1


def test_each_meeting_is_the_match_of_the_two(all_meet: TournamentResult) -> None:
    alone = match(*("classic", "wpc"), pairs=6, limits=Limits(1), openings="random", seed=3)
    together = [[one.result for one in pair] for pair in all_meet.pairs if pair[0].pairing == 1]
    assert np.array_equal(together, alone.results)


@pytest.mark.parametrize(("champions", "expected"), [(1, 3), (2, 4), (3, 3)])
def test_in_a_gauntlet_the_champions_meet_the_rest(champions: int, expected: int) -> None:
    result = play(kind="gauntlet", champions=champions, pairs=2)
    met = meetings(result)
    assert len(met) == expected and set(met.values()) == {2}
    assert all(min(two) < champions <= max(two) for two in met)


def test_points_add_up(all_meet: TournamentResult) -> None:
    assert sum(all_meet.points) == 2 * len(all_meet.pairs)
    frame = all_meet.frame()
    for name, points in zip(all_meet.names, all_meet.points, strict=True):
        own = np.concatenate(
            [
                frame.loc[frame["first"] == name, "result"],
                -frame.loc[frame["second"] == name, "result"],
            ]
        )
        assert points == ((np.sign(own) + 1) / 2).sum()
        row = all_meet.ratings.frame().set_index("player").loc[name]
        assert row["games"] == len(own) and row["score"] == pytest.approx(points / len(own))


@pytest.mark.parametrize("plies", [6, 7])
def test_colour_is_that_of_the_first_move_of_the_game(plies: int) -> None:
    result = play(["classic", "zero"], opening_plies=plies, pairs=4)
    games, frame = games_of(result.pairs), result.frame()
    assert [result.names[k] for k in games.first] == frame["first"].tolist()
    assert [result.names[k] for k in games.second] == frame["second"].tolist()
    assert games.score.tolist() == ((np.sign(frame["result"]) + 1) / 2).tolist()
    assert games.pair.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_ratings_put_the_strong_first() -> None:
    result = play(["zero", "classic", "wpc"], limits=Limits(2), pairs=20, exact_from=0)
    ratings = result.ratings
    order = [ratings.names[k] for k in ratings.order]
    assert order[0] == "classic" and order[-1] == "zero"
    assert all(ratings.low <= ratings.elo) and all(ratings.elo <= ratings.high)
    assert ratings.los[ratings.order[0], ratings.order[-1]] > 0.95


def swiss_rounds(result: TournamentResult, pairs: int) -> list[list[frozenset[int]]]:
    """Return who met in each round."""
    rounds: dict[int, set[frozenset[int]]] = {}
    for pair in result.pairs:
        rounds.setdefault(pair[0].number // pairs, set()).add(frozenset(sides_of(pair[0].pairing)))
    return [sorted(rounds[k], key=min) for k in sorted(rounds)]


@pytest.mark.parametrize(("players", "rounds"), [(4, 3), (5, 4), (5, None), (2, 1)])
def test_the_rounds_of_a_swiss(players: int, rounds: int | None) -> None:
    field = [*FIELD, "zero"][:players]
    result = play(field, kind="swiss", rounds=rounds, pairs=2)
    found = swiss_rounds(result, 2)
    assert len(found) == (3 if rounds is None else rounds)
    for one in found:
        assert len(one) == players // 2
        assert len(frozenset.union(*one)) == 2 * len(one)  # nobody plays twice
    met = Counter(itertools.chain(*found))
    assert sum(met.values()) == len(found) * (players // 2)
    assert met.most_common(1)[0][1] <= 2
    free = Counter(k for one in found for k in range(players) if not any(k in two for two in one))
    assert not free or max(free.values()) == 1
    # every round has openings of its own
    assert len({pair[0].opening for pair in result.pairs}) == 2 * len(found)


def test_leaders_of_a_swiss_meet() -> None:
    result = play(["classic", "zero", "classic", "zero"], kind="swiss", rounds=2, pairs=8)
    first, second = swiss_rounds(result, 8)
    points = [0.0] * 4
    for pair in result.pairs:
        if pair[0].number < 8:
            for k, sign in zip(sides_of(pair[0].pairing), (1, -1), strict=True):
                points[k] += sum((1 + sign * np.sign(r)) / 2 for r in [one.result for one in pair])
    leaders = sorted(range(4), key=lambda k: -points[k])[:2]
    if frozenset(leaders) not in first:
        assert frozenset(leaders) in second


def test_what_a_result_says(all_meet: TournamentResult) -> None:
    said = all_meet.as_dict()
    assert said["kind"] == "round-robin" and said["games"] == 72
    assert {row["player"] for row in said["players"]} == set(all_meet.names)
    for row in said["players"]:
        assert {"player", "elo", "low", "high", "games", "score"} <= set(row)
        assert row["games"] == 36
    assert np.shape(said["los"]) == (4, 4)
    assert said["openings"] == "random, 8 plies" and said["limits"] == "depth 1"
    assert "72 games" in repr(all_meet)


def test_progress_comes_to_the_end() -> None:
    choices: list[dict[str, Any]] = [{}, {"kind": "swiss", "rounds": 2}]
    for options in choices:
        seen: list[tuple[int, int]] = []
        play(progress=lambda result, of, seen=seen: seen.append((len(result.pairs), of)), **options)
        assert [n for n, _ in seen] == sorted(n for n, _ in seen)
        assert len({of for _, of in seen}) == 1
        assert seen[-1][0] == seen[-1][1]


def test_what_there_is_so_far_tells_of_all() -> None:
    """A tournament of many pairs plays some of each pairing before more of any."""
    result = play(["classic", "wpc", "zero"], pairs=40)
    first = result.pairs[: 3 * 16]
    assert set(Counter(pair[0].pairing for pair in first).values()) == {16}


def test_more_pairs_and_more_rounds_later(tmp_path: Path) -> None:
    choices: list[dict[str, Any]] = [{"pairs": 3}, {"kind": "gauntlet", "pairs": 3}]
    for options in choices:
        out = tmp_path / str(len(options))
        play(out=out, **options)
        more = play(out=out, **options | {"pairs": 6})
        at_once = play(**options | {"pairs": 6})
        assert results_by_key(more) == results_by_key(at_once)
    play(out=tmp_path / "swiss", kind="swiss", rounds=1, pairs=3)
    more = play(out=tmp_path / "swiss", kind="swiss", rounds=3, pairs=3)
    at_once = play(kind="swiss", rounds=3, pairs=3)
    assert [p[0].key for p in more.pairs] == [p[0].key for p in at_once.pairs]
    assert results_by_key(more) == results_by_key(at_once)


@pytest.mark.parametrize("kind", ["round-robin", "swiss", "gauntlet"])
def test_more_players_later(tmp_path: Path, kind: str) -> None:
    first = play(["classic", "wpc"], kind=kind, out=tmp_path)
    more = play(["zero", "wpc", "classic"], kind=kind, out=tmp_path)
    assert first.names == ("classic", "wpc") and more.names == ("classic", "wpc", "zero")
    assert results_by_key(first).items() <= results_by_key(more).items()
    assert all(more.ratings.games)
    if kind == "round-robin":
        at_once = play(["classic", "wpc", "zero"])
        assert results_by_key(more) == results_by_key(at_once)
    fewer = play(["zero", "wpc"], kind=kind, out=tmp_path, pairs=2)
    assert {p[0].key for p in fewer.pairs} >= {p[0].key for p in more.pairs}
    shown = tournament([tmp_path], anchor="zero")
    assert (shown.kind, shown.names) == (kind, more.names)
    assert shown.ratings.elo[2] == 0 and len(shown.pairs) == len(fewer.pairs)
    with pytest.raises(UserError, match=r"is a tournament of .*, not of nim"):
        tournament([tmp_path], game="nim")


def test_a_tournament_that_was_interrupted_at_its_start_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as before, pytest.raises(KeyboardInterrupt):
        before.setattr(EventRun, "play", interrupt)
        play(["classic", "zero"], pairs=1, out=tmp_path)
    assert (tmp_path / "event.json").exists() and not (tmp_path / "games.parquet").exists()
    found = play(["classic", "zero"], pairs=1, out=tmp_path)
    assert results_by_key(found) == results_by_key(play(["classic", "zero"], pairs=1))
    assert (tmp_path / "games.parquet").exists()


def test_who_cannot_join_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    play(["classic", "wpc"], pairs=1, out=tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for players, options, message in (
        (["classic", "gtp:no-such-program"], {}, "no-such-program"),
        ([replace(load_evaluator("zero"), name="wpc"), "classic"], {}, "wpc: its evaluator has ch"),
        (["classic", "zero"], {"seed": 4}, "seed 3, not 4"),
        (["classic", "zero"], {"limits": Limits(2)}, "classic: limits .*depth 1.*, not .*depth 2"),
    ):
        with pytest.raises(UserError, match=message):
            play(players, pairs=1, out=tmp_path, **options)
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.filterwarnings("ignore:.* forfeited a game")
def test_an_engine_takes_part(tmp_path: Path) -> None:
    result = play(
        ["classic", "zero", engine(tmp_path, "crash", every=4)],
        game=GAME,
        opening_plies=2,
        pairs=4,
        jobs=2,
        out=tmp_path / "event",
    )
    assert set(meetings(result).values()) == {4}
    faults = result.frame().query("fault != ''")
    assert len(faults) >= 2
    assert set(faults["fault"]) == {result.names[2]}
    event = json.loads((tmp_path / "event/event.json").read_text())
    assert event["players"][2]["engine"].startswith("gtp:")


@pytest.mark.parametrize(
    ("players", "options", "message"),
    [
        (["classic"], {}, "a tournament needs at least 2 players"),
        (["classic"], {"kind": "swiss"}, "a tournament needs at least 2 players"),
        (["classic"], {"kind": "gauntlet"}, "a tournament needs at least 2 players"),
        (
            FIELD,
            {"kind": "knockout"},
            "called 'knockout'; there are round-robin, gauntlet, swiss",
        ),
        (FIELD, {"pairs": 0}, r"pairs must be .*\(got 0\)"),
        (FIELD, {"rounds": 3}, "rounds are for a Swiss tournament; for a round-robin give"),
        (
            FIELD,
            {"kind": "swiss", "rounds": 4},
            "rounds must be from 1 to 3 in a Swiss tournament of 4",
        ),
        (FIELD, {"kind": "swiss", "rounds": 0}, r"rounds must be .*\(got 0\)"),
        (
            FIELD,
            {"kind": "gauntlet", "champions": 4},
            "champions must be from 1 to 3 with 4 players",
        ),
        ([*FIELD, "nobody"], {}, "no evaluator called 'nobody'"),
        (FIELD, {"jobs": 0}, "jobs must be at least 1"),
    ],
)
def test_what_cannot_be_played_is_refused(
    tmp_path: Path, players: list[str], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message) as error:
        play(players, out=tmp_path / "event", **options)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "event").exists()


@pytest.mark.parametrize(("i", "j"), [(0, 2), (2, 0), (4095, 1)])
def test_a_tournament_whose_players_are_missing_is_damaged(tmp_path: Path, i: int, j: int) -> None:
    play(["classic", "zero"], pairs=1, out=tmp_path)
    journal = tmp_path / "journal.jsonl"
    pairing = i * MOST_PLAYERS + j
    journal.write_text(journal.read_text().replace('"pairing":1', f'"pairing":{pairing}'))
    with pytest.raises(UserError, match="is damaged: its files contradict each other; run"):
        read_result(tmp_path)


def test_all_limits_of_the_evaluators_of_a_folder_are_named(tmp_path: Path) -> None:
    play(["classic", "zero"], pairs=1, out=tmp_path)
    later = play(["wpc", "random"], pairs=1, limits=Limits(2), out=tmp_path)
    assert later.limits == read_result(tmp_path).limits == "depth 1 or depth 2"
    assert "Limits: depth 1 or depth 2." in later.about

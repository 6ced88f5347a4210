"""Games with outside engines: whose fault is whose, and nothing is left behind."""

from __future__ import annotations

import threading
import time
import warnings
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

from samuel.arena import engine_game
from samuel.arena.clocks import TIME_MARGIN, latest
from samuel.arena.event import EventOptions, warn_of_adjudication
from samuel.arena.journal import read_journal
from samuel.arena.match import match
from samuel.arena.players import entrant
from samuel.arena.results import MatchResult
from samuel.arena.tournament import tournament
from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.search.limits import Limits
from tests.arena.engines.helpers import is_running, ours
from tests.arena.fakes import GAME, engine, lives
from tests.processes import TIMEOUT, eventually
from tests.rarely import rarely


def play(a: str, b: str = "classic", **more: Any) -> MatchResult:
    options: dict[str, Any] = {
        "game": GAME,
        "pairs": 4,
        "limits": Limits(2),
        "openings": "random",
        "opening_plies": 2,
    }
    return match(a, b, **options | more)


def is_dead(pid: int) -> bool:
    """Return whether a process goes."""
    return eventually(lambda: not is_running(pid))


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_engine_plays_whole_games_in_one_process_a_worker(tmp_path: Path, jobs: int) -> None:
    result = play(engine(tmp_path), jobs=jobs)
    assert result.statistics.games == 8 and result.faults == ({}, {})
    assert {game.ending for pair in result.pairs for game in pair} == {"played"}
    frame, game = result.frame(), game_named(GAME)
    rows: Any = frame.itertuples()
    for row in rows:
        end = Position.from_transcript(row.moves, game)
        assert end.is_terminal
        assert end.utility() * (1 if end.side == 0 else -1) == row.result
    started = lives(tmp_path)
    assert 1 <= len(started) <= jobs
    assert all(is_dead(pid) for pid in started)
    assert result.nodes_per_second[0] == 0 < result.nodes_per_second[1]
    assert min(result.seconds_per_move) > 0


pytestmark = pytest.mark.filterwarnings("ignore:.* forfeited a game")

FAULTS = {
    "crash": "crash",
    "illegal": "illegal move",
    "nonsense": "protocol",
    "refuse": "protocol",
    "resign": "resigned",
    "hang": "no answer",
}


@pytest.mark.parametrize(
    ("manner", "side"),
    [
        (rarely if manner == "hang" else pytest.param)(manner, side)
        for side in (0, 1)
        for manner in FAULTS
    ],
)
def test_a_fault_is_the_engines_and_the_match_goes_on(
    tmp_path: Path, manner: str, side: int
) -> None:
    """Every third game goes wrong at the engine's second move."""
    name = engine(tmp_path, manner, every=3)
    who = [name, "zero"] if side == 0 else ["zero", name]
    result = play(*who, timeout=5.0 if manner == "hang" else 60.0, limits=Limits(1))
    games = [game for pair in result.pairs for game in pair]
    assert [game.fault for game in games] == [None, None, side] * 2 + [None, None]
    broken = [game for game in games if game.fault is not None]
    assert {game.ending for game in broken} == {FAULTS[manner]}
    assert {game.result for game in broken} == {-1.0 if side == 0 else 1.0}
    assert all(game.note and "\n" not in game.note for game in broken)
    assert all(game.ending == "played" for game in games if game.fault is None)
    said = result.as_dict()["faults"]
    assert said["ab"[side]] == {FAULTS[manner]: 2} and said["ab"[1 - side]] == {}
    faulty = result.frame().query("fault != ''")
    assert set(faulty["fault"]) == {(result.a, result.b)[side]}
    # a fresh process for the game after each fault
    assert len(lives(tmp_path)) == 3
    assert all(is_dead(pid) for pid in lives(tmp_path))


def test_a_move_that_takes_too_long_is_lost_on_time(tmp_path: Path) -> None:
    for limits in (Limits(None, seconds=0.2), Limits(None, clock=0.2)):
        limits = {"limits": limits, "limits_b": Limits(1), "time_margin": 0.2}
        result = play(engine(tmp_path, "hang"), "zero", pairs=1, **limits)
        assert result.faults == ({"time": 2}, {})
        (tmp_path / "engine.log").unlink()


@pytest.mark.parametrize("margin", [None, 7.0])
def test_the_margin_of_time_is_that_of_the_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, margin: float | None
) -> None:
    """It holds for both sides, for what they may take and for how long they are waited for."""
    seen: list[float] = []

    def watched(limits: Limits, left: float | None, margin: float, *, fractions: bool) -> float:
        seen.append(margin)
        return latest(limits, left, margin, fractions=fractions)

    monkeypatch.setattr(engine_game, "latest", watched)
    asked = {} if margin is None else {"time_margin": margin}
    play(engine(tmp_path), "zero", pairs=1, limits=Limits(None, clock=60.0), **asked)
    expected = TIME_MARGIN if margin is None else margin
    assert set(seen) == {expected}


def test_an_engine_that_leaves_after_each_game_is_started_anew(tmp_path: Path) -> None:
    result = play(engine(tmp_path, "leave"))
    assert result.faults == ({}, {})
    assert len(lives(tmp_path)) > 1


@pytest.mark.parametrize("manner", ["crash", "illegal", rarely("nonsense"), "hang"])
def test_an_engine_that_fails_in_every_game_ends_the_match(tmp_path: Path, manner: str) -> None:
    out = tmp_path / "event"
    with pytest.raises(UserError, match="forfeited 6 games in a row") as error:
        play(engine(tmp_path, manner), pairs=12, timeout=0.1, out=out)
    assert "\n" not in str(error.value)
    assert len(read_journal(out)[1]) == 3
    assert all(is_dead(pid) for pid in lives(tmp_path))


def test_an_engine_that_starts_no_more_loses_and_ends_the_match(tmp_path: Path) -> None:
    """What worked at first is no mistake of the user's; six such games in a row still are."""
    out = tmp_path / "event"
    name = engine(tmp_path, "leave")
    with pytest.raises(UserError, match="log forfeited 6 games in a row, the last one by crash"):
        play(name, pairs=12, out=out, progress=lambda _: (tmp_path / "leave.py").unlink(True))
    _, pairs = read_journal(out)
    endings = [game.ending for pair in pairs for game in pair]
    assert endings[:2] == ["played"] * 2 and endings[-6:] == ["crash"] * 6


@pytest.mark.parametrize(
    ("manner", "words"),
    [
        ("small", "does not play tic_tac_toe .unacceptable size"),
        ("other", "does not play tic_tac_toe: .*refused 'play black"),
        ("gone", "does not play tic_tac_toe: .*no such square"),
    ],
)
def test_an_engine_that_does_not_play_is_refused_before_the_first_game(
    tmp_path: Path, manner: str, words: str
) -> None:
    out = tmp_path / "event"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for players in (["zero", engine(tmp_path, manner)], [engine(tmp_path, manner), "zero"]):
            with pytest.raises(UserError, match=words):
                play(*players, out=out)
        with pytest.raises(UserError, match=words):
            tournament(["zero", engine(tmp_path, manner)], game=GAME, pairs=1, out=out)
    assert "game" not in (tmp_path / "engine.log").read_text()
    assert play(engine(tmp_path), pairs=1, out=out).statistics.games == 2


def test_a_level_of_an_engine_that_a_depth_replaces_is_told() -> None:
    game = game_named(GAME)
    depth = game.defaults.depth
    with pytest.warns(UserWarning, match=f"^samuel sends weak depth {depth}, because you"):
        entrant("weak=gtp:samuel serve gtp --level 1", game, Limits())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        entrant("weak=gtp:samuel serve gtp --level 1", game, Limits(depth))
        entrant("weak=gtp:samuel serve gtp --level 1", game, Limits(nodes=1))
        entrant("weak=gtp:samuel serve gtp", game, Limits())
        own = entrant("weak=gtp[limit=none]:samuel serve gtp --level 1", game, Limits())
    assert own.limits == Limits() and own.settings == "no limit"


def test_an_engine_without_a_limit_is_sent_none(tmp_path: Path) -> None:
    """It plays at the depth of its own command."""
    command = ours("gtp", "--evaluator", "classic", "--game", GAME, "--depth", "1")
    own = command.replace("gtp:", "gtp[limit=none]:", 1)
    told, free, inside = (
        play(who, "zero", limits_b=Limits(1)) for who in (command, own, "classic")
    )
    assert told.frame()["moves"].tolist() == inside.frame()["moves"].tolist()
    assert free.frame()["moves"].tolist() != inside.frame()["moves"].tolist()
    assert (told.limits, free.limits) == ("depth 2 against depth 1", "no limit against depth 1")


def test_the_solver_may_decide_games_with_engines(tmp_path: Path) -> None:
    """From five free squares on the engine's own blunders count no more."""
    plain, solved = (play(engine(tmp_path), adjudicate_from=k) for k in (0, 5))
    assert plain.results.mean() < solved.results.mean()
    assert "solved" in set(solved.frame()["ending"])
    assert solved.adjudicated == (solved.frame()["ending"] == "solved").sum() > plain.adjudicated
    rows: Any = solved.frame().itertuples()
    for row in rows:
        assert row.decided == (4 if row.ending == "solved" else len(row.moves) // 2)
        end = Position.from_transcript(row.moves, game_named(GAME))
        assert end.is_terminal
        assert end.utility() * (1 if end.side == 0 else -1) == row.result


@pytest.mark.parametrize(
    ("game", "asked", "engine", "words"),
    [
        ("othello", 23, "gtp:x", "23 plies left on may take long: from 22 on"),
        ("connect_four", 29, "gtp:x", "29 plies left on may take long: from 28 on"),
        ("othello", 22, "gtp:x", None),
        ("othello", 0, "classic", None),
        ("othello", 10, "classic", "no game is adjudicated: evaluators solve endgames themselves"),
        ("backgammon", 10, "gtp:x", "no game is adjudicated: backgammon has no solver"),
        ("checkers", 10, "gtp:x", "no game is adjudicated: checkers has no solver"),
    ],
)
def test_adjudication_that_takes_long_or_never_comes_is_warned_of(
    game: str, asked: int, engine: str, words: str | None
) -> None:
    rules = game_named(game)
    options = EventOptions(adjudicate_from=asked)
    players = [entrant(one, rules, Limits()) for one in (engine, "zero")]
    if words is not None:
        with pytest.warns(UserWarning, match=words):
            warn_of_adjudication(options, rules, players)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_adjudication(options, rules, players)


@pytest.mark.parametrize(("game", "plies"), [("tic_tac_toe", 2), rarely("othello_6x6", 5)])
def test_our_own_engine_plays_the_games_of_the_kernel(game: str, plies: int) -> None:
    options: dict[str, Any] = {
        "game": game,
        "pairs": 2,
        "limits": Limits(2),
        "exact_from": 0,
        "openings": "random",
        "opening_plies": plies,
    }
    server = ours(
        *("gtp", "--evaluator", "classic", "--game", game),
        *("--depth", "2", "--exact-from", "0"),
    )
    inside, outside = (match(who, "zero", **options) for who in ("classic", server))
    assert outside.frame()["moves"].tolist() == inside.frame()["moves"].tolist()
    assert np.array_equal(outside.results, inside.results)


def test_a_stopped_match_starts_no_engine_anew(tmp_path: Path) -> None:
    """The engines of games under way are ended, and the next game of their pairs not begun."""

    def stop(result: MatchResult) -> None:
        raise RuntimeError("enough")

    before = set(threading.enumerate())
    with pytest.raises(RuntimeError, match="enough"):
        play(engine(tmp_path, "slow"), pairs=8, jobs=2, progress=stop)
    time.sleep(0.6)  # as long as an engine would take to start
    assert all(is_dead(pid) for pid in lives(tmp_path))
    assert eventually(lambda: not set(threading.enumerate()) - before), "a thread is left"


def test_matches_at_the_same_time_leave_each_other_their_engines(tmp_path: Path) -> None:
    for side in ("a", "b"):
        (tmp_path / side).mkdir()
    long: list[MatchResult] = []
    name = engine(tmp_path / "a", "held")
    thread = threading.Thread(target=lambda: long.append(play(name, "zero", pairs=3)))
    thread.start()
    assert eventually((tmp_path / "a/engine.log").exists)
    for _ in range(2):
        assert play(engine(tmp_path / "b"), "zero", pairs=1).faults == ({}, {})
    assert not long
    (tmp_path / "a/engine.log.go").touch()
    thread.join(TIMEOUT)
    assert long[0].faults == ({}, {})
    assert len(lives(tmp_path / "a")) == 1


def test_worker_processes_end_their_engines_with_each_task(tmp_path: Path) -> None:
    """They outlive the match, and do not hear of its end."""
    name = engine(tmp_path)
    here = play(name, pairs=3)
    (tmp_path / "engine.log").unlink()
    with joblib.parallel_config("loky"):
        there = play(name, pairs=3, jobs=2)
    assert np.array_equal(there.results, here.results) and there.faults == ({}, {})
    assert len(lives(tmp_path)) == 4  # the first was to see that it plays
    assert all(is_dead(pid) for pid in lives(tmp_path))


def test_the_time_of_a_move_that_never_came_counts(tmp_path: Path) -> None:
    result = play(engine(tmp_path, "hang"), "zero", pairs=1, timeout=0.3)
    games = result.pairs[0]
    assert [game.ending for game in games] == ["no answer"] * 2
    assert all(game.seconds[0] >= 0.3 and game.turns[0] == 1 for game in games)

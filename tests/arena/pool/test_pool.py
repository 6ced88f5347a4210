"""A pool of rated players: who joins, who meets whom, under what terms."""

from __future__ import annotations

import shutil
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from samuel.arena import TournamentResult, bench, read_tournament, tournament
from samuel.arena.journal import read_journal
from samuel.arena.openings import openings_for
from samuel.arena.rating import rate
from samuel.arena.rating.informative import half_width
from samuel.arena.records import MOST_PLAYERS
from samuel.common.errors import UserError
from samuel.games import game_named
from tests.arena.fakes import GAME
from tests.arena.pool.pools import (
    QUICK,
    add_to_pool,
    entries,
    files,
    require_no_opening_twice,
    save_model,
)

pytestmark = pytest.mark.filterwarnings("ignore:only .* openings")


def test_players_join_and_are_rated(three: Path) -> None:
    pool = read_tournament(three)
    assert pool.names == ("classic", "wpc", "zero")
    assert pool.kind == "pool" and not pool.unrated and pool.numbers == (0, 1, 2)
    ratings = rate(pool.names, pool.games, anchor=["classic", "wpc"])
    assert half_width(ratings, 2) <= QUICK["goal"] or len(pool.pairs) >= 60
    assert "3 players" in repr(pool) and str(2 * len(pool.pairs)) in repr(pool)
    require_no_opening_twice(three)
    said = read_tournament(three, "wpc").as_dict()
    assert said["games"] == 2 * len(pool.pairs) and said["unrated"] == []
    assert next(row for row in said["players"] if row["player"] == "wpc")["elo"] == 0
    for pair in pool.pairs:
        a, b = divmod(pair.pairing, MOST_PLAYERS)
        assert a > b


def test_the_files_for_others(three: Path) -> None:
    import pandas as pd

    frame, pool = pd.read_parquet(three / "games.parquet"), read_tournament(three)
    assert len(frame) == len(pool.games) == 2 * len(pool.pairs)
    assert [pool.names[k] for k in pool.games.first] == frame["first"].tolist()
    assert [pool.names[k] for k in pool.games.second] == frame["second"].tolist()
    assert set(frame["setting"]) == {"depth 1"}
    assert len((three / "games.ggf").read_text().splitlines()) == len(frame)


def test_one_player_has_a_rating(tmp_path: Path) -> None:
    pool = add_to_pool(tmp_path, "classic", depth=1)
    assert not pool.unrated and not pool.pairs
    for anchor in (None, "classic"):
        (row,) = read_tournament(tmp_path, anchor).as_dict()["players"]
        assert (row["player"], row["elo"], row["low"], row["high"]) == ("classic", 0, 0, 0)
    with pytest.raises(UserError, match="the anchor"):
        read_tournament(tmp_path, "wpc")
    assert not (tmp_path / "games.parquet").exists()


def test_the_same_again_changes_nothing(pool: Path) -> None:
    before = files(pool)
    add_to_pool(pool, ["classic", "wpc", "zero"], **QUICK)
    add_to_pool(pool, "zero", goal=200)
    assert files(pool) == before


def test_more_is_asked_for(pool: Path) -> None:
    before = read_journal(pool)[1]
    add_to_pool(pool, "zero", goal=20, most_pairs=30)
    after = read_journal(pool)[1]
    assert after[: len(before)] == before and len(after) == len(before) + 30
    require_no_opening_twice(pool)
    assert entries(pool)["zero"]["goal"] == 20 and entries(pool)["zero"]["rated"]


def test_a_name_of_its_own(pool: Path) -> None:
    before = files(pool)
    with pytest.raises(UserError, match="pool, as wpc; leave the name out"):
        add_to_pool(pool, "wpc", name="other")
    with pytest.raises(UserError, match="--name is for one new player; give one player, or leave"):
        add_to_pool(pool, ["wpc", "zero"], name="other")
    assert files(pool) == before
    add_to_pool(pool, "wpc", name="wpc", **QUICK)
    assert files(pool) == before


def test_another_player_of_the_same_name(pool: Path, model: Path, tmp_path: Path) -> None:
    add_to_pool(pool, str(model), **QUICK)
    other = save_model(tmp_path / "elsewhere" / model.name, -3.0)
    before = files(pool)
    with pytest.raises(UserError, match=f"already has a player named {model.name!r}; give the new"):
        add_to_pool(pool, str(other), **QUICK)
    assert files(pool) == before
    assert "second" in add_to_pool(pool, str(other), name="second", **QUICK).names


def test_who_plays_like_another_is_taken_for_that(pool: Path, model: Path, tmp_path: Path) -> None:
    add_to_pool(pool, str(model), **QUICK)
    save_model(tmp_path / "twin", 1.0)
    with pytest.warns(UserWarning, match="twin is the same player as mine"):
        again = add_to_pool(pool, str(tmp_path / "twin"), **QUICK)
    assert again.names == ("classic", "wpc", "zero", "mine")


def test_a_pool_stands_alone(pool: Path, model: Path, tmp_path: Path) -> None:
    """It has copies of models, and goes on where the originals are gone and it is elsewhere."""
    add_to_pool(pool, ["wpc", str(model)], **QUICK)
    assert entries(pool)["mine"]["source"] == "players/0003"
    shutil.rmtree(model)
    moved = pool.rename(tmp_path / "moved")
    games = len(read_tournament(moved).pairs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(add_to_pool(moved, "zero", goal=20, most_pairs=20).pairs) == games + 20


def test_a_model_that_changed_plays_no_more(pool: Path, model: Path, tmp_path: Path) -> None:
    add_to_pool(pool, str(model), **QUICK)
    number = entries(pool)["mine"]["number"]
    shutil.rmtree(pool / "players/0003")
    save_model(pool / "players/0003", -3.0)
    played = Counter(pair.pairing for pair in read_tournament(pool).pairs)
    with pytest.warns(UserWarning, match="mine of .* takes no further part: its evaluator has"):
        after = add_to_pool(pool, "zero", goal=20, most_pairs=30)
    more = Counter(pair.pairing for pair in after.pairs) - played
    assert sum(more.values()) == 30
    assert all(number not in divmod(pairing, MOST_PLAYERS) for pairing in more)
    assert "mine" in after.names


def test_whom_no_games_can_connect_stays_unrated(tmp_path: Path, model: Path) -> None:
    """And is rated first where somebody can play again, by games with those."""
    folder = tmp_path / "pool"
    add_to_pool(folder, f"{model}/", **QUICK)  # however a folder is written, it is copied
    kept, away = folder / "players/0000", tmp_path / "away"
    kept.rename(away)
    told = "stays unrated: mine cannot play now, and no games connect"
    with (
        pytest.warns(UserWarning, match="mine of .* takes no further part"),
        pytest.warns(UserWarning, match=f"wpc {told}"),
        pytest.warns(UserWarning, match=f"zero {told}"),
    ):
        pool = add_to_pool(folder, ["wpc", "zero"], **QUICK)
    assert not pool.pairs and pool.as_dict()["unrated"] == ["wpc", "zero"]
    away.rename(kept)
    pool = add_to_pool(folder, ["wpc", "zero"], **QUICK)
    assert pool.pairs and pool.as_dict()["unrated"] == []
    assert len(pool.ratings.groups) == 1


def test_who_is_away_but_connected_keeps_nobody_unrated(pool: Path, model: Path) -> None:
    add_to_pool(pool, str(model), **QUICK)
    shutil.rmtree(pool / "players/0003")
    with pytest.warns(UserWarning, match="mine of .* takes no further part"):
        after = add_to_pool(pool, "random", **QUICK)
    assert after.as_dict()["unrated"] == [] and len(after.ratings.groups) == 1


def test_progress_is_told(tmp_path: Path) -> None:
    seen: list[TournamentResult] = []
    pool = add_to_pool(
        tmp_path, ["classic", "wpc"], progress=lambda found, of: seen.append(found), **QUICK
    )
    ratings = [found.rating for found in seen if found.rating is not None]
    assert len(ratings) == len(seen) and {one.name for one in ratings} == {"wpc"}
    games = [one.games for one in ratings]
    assert games == sorted(games) and games[0] == 0 and games[-1] == 2 * len(pool.pairs)
    assert ratings[-1].half_width <= QUICK["goal"] or games[-1] == 2 * QUICK["most_pairs"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"depth": 4}, "depth 1, not 4"),
        ({"nodes": 100}, "nodes is not set, not 100"),
        ({"seconds": 0.1}, "seconds is not set, not 0.1"),
        ({"game": "othello_6x6"}, "game othello, not othello_6x6"),
        ({"exact_from": 3}, "exact_from 10, not 3"),
        ({"seed": 5}, "seed 0, not 5"),
        ({"openings": "random"}, "other openings"),
        ({"opening_plies": 4}, "other openings"),
    ],
)
def test_other_settings_are_refused(pool: Path, asked: dict[str, Any], message: str) -> None:
    before = files(pool)
    with pytest.raises(UserError, match=message) as error:
        add_to_pool(pool, "zero", **asked)
    assert "\n" not in str(error.value)
    assert files(pool) == before


@pytest.mark.parametrize(
    "asked",
    [{}, {"depth": 1}, {"openings": "balanced"}, {"opening_plies": 8}, {"exact_from": 10}],
)
def test_what_is_not_given_is_not_compared(pool: Path, asked: dict[str, Any]) -> None:
    before = files(pool)
    add_to_pool(pool, "zero", goal=200, **asked)
    assert files(pool) == before


def _bench(players: list[str], **options: Any) -> None:
    bench("tic_tac_toe", players, **options)


@pytest.mark.filterwarnings("ignore:all .* openings")
@pytest.mark.parametrize("play", [tournament, _bench])
def test_a_pool_keeps_when_its_players_are_rated(play: Any, tmp_path: Path) -> None:
    out = tmp_path / "pool"
    settings = {"game": "tic_tac_toe"} if play is tournament else {}
    play(["classic"], out=out, error=150.0, pairs=7, depth=1, **settings)
    play(["zero"], out=out)
    rules = {(one["goal"], one["most_pairs"]) for one in entries(out).values()}
    assert rules == {(150.0, 7)}


def test_openings_of_ones_own_are_kept(tmp_path: Path) -> None:
    lines = openings_for(game_named("othello"), "random", 6, 6).transcripts()
    mine, folder = tmp_path / "mine.txt", tmp_path / "pool"
    mine.write_text("\n".join(lines) + "\n")
    asked: dict[str, Any] = {"depth": 1, "goal": 15, "openings": str(mine)}
    with pytest.warns(UserWarning, match=r"not 15: all 6 openings are used up in every pairing"):
        pool = add_to_pool(folder, ["classic", "wpc"], **asked)
    assert len(pool.pairs) == 6 and not pool.unrated
    require_no_opening_twice(folder)
    copy = mine.rename(tmp_path / "renamed.txt")
    with pytest.warns(UserWarning, match="all 6 openings"):
        assert len(add_to_pool(folder, "zero", goal=15).pairs) == 18
    require_no_opening_twice(folder)
    with pytest.warns(UserWarning, match="only 6"):
        add_to_pool(folder, "zero", openings=str(copy))
    copy.write_text("\n".join(lines[:5]) + "\n")
    with pytest.warns(UserWarning, match="only"), pytest.raises(UserError, match="other openings"):
        add_to_pool(folder, "zero", openings=str(copy))


def test_a_game_with_few_openings(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="openings are used up"):
        pool = add_to_pool(tmp_path, ["zero", "classic"], game=GAME, depth=2, goal=5)
    assert len(pool.pairs) == 12 and not pool.unrated
    require_no_opening_twice(tmp_path)

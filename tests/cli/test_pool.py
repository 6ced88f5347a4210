"""`samuel tournament` of a folder that grows, a rating pool."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from samuel.arena import tournament
from samuel.arena.openings import openings_for
from samuel.arena.rating.informative import GOAL, MOST_RATING_PAIRS
from samuel.games import game_named
from tests.arena.fakes import engine
from tests.cli.conftest import Run
from tests.cli.test_match import interrupted, on_a_terminal

COMMAND = "from samuel.cli.main import main; main()"
QUICK = "tournament --out p --error 70 --pairs 40"


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("three") / "p"
    tournament(["classic", "wpc", "zero"], out=folder, error=70, pairs=40, depth=1)
    return folder


@pytest.fixture
def pool(three: Path, tmp_path: Path) -> Path:
    """A pool of three, called p, where commands run."""
    return Path(shutil.copytree(three, tmp_path / "p"))


def elo_of(found: dict[str, Any]) -> dict[str, float]:
    return {row["player"]: row["elo"] for row in found["players"]}


def test_json_is_one_object_with_everyones_rating(run: Run, tmp_path: Path) -> None:
    found = run.json(f"{QUICK} classic wpc --depth 1")
    assert (found["kind"], found["out"]) == ("pool", "p")
    assert (found["pool"], found["game"], found["unrated"]) == ("p", "othello", [])
    assert {row["player"] for row in found["players"]} == {"classic", "wpc"}
    for row in found["players"]:
        assert {"player", "elo", "low", "high", "games", "score"} <= set(row)
        assert row["low"] <= row["elo"] <= row["high"]
    assert sum(elo_of(found).values()) == pytest.approx(0, abs=1e-9)
    assert found == run.json("tournament p")
    assert len(pd.read_parquet(tmp_path / "p/games.parquet")) == found["games"] <= 80


def test_a_pool_has_a_folder(run: Run, tmp_path: Path) -> None:
    for line, message in (
        ("tournament classic wpc --error 15", "a rating pool needs a folder (--out FOLDER)"),
        ("tournament wpc --kind swiss --error 15 --out p", "p is a rating pool, not a swiss"),
        ("tournament wpc zero --name other --out p", "--name is for a new player of a rating pool"),
        (
            "tournament wpc --depth 1,2 --error 15 --out p",
            "all players of a pool have the same limits; give one depth",
        ),
    ):
        assert message in run.refused(line)
    assert not any(tmp_path.iterdir())


def test_a_tournament_that_does_not_grow_is_shown_alone(run: Run) -> None:
    played = run.json("tournament wpc zero --depth 1 --pairs 2 --out event")
    assert run.json("tournament event") == played
    for line, message in (
        ("tournament event classic", "event is a tournament with a fixed list of players; to add"),
        ("tournament event --remove zero", "event is not a pool of players"),
        ("tournament event p --out other", "give one folder of a tournament, not "),
    ):
        assert message in run.refused(line)
    run("match wpc zero --depth 1 --pairs 1 --out match")
    assert "samuel games match shows its games" in run("tournament match")[2]


def test_one_player_alone(run: Run, tmp_path: Path) -> None:
    (row,) = run.json("tournament classic --out p --error 15 --depth 1")["players"]
    assert (row["player"], row["elo"], row["games"]) == ("classic", 0, 0)
    for line in ("tournament p classic", "tournament p", "tournament p --anchor classic"):
        out = run.quiet(f"{line}{' --report one.html' if line == 'tournament p' else ''}")
        assert out == "classic: +0 Elo; add another player to rate it\n"
    assert "classic" in (tmp_path / "one.html").read_text()


def test_the_tables_and_the_report(pool: Path, run: Run, tmp_path: Path) -> None:
    out = run.quiet("tournament p --anchor wpc --report pages/pool.html")
    assert "Ratings" in out and "Cross table" in out and "wpc at 0" in out
    page = (tmp_path / "pages/pool.html").read_text()
    assert all(name in page for name in ("classic", "wpc", "zero", "Rating pool"))


def test_an_anchor(pool: Path, run: Run) -> None:
    found, mean = run.json("tournament p --anchor wpc"), run.json("tournament p")
    assert elo_of(found)["wpc"] == 0
    apart = elo_of(mean)["classic"] - elo_of(mean)["wpc"]
    assert elo_of(found)["classic"] == pytest.approx(apart)


def test_the_same_again_plays_nothing(pool: Path, run: Run) -> None:
    before = (pool / "pool.json").read_bytes(), (pool / "journal.jsonl").read_bytes()
    found = run.json(f"{QUICK} classic wpc zero --depth 1")
    assert found == run.json("tournament p")
    assert before == ((pool / "pool.json").read_bytes(), (pool / "journal.jsonl").read_bytes())


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--depth 4", "depth 1, not 4"),  # which a new pool would have by default
        ("--nodes 50", "nodes is not set, not 50"),
        ("--ms 5", "seconds is not set, not 0.005"),
        ("--game othello_6x6", "game othello, not othello_6x6"),
        ("--seed 1", "seed 0, not 1"),
        ("--openings random", "other openings"),
        ("--timeout 5", "timeout 60.0, not 5.0"),
        ("--adjudicate 8", "adjudicate_from 0, not 8"),
        ("--exact-from 0", "exact_from 10, not 0"),
    ],
)
def test_other_terms_are_refused(pool: Path, run: Run, option: str, message: str) -> None:
    before = (pool / "pool.json").read_bytes()
    err = run.refused(f"{QUICK} zero {option}")
    assert "p has other settings" in err and message in err
    assert (pool / "pool.json").read_bytes() == before


@pytest.mark.parametrize(
    "option",
    ["", "--depth 1", "--openings balanced", "--seed 0", "--adjudicate 0", "--timeout 60"],
)
def test_the_terms_that_it_has_may_be_given(pool: Path, run: Run, option: str) -> None:
    run.done(f"{QUICK} zero {option}")


def test_openings_lie_in_the_pool(run: Run, tmp_path: Path) -> None:
    lines = openings_for(game_named("othello"), "random", 60, 6).transcripts()
    (tmp_path / "mine.txt").write_text("\n".join(lines))
    found = run.json(f"{QUICK} classic wpc --depth 1 --openings mine.txt")
    (tmp_path / "mine.txt").rename(tmp_path / "yours.txt")
    assert (tmp_path / "p/openings.txt").read_text().split() == lines
    assert run.json(f"{QUICK} classic --openings yours.txt") == found
    assert "txt does not exist; openings must be balanced, random" in run.refused(
        f"{QUICK} classic --openings mine.txt"
    )


def test_few_openings_end_it(run: Run) -> None:
    line = "tournament zero classic --out p --game tic_tac_toe --depth 2 --error 5 --jobs 1"
    status, out, err = run(line)
    assert status == 0
    assert "samuel: note: classic has an interval of +-" in err and "are used up" in err
    assert "Cross table" in out
    run.done("tournament p classic")


def test_an_engine_joins(run: Run, tmp_path: Path) -> None:
    name = shlex.quote(engine(tmp_path))
    line = f"--game tic_tac_toe --depth 2 --pairs 4 --engine {name} --name Fake"
    run.json("tournament zero --kind pool --out p --game tic_tac_toe --depth 2")
    found = run.json(f"tournament p {line}")
    assert elo_of(found).keys() == {"zero", "Fake"} and found["games"] == 8
    assert elo_of(run.json("tournament p --remove zero")).keys() == {"Fake"}


def test_a_misspelled_engine_does_not_lock_it(pool: Path, run: Run) -> None:
    before = (pool / "pool.json").read_bytes()
    for engines in ("--engine gtp:no-such-program", "zero --engine gtp:no-such-program"):
        assert "program 'no-such-program' was not found; install the" in run.refused(
            f"tournament p {engines}"
        )
    assert (pool / "pool.json").read_bytes() == before
    run.done(f"{QUICK} zero")


def test_a_player_is_taken_out(pool: Path, run: Run) -> None:
    games = run.json("tournament p")["games"]
    found = run.json("tournament p --remove wpc")
    assert elo_of(found).keys() == {"classic", "zero"} and found["games"] < games
    assert found == run.json("tournament p")
    out = run.done("tournament p --remove zero")
    assert out == "classic: +0 Elo; add another player to rate it\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("tournament p --anchor nobody", "no player called 'nobody'"),
        ("tournament p --report .", "is a folder"),
        ("tournament nowhere --remove wpc", "no evaluator called 'nowhere'"),
        (
            "tournament p zero --remove wpc",
            "to remove a player, give the folder of the pool and no",
        ),
        ("tournament p --remove nobody", "no player called 'nobody'; there are classic, wpc, zero"),
        ("tournament p nobody", "no evaluator called 'nobody'"),
        (
            "tournament p classic --name other",
            "classic is already in p, as classic; leave the name out",
        ),
        (
            "tournament p classic wpc --name other",
            "--name is for one new player; give one player, or leave",
        ),
        ("tournament p zero --report p/pool.json/x.html", "a file stands where a folder is needed"),
        (
            "tournament classic --out new --error 15 --openings nothing.txt",
            "txt does not exist; openings must be balanced, random",
        ),
        (
            "tournament classic --out new --error 15 --opening-plies 100",
            "random games of othello rarely last 100 plies or more",
        ),
    ],
)
def test_bad_input_is_status_1_and_one_line(
    pool: Path, run: Run, tmp_path: Path, line: str, message: str
) -> None:
    assert message in run.refused(line)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p"]


@pytest.mark.parametrize(
    "line",
    ["tournament p zero --error 0", "tournament p zero --pairs 0"],
)
def test_wrong_usage_is_status_2(run: Run, line: str) -> None:
    assert "; see samuel " in run.misused(line)


def test_a_damaged_pool_gets_one_line(pool: Path, run: Run) -> None:
    (pool / "pool.json").write_text((pool / "pool.json").read_text()[:100])
    for line in ("tournament p", "tournament p zero", "tournament p --remove zero"):
        assert "p/pool.json is damaged" in run.refused(line)


def test_the_help_names_the_defaults(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    _, out, _ = run("tournament --help")
    words = " ".join(out.split())
    assert f"Default in a pool: {GOAL:g}, or that of its newest player." in words
    assert f"in a pool at most {MOST_RATING_PAIRS:,} per new player" in words


@pytest.mark.slow
def test_ctrl_c_gets_one_line_and_it_goes_on(tmp_path: Path, run: Run) -> None:
    line = "tournament classic wpc --depth 5 --error 70 --pairs 40 --jobs 1 --out p"
    folder = tmp_path / "p"
    status, out, err = interrupted(line.replace("--out p", f"--out {folder}"), folder, later=0.0)
    assert (status, err.strip().split("\n")[-1]) == (130, "samuel: interrupted")
    assert not out or "Ratings" in out  # of the games so far, if there were any
    assert (folder / "games.parquet").exists()
    journal = folder / "journal.jsonl"
    kept = journal.read_bytes()
    assert run.json("tournament p")["unrated"] == ["wpc"]
    assert run.json(line)["unrated"] == []
    assert journal.read_bytes().startswith(kept)
    keys = [(one["pairing"], one["number"]) for one in map(json.loads, journal.open())]
    assert len(set(keys)) == len(keys)


@pytest.mark.slow
def test_the_live_view_on_a_terminal(tmp_path: Path) -> None:
    name = shlex.quote(engine(tmp_path, "slow"))  # each game takes some moments
    status, shown = on_a_terminal(
        f"tournament zero --engine {name} --game tic_tac_toe --depth 1 --pairs 12 --error 15 "
        f"--out {tmp_path}/p"
    )
    assert status == 0 and "Traceback" not in shown
    assert " games, +- " in shown and "Ratings" in shown

"""A pool of rated players: who joins, who meets whom, and what an interruption leaves."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from arena import Pool, add_to_pool
from arena.informative import half_width, sharpen
from arena.journal import read_journal
from arena.openings import random_openings
from arena.pool import Added, remove
from arena.pool_folder import MOST_PLAYERS
from arena.ratings import rate
from errors import UserError
from features.transformer import Features
from files import holding
from games import game_named
from games.random import random_positions
from models.saved import save
from tests.arena.fakes import GAME, engine
from tests.arena.simulated import everyone, simulated
from tests.processes import TIMEOUT, environment

POSITIONS = random_positions(game_named("othello"), 300, seed=2)
QUICK: dict[str, Any] = {"depth": 1, "goal": 70.0, "most_pairs": 60}

pytestmark = pytest.mark.filterwarnings("ignore:only .* openings")


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pool of three players, not to be changed."""
    folder = tmp_path_factory.mktemp("three") / "pool"
    add_to_pool(folder, ["classic", "wpc", "zero"], **QUICK)
    return folder


@pytest.fixture
def pool(three: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(three, tmp_path / "pool"))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A small saved model."""
    return save_model(tmp_path / "mine", 1.0)


def save_model(folder: Path, weight: float) -> Path:
    """Save one whose targets are the discs of the side to move, times the weight."""
    targets = weight * np.bitwise_count(POSITIONS[:, 0]).astype(np.float64)
    save(
        folder,
        make_pipeline(Features(["mobility", "corners"]), Ridge()).fit(POSITIONS, targets),
        name=folder.name,
    )
    return folder


def entries(folder: Path) -> dict[str, dict[str, Any]]:
    content = json.loads((folder / "pool.json").read_text())
    return {one["name"]: one for one in content["players"]}


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def require_no_opening_twice(folder: Path) -> None:
    pairs = read_journal(folder)[1]
    assert len({pair.key for pair in pairs}) == len(pairs)
    assert len({(pair.pairing, pair.opening) for pair in pairs}) == len(pairs)


def test_players_join_and_are_rated(three: Path) -> None:
    pool = Pool.open(three)
    assert pool.names == ("classic", "wpc", "zero")
    assert all(entry.rated for entry in pool.entries)
    assert [entry.number for entry in pool.entries] == [0, 1, 2]
    ratings = rate(pool.names, pool.games, anchor=["classic", "wpc"])
    assert half_width(ratings, 2) <= QUICK["goal"] or len(pool.pairs) >= 60
    assert "3 players" in repr(pool) and str(2 * len(pool.pairs)) in repr(pool)
    require_no_opening_twice(three)
    said = pool.as_dict("wpc")
    assert said["games"] == 2 * len(pool.pairs) and said["unrated"] == []
    assert next(row for row in said["players"] if row["player"] == "wpc")["elo"] == 0
    for pair in pool.pairs:
        a, b = divmod(pair.pairing, MOST_PLAYERS)
        assert a > b


def test_the_files_for_others(three: Path) -> None:
    import pandas as pd

    frame, pool = pd.read_parquet(three / "games.parquet"), Pool.open(three)
    assert len(frame) == len(pool.games) == 2 * len(pool.pairs)
    assert [pool.names[k] for k in pool.games.first] == frame["first"].tolist()
    assert [pool.names[k] for k in pool.games.second] == frame["second"].tolist()
    assert set(frame["setting"]) == {"depth 1"}
    assert len((three / "games.ggf").read_text().splitlines()) == len(frame)


def test_one_player_has_a_rating(tmp_path: Path) -> None:
    pool = add_to_pool(tmp_path, "classic", depth=1)
    assert pool.entries[0].rated and not pool.pairs
    for anchor in (None, "classic"):
        (row,) = pool.as_dict(anchor)["players"]
        assert (row["player"], row["elo"], row["low"], row["high"]) == ("classic", 0, 0, 0)
    assert pool.ratings(anchor_elo=1500).elo.tolist() == [1500]
    with pytest.raises(UserError):
        pool.ratings("wpc")
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
    with pytest.raises(UserError, match=r"wpc is in .* already, as wpc; leave the name out"):
        add_to_pool(pool, "wpc", name="other")
    with pytest.raises(UserError, match="without --name"):
        add_to_pool(pool, ["wpc", "zero"], name="other")
    assert files(pool) == before
    add_to_pool(pool, "wpc", name="wpc", **QUICK)
    assert files(pool) == before


def test_another_player_of_the_same_name(pool: Path, model: Path, tmp_path: Path) -> None:
    add_to_pool(pool, str(model), **QUICK)
    other = save_model(tmp_path / "elsewhere" / model.name, -3.0)
    before = files(pool)
    with pytest.raises(UserError, match=f"another player called {model.name}; give this one"):
        add_to_pool(pool, str(other), **QUICK)
    assert files(pool) == before
    assert "second" in add_to_pool(pool, str(other), name="second", **QUICK).names


def test_who_plays_like_another_is_taken_for_that(pool: Path, model: Path, tmp_path: Path) -> None:
    add_to_pool(pool, str(model), **QUICK)
    save_model(tmp_path / "twin", 1.0)
    with pytest.warns(UserWarning, match="twin plays like mine"):
        again = add_to_pool(pool, str(tmp_path / "twin"), **QUICK)
    assert again.names == ("classic", "wpc", "zero", "mine")


def test_a_pool_stands_alone(pool: Path, model: Path, tmp_path: Path) -> None:
    """It has copies of models, and goes on where the originals are gone and it is elsewhere."""
    add_to_pool(pool, ["wpc", str(model)], **QUICK)
    assert entries(pool)["mine"]["source"] == "players/0003"
    shutil.rmtree(model)
    moved = pool.rename(tmp_path / "moved")
    games = len(Pool.open(moved).pairs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(add_to_pool(moved, "zero", goal=20, most_pairs=20).pairs) == games + 20


def test_a_model_that_changed_plays_no_more(pool: Path, model: Path, tmp_path: Path) -> None:
    add_to_pool(pool, str(model), **QUICK)
    number = entries(pool)["mine"]["number"]
    shutil.rmtree(pool / "players/0003")
    save_model(pool / "players/0003", -3.0)
    played = Counter(pair.pairing for pair in Pool.open(pool).pairs)
    with pytest.warns(UserWarning, match="mine of .* plays no more games: its evaluator is not"):
        after = add_to_pool(pool, "zero", goal=20, most_pairs=30)
    more = Counter(pair.pairing for pair in after.pairs) - played
    assert sum(more.values()) == 30
    assert all(number not in divmod(pairing, MOST_PLAYERS) for pairing in more)
    assert "mine" in after.names


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"depth": 4}, "depth 1, not 4"),
        ({"nodes": 100}, "nodes is not set, not 100"),
        ({"seconds": 0.1}, "seconds is not set, not 0.1"),
        ({"game": "othello6"}, "game othello, not othello6"),
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


def test_openings_of_ones_own_are_kept(tmp_path: Path) -> None:
    lines = random_openings(game_named("othello"), 6, 6).transcripts()
    mine, folder = tmp_path / "mine.txt", tmp_path / "pool"
    mine.write_text("\n".join(lines) + "\n")
    asked: dict[str, Any] = {"depth": 1, "goal": 15, "openings": str(mine)}
    with pytest.warns(UserWarning, match=r"not 15: all 6 openings are used up, in every pairing"):
        pool = add_to_pool(folder, ["classic", "wpc"], **asked)
    assert len(pool.pairs) == 6 and all(entry.rated for entry in pool.entries)
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
    assert len(pool.pairs) == 12 and all(entry.rated for entry in pool.entries)
    require_no_opening_twice(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "damaged or not JSON"),
        ("[]", "should hold a JSON object"),
        ("{}", "does not describe a pool"),
        ('{"settings": {}, "players": []}', "does not describe a pool"),
        (None, "is not a pool of players"),
    ],
)
def test_a_damaged_pool_is_said_to_be(pool: Path, content: str | None, message: str) -> None:
    path = pool / "pool.json"
    path.unlink()
    if content is not None:
        path.write_text(content)
    with pytest.raises(UserError, match=message) as error:
        Pool.open(pool)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("settings", "depth", "deep"),
        ("settings", "game", None),
        ("players", "before", {"x": 1}),
        ("players", "before", []),
        ("players", "name", 5),
        ("players", "nothing", 5),
    ],
)
def test_what_makes_no_sense_in_it_is_damage(pool: Path, part: str, name: str, value: Any) -> None:
    content = json.loads((pool / "pool.json").read_text())
    (content[part] if part == "settings" else content[part][1])[name] = value
    (pool / "pool.json").write_text(json.dumps(content))
    before = files(pool)
    for act in (Pool.open, lambda folder: add_to_pool(folder, "zero")):
        with pytest.raises(UserError, match=r"pool\.json is damaged"):
            act(pool)
    assert files(pool) == before


@pytest.mark.parametrize(
    ("who", "options", "message"),
    [
        ("nobody", {}, "no evaluator called 'nobody'"),
        ("gtp:no-such-program", {}, "no program 'no-such-program'"),
        (["classic", "gtp:no-such-program"], {}, "no program 'no-such-program'"),
        ("gtp:true", {}, "engine"),
        ([], {}, "name one player"),
        ("classic", {"goal": 0}, "a goal is above 0 Elo"),
        ("classic", {"most_pairs": 0}, "at least 1 pair"),
        ("classic", {"jobs": 0}, "0 workers"),
        ("classic", {"patience": 0.0}, "more than 0 seconds|patience 60.0, not 0.0"),
        ("classic", {"openings": "nothing.txt"}, "no file nothing.txt"),
    ],
)
def test_who_cannot_play_does_not_join(
    pool: Path, tmp_path: Path, who: Any, options: dict[str, Any], message: str
) -> None:
    before = files(pool)
    for folder in (tmp_path / "new", pool):
        with pytest.raises(UserError, match=message) as error:
            add_to_pool(folder, who, **options)
        assert "\n" not in str(error.value)
    assert not (tmp_path / "new").exists() and files(pool) == before


def test_two_of_one_name_make_no_pool(tmp_path: Path) -> None:
    models = [str(save_model(tmp_path / k / "mine", w)) for k, w in (("a", 1.0), ("b", -3.0))]
    with pytest.raises(UserError, match="another player called mine"):
        add_to_pool(tmp_path / "pool", models, depth=1)
    assert not (tmp_path / "pool").exists()


def test_an_engine_of_another_game_does_not_join(tmp_path: Path) -> None:
    script = tmp_path / "choosy.py"
    script.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    word = line.split()[0]\n"
        "    print('? not this board\\n' if word == 'boardsize' else '= 2\\n', flush=True)\n"
        "    if word == 'quit':\n"
        "        break\n"
    )
    with pytest.raises(UserError, match="does not play tic_tac_toe"):
        add_to_pool(tmp_path / "pool", f"gtp:{sys.executable} {script}", game=GAME, depth=1)
    assert not (tmp_path / "pool").exists()


def test_an_unfinished_player_who_is_gone_stops_nobody(tmp_path: Path) -> None:
    folder, command = tmp_path / "pool", engine(tmp_path)

    def stop(added: Added) -> None:
        raise KeyboardInterrupt

    options: dict[str, Any] = {"goal": 60.0, "most_pairs": 8}
    terms: dict[str, Any] = {"game": GAME, "depth": 1}
    add_to_pool(folder, "zero", **terms, **options)
    with pytest.raises(KeyboardInterrupt):
        add_to_pool(folder, command, progress=stop, **options)
    assert Pool.open(folder).as_dict()["unrated"] == [Pool.open(folder).names[1]]
    (tmp_path / "fine.py").rename(tmp_path / "away.py")
    with pytest.warns(UserWarning, match="stays unrated; samuel pool remove"):
        after = add_to_pool(folder, "classic", **options)
    assert [entry.rated for entry in after.entries] == [True, False, True]
    (tmp_path / "away.py").rename(tmp_path / "fine.py")
    games = len(after.pairs)
    after = add_to_pool(folder, "classic", **options)
    assert all(entry.rated for entry in after.entries)
    assert len(after.pairs) > games
    require_no_opening_twice(folder)


def test_the_unfinished_are_rated_by_their_own_goal(pool: Path) -> None:
    content = json.loads((pool / "pool.json").read_text())
    content["players"][1] |= {"rated": False, "before": None, "goal": 1.0, "most_pairs": 20}
    (pool / "pool.json").write_text(json.dumps(content))
    seen: list[Added] = []
    before = len(read_journal(pool)[1])
    add_to_pool(pool, "zero", goal=1000, progress=seen.append)
    assert {added.name for added in seen} == {"wpc"} and seen[-1].goal == 1.0
    assert len(read_journal(pool)[1]) == before + 20


def test_progress_is_told(tmp_path: Path) -> None:
    seen: list[Added] = []
    pool = add_to_pool(tmp_path, ["classic", "wpc"], progress=seen.append, **QUICK)
    assert {added.name for added in seen} == {"wpc"}
    games = [added.games for added in seen]
    assert games == sorted(games) and games[0] == 0 and games[-1] == 2 * len(pool.pairs)
    assert seen[-1].half_width <= QUICK["goal"] or games[-1] == 2 * QUICK["most_pairs"]


def test_a_player_is_taken_out(pool: Path, model: Path) -> None:
    add_to_pool(pool, str(model), **QUICK)
    before = Pool.open(pool)
    after = remove(pool, "wpc")
    assert after.names == ("classic", "zero", "mine")
    assert [entry.number for entry in after.entries] == [0, 2, 3]
    others = [p for p in before.pairs if 1 not in divmod(p.pairing, MOST_PLAYERS)]
    assert list(after.pairs) == others and read_journal(pool)[1] == others
    assert set(after.games.first) | set(after.games.second) == {0, 1, 2}
    names = ["classic", "zero", "mine"]
    assert after.ratings().names == tuple(names)
    after = remove(pool, "mine")
    assert not (pool / "players/0003").exists()
    again = add_to_pool(pool, ["wpc", "zero"], **QUICK)
    assert again.names == ("classic", "zero", "wpc")
    require_no_opening_twice(pool)


def test_removal_that_is_interrupted_leaves_no_games_behind(pool: Path) -> None:
    """As when it is killed after pool.json: games of nobody count no more, nor do numbers mix."""
    content = json.loads((pool / "pool.json").read_text())
    gone = content["players"].pop()
    (pool / "pool.json").write_text(json.dumps(content))
    left = Pool.open(pool)
    assert left.names == ("classic", "wpc") and left.pairs
    assert all(gone["number"] not in divmod(p.pairing, MOST_PLAYERS) for p in left.pairs)
    again = add_to_pool(pool, "zero", **QUICK)
    assert again.entries[-1].number > gone["number"]
    assert all(gone["number"] not in divmod(p.pairing, MOST_PLAYERS) for p in again.pairs)


def test_what_cannot_be_taken_out(pool: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no player 'nobody'; there are classic, wpc, zero"):
        remove(pool, "nobody")
    with pytest.raises(UserError, match="not a pool of players"):
        remove(tmp_path / "none", "zero")
    assert not (tmp_path / "none").exists()
    remove(pool, "wpc")
    last = remove(pool, "zero")
    assert not last.pairs and not (pool / "games.parquet").exists()
    with pytest.raises(UserError, match=r"only player of .*; delete the folder"):
        remove(pool, "classic")


def test_one_run_at_a_time(pool: Path) -> None:
    with holding(pool):
        for act in (lambda: add_to_pool(pool, "zero"), lambda: remove(pool, "zero")):
            with pytest.raises(UserError, match="another run is writing"):
                act()
        assert len(Pool.open(pool).names) == 3


@pytest.mark.parametrize("before", [60, 190])
def test_one_more_takes_less_than_half_a_round_robin(before: int) -> None:
    """A ninth player to +- 15 Elo: twice the games, all against all, leave a wider interval."""
    elo = np.append(np.linspace(-490, 490, 8), 20.0)
    names = [*"abcdefgh", "new"]
    rng = np.random.default_rng(before)
    games = simulated(elo, everyone(8, before), rng)
    ratings, joined = sharpen(
        names, games, 8, lambda plan: simulated(elo, plan, rng), goal=15, resamples=300
    )
    spent = len(joined) - len(games)
    assert half_width(ratings, 8) <= 15
    pairs = 2 * spent // (36 * 2)
    all_meet = simulated(elo, everyone(9, pairs), rng)
    alike = rate(names, all_meet, anchor=names[:8], resamples=300)
    assert half_width(alike, 8) > 15


# One process that has everything loaded makes each pool in a child of its own, which kills itself
# after so many lines of the journal: children of a process with no other thread are sound.
SERVER = """
import json, os, signal, sys, warnings
import arena.journal
from arena import Allowance, add_to_pool, match

warnings.simplefilter("ignore")

def kill_after(lines):
    keep, kept = arena.journal.Journal.keep, []
    def dying(journal, pair):
        keep(journal, pair)
        kept.append(pair)
        if len(kept) == lines:
            os.kill(os.getpid(), signal.SIGKILL)
    arena.journal.Journal.keep = dying

match("classic", "wpc", pairs=2, allowance=Allowance(1))  # all kernels are there
for line in sys.stdin:
    folder, jobs, lines = json.loads(line)
    child = os.fork()
    if child == 0:
        kill_after(lines)
        names = ["classic", "wpc", "zero"]
        add_to_pool(folder, names, depth=1, goal=45, most_pairs=120, jobs=jobs, seed=3)
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process
    process.communicate(timeout=TIMEOUT)


def made(server: subprocess.Popen[str], folder: Path, jobs: int, lines: int = 0) -> bool:
    """Make a pool of three, until it is killed after so many lines; return whether it was made."""
    assert server.stdin is not None and server.stdout is not None
    print(json.dumps([str(folder), jobs, lines]), file=server.stdin, flush=True)
    status = int(server.stdout.readline())
    assert status in (0, signal.SIGKILL), status
    return status == 0


@pytest.fixture(scope="module")
def unbroken(server: subprocess.Popen[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unbroken") / "pool"
    assert made(server, folder, 1)
    assert len(Pool.open(folder).pairs) > 60
    return folder


@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_three_times_it_is_the_same_pool(
    server: subprocess.Popen[str], unbroken: Path, tmp_path: Path, jobs: int
) -> None:
    folder, pairs = tmp_path / "pool", len(Pool.open(unbroken).pairs)
    for lines in (3, pairs // 3, pairs // 3):
        assert not made(server, folder, jobs, lines)
        require_no_opening_twice(folder)
    assert made(server, folder, jobs)
    assert entries(folder) == entries(unbroken)
    require_no_opening_twice(folder)
    one, other = Pool.open(folder), Pool.open(unbroken)
    results = ({pair.key: (pair.opening, pair.results) for pair in p.pairs} for p in (one, other))
    assert next(results) == next(results)
    ratings = one.ratings(), other.ratings()
    for name in ("elo", "low", "high", "los"):
        assert np.array_equal(*(getattr(one, name) for one in ratings))

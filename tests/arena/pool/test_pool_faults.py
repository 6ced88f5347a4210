"""Pools: who cannot play, who is taken out, what is damaged."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from samuel.arena import TournamentResult, read_tournament
from samuel.arena.journal import JOURNAL, read_journal
from samuel.arena.pool import take_from as remove
from samuel.arena.records import MOST_PLAYERS
from samuel.common.errors import UserError
from samuel.common.files import holding
from tests.arena.fakes import GAME, engine
from tests.arena.pool.pools import QUICK, add_to_pool, files, require_no_opening_twice, save_model

pytestmark = pytest.mark.filterwarnings("ignore:only .* openings", "ignore:.* forfeited a game")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is damaged: input data was truncated"),
        ("[]", "is damaged: expected `object`, got `array`"),
        ("{}", "is damaged: object missing required field `settings`"),
        ('{"settings": {}, "players": []}', "is damaged: object missing required field `game`"),
        (None, "is not a pool of players"),
    ],
)
def test_a_damaged_pool_is_said_to_be(pool: Path, content: str | None, message: str) -> None:
    path = pool / "pool.json"
    path.unlink()
    if content is not None:
        path.write_text(content)
    with pytest.raises(UserError, match=message) as error:
        read_tournament(pool)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("settings", "depth", "deep"),
        ("settings", "game", None),
        ("players", "before", {"x": 1}),
        ("players", "before", []),
        ("players", "name", 5),
        ("players", "name", ""),
        ("players", "name", "zero"),
        ("players", "number", 0),
        ("players", "number", -1),
        ("players", "number", MOST_PLAYERS),
        ("players", "number", True),
        ("players", "goal", 0),
        ("players", "most_pairs", 10**30),
        ("players", "before", {"7": -1}),
        ("players", "before", {str(MOST_PLAYERS**2): 1}),
        ("settings", "depth", 0),
        ("settings", "nodes", 2**62),
        ("settings", "seconds", -1.0),
        ("settings", "patience", 0),
        ("settings", "exact_from", -1),
        ("settings", "opening_plies", 10**10),
        ("settings", "seed", -1),
    ],
)
def test_what_makes_no_sense_in_it_is_damage(pool: Path, part: str, name: str, value: Any) -> None:
    content = json.loads((pool / "pool.json").read_text())
    (content[part] if part == "settings" else content[part][1])[name] = value
    (pool / "pool.json").write_text(json.dumps(content))
    before = files(pool)
    for act in (read_tournament, lambda folder: add_to_pool(folder, "zero")):
        with pytest.raises(UserError, match=r"pool\.json is damaged"):
            act(pool)
    assert files(pool) == before


@pytest.mark.parametrize(
    ("who", "options", "message"),
    [
        ("nobody", {}, "no evaluator called 'nobody'"),
        ("gtp:no-such-program", {}, "program 'no-such-program' was not found; install the"),
        (
            ["classic", "gtp:no-such-program"],
            {},
            "program 'no-such-program' was not found; install the",
        ),
        ("gtp:true", {}, "engine"),
        ("classic", {"goal": 0}, r"error must be .*\(got 0\)"),
        ("classic", {"most_pairs": 0}, r"pairs must be .*\(got 0\)"),
        ("classic", {"jobs": 0}, "jobs must be at least 1"),
        ("classic", {"timeout": 0.0}, r"timeout must be .*\(got 0\)"),
        (
            "classic",
            {"openings": "nothing.txt"},
            "txt does not exist; openings must be balanced, random",
        ),
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
    with pytest.raises(UserError, match="pool already has a player named 'mine'; give the new"):
        add_to_pool(tmp_path / "pool", models, depth=1)
    assert not (tmp_path / "pool").exists()


def test_a_failure_before_the_first_game_leaves_nothing(tmp_path: Path, model: Path) -> None:
    def fail(*_: Any) -> None:
        raise UserError("no")

    with pytest.raises(UserError, match="no"):
        add_to_pool(tmp_path / "pool", ["classic", model], **QUICK, progress=fail)
    assert not files(tmp_path / "pool")
    assert add_to_pool(tmp_path / "pool", ["classic", model], **QUICK).pairs


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


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_unfinished_player_who_is_gone_stops_nobody(tmp_path: Path) -> None:
    folder, command = tmp_path / "pool", engine(tmp_path)

    def stop(found: TournamentResult, of: int) -> None:
        raise KeyboardInterrupt

    options: dict[str, Any] = {"goal": 60.0, "most_pairs": 8}
    terms: dict[str, Any] = {"game": GAME, "depth": 1}
    add_to_pool(folder, "zero", **terms, **options)
    with pytest.raises(KeyboardInterrupt):
        add_to_pool(folder, command, progress=stop, **options)
    assert read_tournament(folder).as_dict()["unrated"] == [read_tournament(folder).names[1]]
    (tmp_path / "fine.py").rename(tmp_path / "away.py")
    with pytest.warns(UserWarning, match="stays unrated; samuel tournament .* --remove"):
        after = add_to_pool(folder, "classic", **options)
    assert after.unrated == after.names[1:2]
    (tmp_path / "away.py").rename(tmp_path / "fine.py")
    games = len(after.pairs)
    to_type = re.escape(f"if you trust it, add --engine {shlex.quote(command)} to the command")
    with pytest.warns(UserWarning, match=to_type):
        assert add_to_pool(folder, "classic", **options).unrated == after.names[1:2]
    after = add_to_pool(folder, ["classic", command], **options)
    assert not after.unrated
    assert len(after.pairs) > games
    require_no_opening_twice(folder)


def test_the_unfinished_are_rated_by_their_own_goal(pool: Path) -> None:
    content = json.loads((pool / "pool.json").read_text())
    content["players"][1] |= {"rated": False, "before": None, "goal": 1.0, "most_pairs": 20}
    (pool / "pool.json").write_text(json.dumps(content))
    seen: list[TournamentResult] = []
    before = len(read_journal(pool)[1])
    add_to_pool(pool, "zero", goal=1000, progress=lambda found, of: seen.append(found))
    ratings = [found.rating for found in seen if found.rating is not None]
    assert {one.name for one in ratings} == {"wpc"} and ratings[-1].goal == 1.0
    assert len(read_journal(pool)[1]) == before + 20


def test_a_player_is_taken_out(pool: Path, model: Path) -> None:
    add_to_pool(pool, str(model), **QUICK)
    before = read_tournament(pool)
    after = remove(pool, "wpc")
    assert after.names == ("classic", "zero", "mine")
    assert after.numbers == (0, 2, 3)
    others = [p for p in before.pairs if 1 not in divmod(p.pairing, MOST_PLAYERS)]
    assert list(after.pairs) == others and read_journal(pool)[1] == others
    assert set(after.games.first) | set(after.games.second) == {0, 1, 2}
    names = ["classic", "zero", "mine"]
    assert after.ratings.names == tuple(names)
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
    left = read_tournament(pool)
    assert left.names == ("classic", "wpc") and left.pairs
    assert all(gone["number"] not in divmod(p.pairing, MOST_PLAYERS) for p in left.pairs)
    again = add_to_pool(pool, "zero", **QUICK)
    assert again.numbers[-1] > gone["number"]
    assert all(gone["number"] not in divmod(p.pairing, MOST_PLAYERS) for p in again.pairs)


def test_what_cannot_be_taken_out(pool: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no player called 'nobody'; there are classic, wpc, zero"):
        remove(pool, "nobody")
    with pytest.raises(UserError, match="not a pool of players"):
        remove(tmp_path / "none", "zero")
    assert not (tmp_path / "none").exists()
    remove(pool, "wpc")
    last = remove(pool, "zero")
    assert not last.pairs and not (pool / "games.parquet").exists()
    with pytest.raises(UserError, match="classic is the only player of"):
        remove(pool, "classic")


def test_one_run_at_a_time(pool: Path) -> None:
    with holding(pool):
        for act in (lambda: add_to_pool(pool, "zero"), lambda: remove(pool, "zero")):
            with pytest.raises(UserError, match="another run is writing"):
                act()
        assert len(read_tournament(pool).names) == 3


def test_pairs_that_nobody_has_played_are_not_rated(pool: Path) -> None:
    first, *others = (pool / JOURNAL).read_text().splitlines(keepends=True)
    forged = json.loads(first) | {"opening": [0]}
    (pool / JOURNAL).write_text("".join([json.dumps(forged) + "\n", *others]))
    with pytest.raises(UserError, match=r"line 1 of .*journal\.jsonl is damaged; delete"):
        read_tournament(pool)

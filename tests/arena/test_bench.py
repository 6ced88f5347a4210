"""Benches: who plays, what ends them, and that they go on."""

import json
from dataclasses import replace

import pytest

import samuel
from samuel.arena import bench_result
from samuel.arena.bench_result import bench_players as players_of
from samuel.arena.engine_pool import client_of
from samuel.arena.engines.address import Address
from samuel.arena.records import sides_of
from samuel.games import catalog, game_named, game_names
from samuel.games.groups import OutsideEngine
from samuel.reports import write_page
from tests.arena.fakes import engine
from tests.processes import ROOT

QUICK = {"game": "connect_four", "nodes": 20, "error": 90.0, "pairs": 40, "without": "learned"}
KNOWN = [(name, one) for name in game_names() for one in game_named(name).defaults.engines]


def bench(out, **more):
    return samuel.bench(**{**QUICK, "out": out, **more})


@pytest.mark.parametrize(("name", "known"), KNOWN, ids=[f"{n} {e.name}" for n, e in KNOWN])
def test_engines_of_games_are_those_of_the_docs_and_the_makefile(name, known):
    makefile, page = ((ROOT / one).read_text() for one in ("Makefile", "docs/engines.md"))
    texts = [known.address.format(level=level, root="/x") for level in known.levels.values()]
    assert len(set(texts)) == len(texts)
    for text in texts:
        client_of(Address.parse(text)).require_game(game_named(name))
    command, _, package = known.install.rpartition(" ")
    if command == "apt-get install":
        assert package in makefile.split("apt-get install")[1]
    else:
        assert known.install == "make engines" or known.install.startswith("a build of https://")
    assert known.name.split()[0] in page


def test_programs_that_are_missing_are_named_and_others_play(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(bench_result, "_ALSO_IN", "")
    found = players_of(game_named("othello"), (), (), 1.0)
    assert found.players == ("learned", "patterns", "classic", "wpc")
    (missing,) = found.missing
    assert (missing.name, missing.install) == ("GRhino", "apt-get install grhino")
    assert missing.reason == "there is no program gtp-rhino"
    assert not players_of(game_named("othello"), (), ("GRhino",), 1.0).missing


@pytest.fixture
def noughts(tmp_path, monkeypatch):
    """A game with an engine of two levels, and a program that is no engine."""
    monkeypatch.setattr(catalog, "own_games", dict(catalog.own_games))
    fine = engine(tmp_path, "fine").replace(" fine 1 ", " fine {level} ")
    engines = (
        OutsideEngine("Fine", fine, "luck", {"once": "1", "twice": "2"}),
        OutsideEngine("Cat", "gtp:/bin/cat", "a mouse"),
    )
    game = game_named("tic_tac_toe")
    defaults = replace(game.defaults, evaluators={}, engines=engines)
    return samuel.register_game(replace(game, name="noughts_of_the_bench", defaults=defaults))


@pytest.mark.filterwarnings("ignore:only .* openings")
def test_engines_play_at_each_level_and_the_page_says_all(noughts, tmp_path):
    out = tmp_path / "bench"
    result = bench(out, game=noughts, players=["zero"], pairs=4, without=())
    assert result.names == ("Fine once", "Fine twice", "zero")
    told = json.loads((out / "bench.json").read_text())
    rows = {row["player"]: row for row in told["players"]}
    assert rows["zero"]["evaluator"] == "zero" and rows["zero"]["version"] is None
    assert rows["Fine once"]["engine"].startswith("Fine once=gtp:")
    assert rows["Fine once"]["version"] == "Fake 7"
    assert all(row["games"] and row["seconds_per_move"] > 0 for row in rows.values())
    (missing,) = told["missing"]
    assert (missing["name"], missing["install"]) == ("Cat", "a mouse")
    assert "only repeats its input" in missing["reason"]
    assert {"processor", "cores", "python", "versions"} <= set(told["machine"])
    assert sum(one["games"] for one in told["meetings"]) == told["games"]
    for one in told["meetings"]:
        assert one["wins"] + one["draws"] + one["losses"] == one["games"]
    page = write_page(tmp_path / "bench.html", result).read_text()
    for words in ("Fine twice", "Fake 7", "Cat", "a mouse", told["machine"]["processor"], "numba"):
        assert words in page
    command = f"samuel bench {noughts.name} zero --nodes 20 --error 90 --pairs 4 --out {out}"
    assert command in page.replace(" \\\n  ", " ")


@pytest.mark.filterwarnings("ignore:only .* openings")
def test_who_is_left_out_plays_no_more_and_another_version_is_told(noughts, tmp_path):
    out = tmp_path / "bench"
    asked = {"game": noughts, "players": ["zero"], "without": ()}
    before = bench(out, **asked, pairs=4)
    after = bench(out, **{**asked, "without": "Fine"}, pairs=8)
    games = [{k: one.ratings.games[k] for k in range(2)} for one in (before, after)]
    assert games[0] == games[1] and after.names == (*before.names, "random")
    report = out / "bench.json"
    report.write_text(report.read_text().replace('"Fake 7"', '"Fake 6"'))
    with pytest.warns(UserWarning, match=r"\(Fake 6, now Fake 7\).* another folder"):
        bench(out, **asked, minutes=0)
    report.write_text("nothing")
    bench(out, **asked, minutes=0)


@pytest.mark.filterwarnings("ignore:only .* openings")
@pytest.mark.filterwarnings("ignore:Bad forfeited")
@pytest.mark.parametrize("manner", ["crash", "illegal"])
def test_an_engine_that_forfeits_is_marked_and_the_others_play_on(noughts, tmp_path, manner):
    out, bad = tmp_path / "bench", f"Bad={engine(tmp_path, manner)}"
    with pytest.warns(UserWarning, match="Bad is left out: it forfeited 6 games in a row"):
        result = bench(out, game=noughts, players=["zero", bad], pairs=4, without="Fine twice")
    played = dict(zip(result.ratings.names, result.ratings.games, strict=True))
    assert played["zero"] >= 8 and played["Fine once"] >= 8 > 6 <= played["Bad"]
    told = json.loads((out / "bench.json").read_text())
    assert manner in told["forfeiting"]["Bad"] and told["faults"] == {"Bad": played["Bad"]}
    page = write_page(tmp_path / "bench.html", result).read_text()
    assert "Bad forfeited 6 games in a row" in page


@pytest.mark.filterwarnings("ignore:only .* openings")
@pytest.mark.filterwarnings("ignore:Bad forfeited")
def test_an_engine_that_starts_no_more_in_a_later_round_forfeits(noughts, tmp_path):
    (folder := tmp_path / "bad").mkdir()
    asked = {"game": noughts, "players": ["zero", f"Bad={engine(folder)}"], "pairs": 16}

    def remove(_):
        if (folder / "engine.log").exists():
            (folder / "fine.py").unlink(missing_ok=True)

    with pytest.warns(UserWarning, match="Bad is left out: it forfeited .* by crash"):
        result = bench(tmp_path / "bench", **asked, without=(), progress=remove)
    bad = result.names.index("Bad")
    games = [game for pair in result.pairs for game in pair]
    endings = [one.ending for one in games if bad in sides_of(one.pairing)]
    assert "played" in endings and endings.count("crash") >= 6


def test_it_ends_when_all_are_known_well_enough(tmp_path):
    result = bench(tmp_path / "bench", pairs=1000, error=70.0)
    assert not result.uncertain and 0 < len(result.pairs) < 200


@pytest.mark.filterwarnings("ignore:only .* openings")
def test_a_bench_without_openings_left_says_so(tmp_path):
    with pytest.warns(UserWarning, match=r"all 15 openings are used up .* \(--opening-plies\)"):
        bench(tmp_path / "bench", game="nim", opening_plies=1, error=1.0, without=())


def test_no_game_begins_after_its_minutes(tmp_path):
    with pytest.raises(samuel.UserError, match="no game pair was finished: --minutes 0 is too"):
        bench(tmp_path / "none", minutes=0)
    assert not (tmp_path / "none" / "bench.json").exists()
    some = bench(tmp_path / "some", pairs=10)
    assert bench(tmp_path / "some", minutes=0, error=1.0).pairs == some.pairs


def test_players_join_later_and_games_stay(tmp_path):
    out = tmp_path / "bench"
    first = bench(out)
    both = bench(out, players=["random"])
    assert both.names == ("classic", "zero", "random")
    assert {pair[0].key for pair in first.pairs} < {pair[0].key for pair in both.pairs}
    assert all(both.ratings.games)


def test_without_a_limit_moves_take_a_tenth_of_a_second(tmp_path):
    result = bench(tmp_path / "bench", game="tic_tac_toe", nodes=None, pairs=1, without=())
    assert result.limits == "100 ms per move"
    assert "--ms 100 " in result.command


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nodes": 30}, "classic: limits .*20 nodes.*, not .*30 nodes"),
        (
            {"game": "tic_tac_toe"},
            "another match, tournament or tuning run .game connect_four",
        ),
        ({"players": ["nobody"]}, "no evaluator called 'nobody'"),
        ({"players": ["gtp:no-such-program"]}, "no-such-program"),
        ({"without": "nobody"}, "no player of the bench called 'nobody'"),
        ({"error": 0}, "error must be"),
        ({"pairs": 0}, "pairs must be"),
        ({"minutes": -1}, "minutes must be"),
    ],
)
@pytest.mark.filterwarnings("ignore:only .* openings")
def test_what_cannot_be_is_refused_and_nothing_is_lost(change, message, tmp_path):
    out = tmp_path / "bench"
    bench(out, pairs=8)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    with pytest.raises(samuel.UserError, match=message):
        bench(out, **{**change, "without": change.get("without", "")})
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_player_that_has_changed_is_refused(tmp_path):
    out = tmp_path / "bench"
    bench(out, pairs=8)
    content = json.loads((out / "event.json").read_text())
    content["players"][0]["digest"] = "0" * 16
    (out / "event.json").write_text(json.dumps(content))
    with pytest.raises(samuel.UserError, match="classic: its evaluator has changed since"):
        bench(out)

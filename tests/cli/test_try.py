"""`samuel.try_file` and `samuel try`: what an idea of one's own is worth."""

import math

import pytest

import samuel
from samuel.arena.statistics import statistics_of
from samuel.common.errors import UserError
from samuel.learning.fitting.reading import default_features
from samuel.learning.trying import deciding_pairs
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan

FILE = """
import numpy as np
import samuel
from samuel.kernels.bits import popcount

@samuel.feature(game="tic_tac_toe")
def own_discs(position):
    '''Count the discs of the player.'''
    return SIGN * popcount(position[0] & np.uint64(0x1FF))

def count(position, integers, floats):
    return floats[0] * popcount(position[0] & np.uint64(0x1FF))

counter = samuel.Evaluator("counter", "tic_tac_toe", count, floats=np.array([0.1], np.float32))
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "idea.py").write_text(f"SIGN = 1.0\n{FILE}")
    return tmp_path / "idea.py"


def try_it(file, depth=1, **more):
    return samuel.try_file(file, games=60, pairs=4, depth=depth, out="out", **more)


def test_each_thing_in_a_file_is_tried_and_what_was_played_stays(file, tmp_path):
    feature, evaluator = try_it(file)
    default = default_features(samuel.game_named("tic_tac_toe"))
    assert feature.without.reads == default and feature.with_it.reads == [*default, "own_discs"]
    assert feature.with_it.card["data"] == feature.without.card["data"]
    assert feature.metrics["with"]["rows"] == feature.metrics["without"]["rows"]
    s = feature.result.statistics
    is_open = s.score_low <= 0.5 <= s.score_high
    assert (". Not decided: the interval includes 50 %" in feature.sentence) == is_open
    assert feature.sentence.partition(". Not decided")[0] == (
        f"With `own_discs` the model wins {100 * s.score:.1f} % ({100 * s.score_low:.1f} to "
        f"{100 * s.score_high:.1f}; 8 games), {s.elo:+z.0f} Elo ({s.elo_low:+z.0f} to "
        f"{s.elo_high:+z.0f})"
    )
    assert (evaluator.name, evaluator.result.b) == ("counter", "classic")
    assert evaluator.sentence.startswith("Against `classic` the evaluator `counter` wins ")
    folder = tmp_path / "out" / "tic_tac_toe"
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("games-*.parquet")}
    matches = set(folder.glob("match-*"))
    assert before and len(matches) == 2
    again, _ = try_it(file)
    assert again.sentence == feature.sentence and set(folder.glob("match-*")) == matches
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("games-*.parquet")} == before
    (other := tmp_path / "other.py").write_text(f"SIGN = -40.0\n{FILE}".replace("own_", "other_"))
    changed, _ = try_it(other)
    assert changed.name == "other_discs" and len(set(folder.glob("match-*"))) == 3
    assert changed.without.metrics == feature.without.metrics


@pytest.mark.parametrize("counts", [[130, 0, 0, 0, 136], [30, 60, 90, 70, 31], [9, 20, 9, 20, 8]])
def test_so_many_games_decide_the_difference_that_was_measured(counts):
    s = statistics_of(counts)
    assert s.score_low < 0.5 < s.score_high
    pairs, played = deciding_pairs(s), sum(counts)
    assert pairs > played
    for factor, is_decided in ((1.1, True), (0.9, False)):
        more = statistics_of([round(factor * pairs / played * count) for count in counts])
        assert (not more.score_low <= 0.5 <= more.score_high) == is_decided
    assert deciding_pairs(statistics_of([1, 0, 0, 0, 1])) == math.inf


def test_games_that_are_there_are_taken(file, tmp_path):
    data = generate(SelfplayPlan(game="tic_tac_toe", depth=1, seed=1), 60, tmp_path / "data")
    tried = try_it(file, data="data")
    assert tried[0].with_it.card["data"]["digest"] == data.digest
    assert not list((tmp_path / "out").rglob("games-*"))
    other = generate(SelfplayPlan("nim", "bouton", 1), 60, tmp_path / "other")
    with pytest.raises(UserError, match="contains games of nim, not tic_tac_toe"):
        try_it(file, data=other)


def test_what_cannot_be_tried_is_said(file, tmp_path):
    with pytest.raises(UserError, match=r"idea.py has no feature .* for connect_four"):
        try_it(file, game="connect_four")
    for wrong in ({"pairs": 0}, {"depth": 0}, {"games": 1}):
        with pytest.raises(UserError, match=f"{next(iter(wrong))} must be"):
            samuel.try_file(file, out="out", **wrong)
    with pytest.raises(UserError, match="no recipe called 'rigde'; did you mean ridge"):
        samuel.try_file(file, out="out", model="rigde")
    assert not (tmp_path / "out").exists()
    (tmp_path / "empty.py").write_text("")
    with pytest.raises(UserError, match=r"empty.py has no feature and no evaluator to try"):
        try_it("empty.py")


def test_the_command_ends_in_the_sentence(file, run):
    line = f"try '{file}' --games 60 --pairs 4 --depth 1 --out there"
    out = run.done(line)
    tried = run.json(line)["tried"]
    assert [one["name"] for one in tried] == ["own_discs", "counter"]
    assert out.splitlines()[-2:] == [one["sentence"] for one in tried]
    assert f"{tried[0]['metrics']['with']['r2']:.3f}" in out
    assert tried[1]["match"]["games"] == 8 and tried[1]["metrics"] == {}


def test_another_depth_or_seed_is_another_match(file, tmp_path):
    for depth, seed in ((1, 0), (2, 0), (1, 1)):
        try_it(file, depth, seed=seed)
    assert len(list((tmp_path / "out" / "tic_tac_toe").glob("match-counter-*"))) == 3


def test_what_comes_with_samuel_is_not_tried(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "imports.py").write_text(
        "import samuel, samuel.features\n"
        "(mobility,) = samuel.features.features_named(['mobility'], 'othello')\n"
        "classic = samuel.load_evaluator('classic', 'othello')\n"
    )
    with pytest.raises(UserError, match=r"imports.py has no feature and no evaluator to try"):
        try_it("imports.py")

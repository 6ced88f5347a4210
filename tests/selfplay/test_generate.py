"""Self-play: the same rows whatever happens on the way, and labels that mean what they say."""

import pickle
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.models import load_evaluator
from samuel.search import analyse
from samuel.search.alphabeta.method import AlphaBeta
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan, play_task
from tests.disks import disk_of
from tests.processes import start

ROOT = Path(__file__).parents[2]
PLAN = SelfplayPlan(depth=2, epsilon=0.1, seed=3)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return generate(PLAN, 150, tmp_path_factory.mktemp("selfplay") / "data")


def positions_of(frame, game):
    words = frame[[f"word_{k}" for k in range(game.words)]].to_numpy(np.uint64)
    sides = frame["ply"].to_numpy() % 2
    return [
        Position(game, tuple(map(int, row)), int(side))
        for row, side in zip(words, sides, strict=True)
    ]


def test_a_game_ends_as_won_where_both_sides_see_it(tmp_path):
    plan = SelfplayPlan(game="chess", evaluator="material", depth=2, opening_plies=8, seed=1)
    whole = generate(plan, 12, tmp_path / "whole").frame()
    ended = generate(replace(plan, resign=(3.0, 2)), 12, tmp_path / "ended").frame()
    shorter = 0
    for number, rows in ended.groupby("game_id"):
        its = whole[whole["game_id"] == number]
        scores = np.where(rows["side"] == 0, rows["score"], -rows["score"])
        result = np.where(rows["side"] == 0, rows["outcome"], -rows["outcome"])
        assert (rows["move"].to_numpy() == its["move"].to_numpy()[: len(rows)]).all()
        seen = [
            np.sign(scores[k : k + 4]) * (np.abs(scores[k : k + 4]) >= 3) for k in range(len(rows))
        ]
        won = [k for k, four in enumerate(seen) if len(four) == 4 and abs(four.sum()) == 4]
        if won:
            shorter += len(rows) < len(its)
            assert won == [len(rows) - 4]
            assert (result == 100 * np.sign(scores[-1])).all()
        else:
            assert len(rows) == len(its)
            assert (rows["outcome"].to_numpy() == its["outcome"].to_numpy()).all()
    assert shorter > 0
    again = generate(replace(plan, resign=(3.0, 2)), 12, tmp_path / "ended")
    assert again.digest == Dataset.open(tmp_path / "ended").digest
    with pytest.raises(UserError, match=r"contains another run \(resign \[3.0, 2\], not None\)"):
        generate(plan, 12, tmp_path / "ended")
    with pytest.raises(UserError, match="--resign needs a finite score"):
        replace(plan, resign=(0.0, 2)).checked()
    with pytest.raises(UserError, match="wins of othello differ in size"):
        SelfplayPlan(resign=(3.0, 2)).checked()


def test_a_plan_names_the_confidence_of_a_selective_search():
    plain, one, two = (SelfplayPlan(method=AlphaBeta(probcut=x)) for x in (None, 1.0, 2.0))
    assert "method" not in plain.settings
    assert len({str(plan.settings) for plan in (plain, one, two)}) == 3


def test_the_same_rows_with_two_workers(dataset, tmp_path):
    again = generate(PLAN, 150, tmp_path / "data", jobs=2)
    pd.testing.assert_frame_equal(again.frame(), dataset.frame())


def test_more_games_keep_the_first(dataset, tmp_path):
    generate(PLAN, 40, tmp_path / "data")
    more = generate(PLAN, 150, tmp_path / "data")
    pd.testing.assert_frame_equal(more.frame(), dataset.frame())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plan", "games"),
    [
        (SelfplayPlan(depth=3, epsilon=0.1, seed=8), 1500),
        pytest.param(
            *(
                SelfplayPlan(
                    "tic_tac_toe", "zero", method="uct:playouts=30000", epsilon=0.1, seed=8
                ),
                24,
            ),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["alphabeta", "uct"],
)
def test_killed_again_and_again_it_ends_with_the_same_rows(plan, games, tmp_path):
    out, unbroken = tmp_path / "killed", tmp_path / "unbroken"
    program = (
        "import itertools, os, pickle, signal\n"
        "from samuel.selfplay.generate import generate\n"
        "seen = itertools.count(1)\n"
        "def die(games, rows):\n"
        "    if next(seen) == {}:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        f"plan = pickle.loads(bytes.fromhex({pickle.dumps(plan).hex()!r}))\n"
        f"generate(plan, {games}, {str(out)!r}, jobs=2, progress=die)\n"
    )
    for progress in (1, 9, 13):  # of 24 tasks; eight are a shard
        process = start("-c", program.format(progress))
        process.communicate()
        assert process.returncode == -signal.SIGKILL
    assert 0 < Dataset.open(out).games < games
    finished = generate(plan, games, out, jobs=2)
    whole = generate(plan, games, unbroken, jobs=1)
    pd.testing.assert_frame_equal(finished.frame(), whole.frame())
    assert not list(out.glob("*.partial"))


def test_two_processes_at_once_are_refused(tmp_path):
    out = tmp_path / "data"
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from samuel.selfplay.generate import generate\n"
        "from samuel.selfplay.plan import SelfplayPlan\n"
        f"generate(SelfplayPlan(depth=6, seed=8), 5000, {str(out)!r})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program])
    try:
        while not (out / "manifest.json").exists():
            assert process.poll() is None
            time.sleep(0.05)
        with pytest.raises(UserError, match="another run is writing"):
            generate(SelfplayPlan(depth=6, seed=8), 5000, out)
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("damage", ["cut off", "one bit", "removed"])
def test_a_damaged_shard_is_noticed_and_made_anew(dataset, tmp_path, damage):
    generate(PLAN, 150, tmp_path / "data")
    shard = sorted((tmp_path / "data").glob("*.parquet"))[0]
    content = bytearray(shard.read_bytes())
    if damage == "cut off":
        shard.write_bytes(content[: len(content) // 2])
    elif damage == "one bit":
        content[len(content) // 3] ^= 4
        shard.write_bytes(content)
    else:
        shard.unlink()
    with pytest.raises(UserError, match=shard.name):
        Dataset.open(tmp_path / "data").frame()
    mended = generate(PLAN, 150, tmp_path / "data")
    pd.testing.assert_frame_equal(mended.frame(), dataset.frame())


def test_a_full_disk_leaves_nothing_half_written(tmp_path):
    with disk_of(tmp_path, 2048) as disk:
        with pytest.raises(UserError, match="the disk is full"):
            generate(SelfplayPlan(depth=1, seed=1), 20_000, disk / "data")
        kept = Dataset.open(disk / "data")
        assert len(kept.frame()) == len(kept)
        assert not list((disk / "data").glob("*.partial"))


def test_scores_are_those_of_the_search(dataset):
    game, frame = dataset.game, dataset.frame()
    evaluator = load_evaluator("classic", game)
    rows = frame[~frame["exact"]].sample(40, random_state=1)
    for position, score in zip(positions_of(rows, game), rows["score"], strict=True):
        assert analyse(position, evaluator, depth=2, exact_from=0).score == pytest.approx(score)


@pytest.mark.parametrize(
    ("name", "by"), [("connect_four", "classic"), ("othello", "wpc"), ("tic_tac_toe", "zero")]
)
@pytest.mark.parametrize("more", [{}, {"epsilon": 0.5}, {"temperature": 0.2}], ids=str)
def test_moves_with_a_lower_score_than_the_best_are_exploratory(name, by, more):
    plan = SelfplayPlan(name, by, depth=2, seed=1, **more)
    frame = play_task(plan.checked(), 0, 12).to_pandas()
    rows = frame[~frame["exact"]].groupby("game_id").head(20)
    lower, equal = 0, 0
    game, evaluator = game_named(name), load_evaluator(by, name)
    for row, position in zip(rows.itertuples(), positions_of(rows, game), strict=True):
        scores = analyse(position, evaluator, depth=2, exact_from=0, all_moves=True).moves
        score = scores[game.notation.write_move(row.move)]
        assert row.exploratory == (score < max(scores.values()))
        lower += row.exploratory
        equal += not row.exploratory and list(scores.values()).count(score) > 1
    assert (lower > 0) == bool(more) and equal > 0
    assert not frame.loc[frame["exact"], "exploratory"].any()


def test_moves_are_drawn_with_the_chances_of_the_softmax():
    plan = SelfplayPlan(
        "connect_four", depth=1, opening_plies=0, temperature=0.05, seed=5
    ).checked()
    first = play_task(plan, 0, 1000).to_pandas().groupby("game_id").head(1)
    start = Position.start("connect_four")
    scores = analyse(start, load_evaluator("classic", start.game), depth=1, all_moves=True).moves
    weights = {move: np.exp(score / plan.temperature) for move, score in scores.items()}
    assert max(weights.values()) > 1.5 * min(weights.values())
    for move, weight in weights.items():
        chance = weight / sum(weights.values())
        share = (first["move"] == start.game.notation.read_move(move)).mean()
        assert share == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / 1000))


@pytest.mark.parametrize("name", ["connect_four", "tic_tac_toe"])
def test_other_games(name, tmp_path):
    dataset = generate(SelfplayPlan(game=name, depth=3, seed=2), 40, tmp_path / "data")
    frame = dataset.frame()
    assert set(frame["outcome"].unique()) <= {-1.0, 0.0, 1.0}
    assert dataset.positions.shape == (len(frame), game_named(name).words)
    assert dataset.games == frame["game_id"].nunique() == 40


@pytest.mark.parametrize(
    "settings",
    [
        {"game": "othello", "depth": 20, "nodes": 400},
        {"game": "connect_four", "depth": 20, "nodes": 400},
        {"game": "connect_four", "evaluator": "zero", "method": "uct:playouts=60"},
    ],
)
def test_a_game_is_the_same_whatever_was_played_before_it(settings):
    # with a limit on nodes, a table that remembers games with the same start goes deeper
    plan = SelfplayPlan(**settings, opening_plies=0, epsilon=0.1, seed=6).checked()
    together = play_task(plan, 0, 4).to_pandas()
    alone = pd.concat([play_task(plan, k, 1).to_pandas() for k in range(4)], ignore_index=True)
    pd.testing.assert_frame_equal(together, alone)

"""Datasets merged, divided and cut down."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from samuel.common.errors import UserError
from samuel.games.rows import canonical_keys, left_of
from samuel.selfplay.data.combine import filter_rows, joined, merge, split
from samuel.selfplay.data.dataset import Dataset, clean_outcomes, score_scale
from samuel.selfplay.data.summary import dedupe
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan


@pytest.fixture(scope="module")
def a(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    plan = SelfplayPlan(depth=1, epsilon=0.1, seed=5, opening_plies=4)
    return generate(plan, 600, tmp_path_factory.mktemp("a") / "a")


@pytest.fixture(scope="module")
def b(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    plan = SelfplayPlan(evaluator="wpc", depth=1, seed=6, opening_plies=4)
    return generate(plan, 100, tmp_path_factory.mktemp("b") / "b")


def test_merged_games_are_numbered_on_and_keep_their_rows(
    a: Dataset, b: Dataset, tmp_path: Path
) -> None:
    merged = merge([a, b], tmp_path / "m")
    frame = merged.frame()
    assert (merged.games, len(merged)) == (700, len(a) + len(b))
    expected = pd.concat([a.frame(), b.frame()], ignore_index=True)
    expected["game_id"] += np.where(np.arange(len(expected)) < len(a), 0, 600)
    pd.testing.assert_frame_equal(frame.astype({"source": str}), expected.astype({"source": str}))
    assert frame.groupby("source", observed=True)["game_id"].nunique().to_dict() == {
        "classic": 600,
        "wpc": 100,
    }


def test_a_damaged_result_is_made_anew(a: Dataset, tmp_path: Path) -> None:
    merged = merge([a], tmp_path / "m")
    shard = next((tmp_path / "m").glob("*.parquet"))
    content = shard.read_bytes()
    shard.write_bytes(content[:1000])
    with pytest.raises(UserError, match="cut off or altered"):
        merged.frame()
    assert len(merge([a], tmp_path / "m").frame()) == len(a)


def test_a_damaged_input_leaves_nothing_behind(a: Dataset, tmp_path: Path) -> None:
    copy = merge([a], tmp_path / "copy")
    shard = next((tmp_path / "copy").glob("*.parquet"))
    shard.write_bytes(shard.read_bytes()[:-100])
    for make in (
        lambda: merge([a, Dataset.open(copy.folder)], tmp_path / "out"),
        lambda: dedupe(Dataset.open(copy.folder), tmp_path / "out"),
        lambda: split(Dataset.open(copy.folder), tmp_path / "out", tmp_path / "out_b"),
    ):
        with pytest.raises(UserError, match=shard.name):
            make()
        assert [file.name for file in tmp_path.glob("out*/*")] in ([], [".lock"])


def test_a_killed_run_starts_anew(a: Dataset, tmp_path: Path) -> None:
    whole = merge([a], tmp_path / "m").frame()
    path = tmp_path / "m/manifest.json"
    manifest = json.loads(path.read_text())  # as it is while the shards are written
    path.write_text(json.dumps(manifest | {"complete": False, "shards": {}, "positions": 0}))
    (tmp_path / "m/part-000007.parquet").write_bytes(b"left by the killed run")
    with pytest.raises(UserError, match="contains no positions yet"):
        Dataset.open(tmp_path / "m")
    pd.testing.assert_frame_equal(merge([a], tmp_path / "m").frame(), whole)
    assert [file.name for file in (tmp_path / "m").glob("*.parquet")] == ["part-000000.parquet"]


def test_split_keeps_whole_games(a: Dataset, tmp_path: Path) -> None:
    left, right = split(a, tmp_path / "l", tmp_path / "r", share=0.25, seed=1)
    assert (left.games, right.games) == (450, 150)
    frame, frames = a.frame(), (left.frame(), right.frame())
    for side in frames:
        whole = frame[frame["game_id"].isin(side["game_id"])].reset_index(drop=True)
        pd.testing.assert_frame_equal(side, whole)
    assert sum(map(len, frames)) == len(a)
    keys = [canonical_keys(a.game, side.positions) for side in (left, right)]
    shared = np.isin(keys[1], keys[0]).sum()
    assert shared > 0
    assert right.manifest["counts"] == {"shared": shared, "left_out": 0}


def test_sides_are_distinct_where_that_is_asked_for(a: Dataset, tmp_path: Path) -> None:
    left, right = split(a, tmp_path / "l", tmp_path / "r", share=0.25, seed=1, distinct=True)
    assert (left.games, right.games) == (450, 150)
    frames = left.frame(), right.frame()
    assert not set(frames[0]["game_id"]) & set(frames[1]["game_id"])
    keys = [canonical_keys(a.game, side.positions) for side in (left, right)]
    assert not np.isin(keys[1], keys[0]).any()
    left_out = right.manifest["counts"]["left_out"]
    assert left_out > 0 == right.manifest["counts"]["shared"]
    assert len(left) + len(right) + left_out == len(a)
    again, _ = split(a, tmp_path / "l2", tmp_path / "r2", share=0.25, seed=1, distinct=True)
    pd.testing.assert_frame_equal(again.frame(), frames[0])
    with pytest.raises(UserError, match="share must be above 0 and below 1"):
        split(a, tmp_path / "x", tmp_path / "y", share=1.5)
    with pytest.raises(UserError, match="need different folders"):
        split(a, tmp_path / "x", tmp_path / "x")


@pytest.mark.parametrize(
    "conditions",
    [
        {"plies": (10, 20)},
        {"plies_left": (5, 30)},
        {"exact_only": True},
        {"clean_only": True},
        {"max_score": 6.5},
        {"min_depth": 3},
        {"plies": (10, 40), "plies_left": (20, 60), "max_score": 20.0, "clean_only": True},
    ],
)
def test_filters_keep_what_fulfils_all_conditions(
    a: Dataset, tmp_path: Path, conditions: dict[str, object]
) -> None:
    frame = a.frame()
    tests = {
        "plies": lambda ends: frame["ply"].between(*ends),
        "plies_left": lambda ends: pd.Series(left_of(a.game, a.positions)).between(*ends),
        "exact_only": lambda _: frame["exact"],
        "clean_only": lambda _: pd.Series(clean_outcomes(frame)),
        "max_score": lambda most: frame["score"].abs() <= most,
        "min_depth": lambda least: frame["exact"] | (frame["depth"] >= least),
    }
    keep = np.logical_and.reduce([tests[k](v) for k, v in conditions.items()])  # type: ignore[no-untyped-call]
    left = filter_rows(a, tmp_path / "f", **conditions)  # type: ignore[arg-type]
    rest = left.frame()
    same = [name for name in frame.columns if name != "exploratory"]
    pd.testing.assert_frame_equal(rest[same], frame.loc[keep, same].reset_index(drop=True))
    assert left.manifest["counts"] == {"before": len(a)}
    assert left.games == frame.loc[keep, "game_id"].nunique()
    # the outcomes that were clean are clean, no others, whatever became of later rows
    assert (clean_outcomes(rest) == clean_outcomes(frame)[keep]).all()


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Datasets by an evaluator that counts in a unit of its own, and by one in discs."""
    folder = tmp_path_factory.mktemp("parts")
    plans = [
        SelfplayPlan(evaluator=name, depth=1, epsilon=0.1, seed=5) for name in ("wpc", "classic")
    ]
    return [generate(plan, 60, folder / plan.evaluator) for plan in plans]


def test_joined_datasets_are_merged_ones_but_for_the_unit_of_scores(parts, tmp_path):
    both, merged = joined(parts), merge(parts, tmp_path / "merged")
    assert (len(both), both.games) == (len(merged), merged.games) == (len(both), 120)
    mine, theirs = both.frame(), merged.frame()
    others = [column for column in theirs if column != "score"]
    pd.testing.assert_frame_equal(mine[others], theirs[others], check_categorical=False)
    assert (both.positions == merged.positions).all()
    exact = mine["exact"]
    assert (mine["score"] == theirs["score"])[exact].all()
    first = len(parts[0])
    for part, rows in zip(parts, (mine[:first], mine[first:]), strict=True):
        assert score_scale(rows) == pytest.approx(1, rel=1e-4)
        guessed = ~rows["exact"].to_numpy() & (np.abs(rows["score"].to_numpy()) > 0.1)
        factor = rows["score"].to_numpy()[guessed] / part.frame()["score"].to_numpy()[guessed]
        assert np.ptp(factor) < 1e-4 * factor[0]
    assert abs(both.parts[0].scale / both.parts[1].scale - 1) > 0.05  # so that it matters

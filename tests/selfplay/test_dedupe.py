"""One row a position: labels averaged as a plain loop averages them."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from samuel.games.rows import canonical_keys
from samuel.selfplay.data.combine import merge
from samuel.selfplay.data.dataset import Dataset, clean_outcomes
from samuel.selfplay.data.importing import import_games
from samuel.selfplay.data.summary import dedupe
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Return a small game's positions, searched to two depths, and some not searched at all."""
    folder = tmp_path_factory.mktemp("data")
    shallow = generate(SelfplayPlan("connect_four", depth=1, epsilon=0.3, seed=1), 60, folder / "a")
    deep = generate(
        SelfplayPlan("connect_four", depth=3, epsilon=0.3, seed=2, exact_from=20), 60, folder / "b"
    )
    (folder / "games.txt").write_text("1212121\n4242424\n")
    played = import_games([folder / "games.txt"], folder / "c", game="connect_four")
    return merge([shallow, deep, played], folder / "all")


def mean(values: list[tuple[float, float]]) -> float:
    """Return the mean of (value, weight), NaN of none."""
    total = sum(weight for _, weight in values)
    return sum(value * weight for value, weight in values) / total if values else np.nan


def expected_rows(data: Dataset) -> dict[int, dict[str, Any]]:
    frame = data.frame()
    clean = clean_outcomes(frame)
    weights = frame["weight"] if "weight" in frame else np.ones(len(frame))
    groups: dict[int, list[int]] = defaultdict(list)
    for i, key in enumerate(canonical_keys(data.game, data.positions).tolist()):
        groups[key].append(i)
    found = {}
    for key, rows in groups.items():
        outcomes = [(frame["outcome"][i], weights[i]) for i in rows if clean[i]]
        searched = [i for i in rows if not np.isnan(frame["score"][i])]
        best = max(((frame["exact"][i], frame["depth"][i]) for i in searched), default=None)
        scores = [
            (frame["score"][i], weights[i])
            for i in searched
            if (frame["exact"][i], frame["depth"][i]) == best
        ]
        found[key] = {
            "first": rows[0],
            "outcome": mean(outcomes),
            "score": mean(scores),
            "exact": best is not None and best[0],
            "depth": 0 if best is None else best[1],
            "weight": sum(weights[i] for i in rows),
        }
    return found


def test_labels_are_averaged_as_by_a_plain_loop(data: Dataset, tmp_path: Path) -> None:
    distinct, expected = dedupe(data, tmp_path / "d"), expected_rows(data)
    frame = distinct.frame()
    keys = canonical_keys(data.game, distinct.positions).tolist()
    assert keys == list(expected), "each position once, in the order of its first row"
    labels = pd.DataFrame(expected.values())
    for name in ("outcome", "score", "weight"):
        np.testing.assert_allclose(frame[name], labels[name], rtol=1e-6)
    assert frame["exact"].tolist() == labels["exact"].tolist()
    assert frame["depth"].tolist() == labels["depth"].tolist()
    assert frame["outcome"].isna().any() and frame["score"].isna().any() and frame["exact"].any()
    first = data.frame().iloc[labels["first"]].reset_index(drop=True)
    for name in ("word_0", "word_1", "game_id", "ply", "move"):
        assert frame[name].tolist() == first[name].tolist()
    assert distinct.manifest["counts"] == {
        "before": len(data),
        "without_outcome": int(frame["outcome"].isna().sum()),
    }


def test_a_row_merged_of_many_counts_for_as_many(tmp_path: Path) -> None:
    plans = [
        SelfplayPlan("connect_four", depth=1, epsilon=0.2, opening_plies=1, seed=seed)
        for seed in (6, 7)
    ]
    some, others = (generate(plan, 60, tmp_path / f"{plan.seed}") for plan in plans)
    mixed = merge([dedupe(some, tmp_path / "once"), others], tmp_path / "mixed")
    expected = pd.DataFrame(expected_rows(mixed).values())
    found = dedupe(mixed, tmp_path / "mixed once").frame()
    for name in ("outcome", "score", "weight"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-6, atol=1e-7)
    assert found["weight"].max() > 20

"""Positions searched again: the scores of the search, whatever happens on the way."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from samuel.games import Position
from samuel.models import load_evaluator
from samuel.search import analyse, solve
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan
from samuel.selfplay.relabel import relabel

LABELS = ["score", "depth", "exact"]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    plan = SelfplayPlan(depth=1, epsilon=0.1, seed=3, exact_from=4)
    return generate(plan, 600, tmp_path_factory.mktemp("relabel") / "data")


@pytest.fixture(scope="module")
def deeper(data: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return relabel(data, tmp_path_factory.mktemp("deeper") / "out", "wpc", depth=3, exact_from=6)


def test_scores_are_those_of_the_search(data: Dataset, deeper: Dataset) -> None:
    frame, game = deeper.frame(), data.game
    pd.testing.assert_frame_equal(frame.drop(columns=LABELS), data.frame().drop(columns=LABELS))
    wpc, zero = load_evaluator("wpc", game), load_evaluator("zero", game)
    for i in np.random.default_rng(1).choice(len(frame), 150, False).tolist():
        position = Position(game, tuple(deeper.positions[i].tolist()))
        row, left = frame.iloc[i], game.plies_left_in(position.row)
        assert (row["exact"], row["depth"]) == (left <= 6, left if left <= 6 else 3)
        if row["exact"]:
            assert row["score"] == solve(position, zero, table_bits=10).score
        else:
            found = analyse(position, wpc, depth=3, exact_from=0, table_bits=10)
            assert row["score"] == pytest.approx(found.score)


def test_exact_scores_stay(data: Dataset, tmp_path: Path) -> None:
    again = relabel(data, tmp_path / "out", "wpc", depth=1, exact_from=0).frame()
    before = data.frame()
    assert before["exact"].any()
    assert (again["exact"] == before["exact"]).all()
    exact = before["exact"]
    assert again.loc[exact, "score"].tolist() == before.loc[exact, "score"].tolist()


def test_the_same_rows_with_two_workers_and_after_an_interruption(
    data: Dataset, deeper: Dataset, tmp_path: Path
) -> None:
    def interrupt(done: int) -> None:
        if done > 0.9 * len(data):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        relabel(data, tmp_path / "out", "wpc", depth=3, exact_from=6, jobs=2, progress=interrupt)
    kept = Dataset.open(tmp_path / "out")
    assert not kept.manifest["complete"] and 0 < len(kept) < len(data)
    seen: list[int] = []
    whole = relabel(
        data, tmp_path / "out", "wpc", depth=3, exact_from=6, jobs=2, progress=seen.append
    )
    assert min(seen) > len(kept), "what was there is not searched again"
    pd.testing.assert_frame_equal(whole.frame(), deeper.frame())
    assert whole.manifest["complete"] and whole.games == data.games


RUN = """
from samuel.games import Position
from samuel.search import analyse
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.relabel import relabel
analyse(Position.start(), "classic", depth=1)  # LLVM's callbacks lose what interrupts them
try:
    relabel(Dataset.open({data!r}), {out!r}, "classic", depth=40, jobs={jobs},
            progress=lambda done: print(done, flush=True))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""

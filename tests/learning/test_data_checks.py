"""Each check of a dataset, on data that has the fault and on data that does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from samuel.features import Patterns
from samuel.learning import findings
from samuel.learning.data_checks import DataChecks, check_dataset
from samuel.learning.findings import pattern_finding
from samuel.learning.training import train
from samuel.models import PatternRegressor
from samuel.selfplay.data.combine import merge
from samuel.selfplay.data.dataset import Dataset, with_columns
from samuel.selfplay.data.derive import made_of, write_dataset
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    plan = SelfplayPlan("connect_four", "classic", depth=2, opening_plies=7, epsilon=0.05, seed=1)
    return generate(plan, games=120, out=tmp_path_factory.mktemp("data") / "healthy")


Change = Callable[[pd.DataFrame], Any]


def changed(data: Dataset, out: Path, change: Change) -> DataChecks:
    """Check a copy of a dataset whose labels were changed."""
    new = change(data.frame())  # a column with its name
    columns = {new.name: new.to_numpy(np.float32)}
    made = made_of([data], "change", {})
    (table,) = data.arrow_tables()
    return check_dataset(write_dataset(out, made, lambda _: [with_columns(table, columns)]))


def warned(checks: DataChecks) -> dict[str, str]:
    return {one.check: one.warning for one in checks.findings if one.warning}


def test_healthy_data_have_no_warning(healthy: Dataset) -> None:
    checks = check_dataset(healthy, "tuples2")
    assert checks.warnings == []
    figures = {one.check: one.figure for one in checks.findings}
    assert figures["final positions"] == "0 of 120 wrong"
    assert re.fullmatch("0 of [1-9][0-9,]* wrong", figures["exact scores"])
    assert figures["exact play"].startswith("0 of ")
    assert checks.tables()[0].title == f"Checks of {len(healthy):,} rows"


def signs(frame: pd.DataFrame) -> Any:
    return np.where(frame["side"] == 1, -1, 1)


@pytest.mark.parametrize(
    ("check", "sentence", "change"),
    [
        ("scores by side", "of O contradict.*--scores-for", lambda f: f["score"] * signs(f)),
        ("scores by side", "the sign of the scores", lambda f: -f["score"]),
        ("size of scores", "--score-unit", lambda f: f["score"] * 1e-5),
        ("results", "120 games have one result", lambda f: 0 * f["outcome"] + signs(f)),
        ("results within games", "for the side to move", lambda f: f["outcome"] * signs(f)),
        ("final positions", "last move contradicts", lambda f: -f["outcome"]),
        ("exact play", "are labelled lost", lambda f: -f["outcome"]),
        ("exact scores", "relabel", lambda f: f["score"].where(~f["exact"], 0.5)),
    ],
)
def test_a_fault_is_found(
    check: str, sentence: str, change: Change, healthy: Dataset, tmp_path: Path
) -> None:
    found = warned(changed(healthy, tmp_path / "changed", change))
    assert re.search(sentence, found[check])


def test_one_wrong_game_is_shown_with_its_row(healthy: Dataset, tmp_path: Path) -> None:
    games = healthy.frame()["game_id"]
    checks = changed(
        healthy, tmp_path / "changed", lambda f: f["outcome"].where(games != 7, -f["outcome"])
    )
    assert warned(checks).keys() == {"final positions"}
    (row,) = next(one.rows for one in checks.findings if one.check == "final positions")
    assert games[row["row"]] == 7 and row["label"] == -row["truth"] != 0


def test_games_of_two_sources_are_found(healthy: Dataset, tmp_path: Path) -> None:
    frame = healthy.frame()
    (table,) = healthy.arrow_tables()
    renamed = table.set_column(
        table.column_names.index("source"),
        "source",
        pa.array(["other"] * len(frame)).dictionary_encode(),
    )
    other = write_dataset(tmp_path / "other", made_of([healthy], "x", {}), lambda _: [renamed])
    both = merge([healthy, other], tmp_path / "both")
    long = int((frame.groupby("game_id").size() >= 20).sum())
    warning = warned(check_dataset(both))["repeated games"]
    assert warning.startswith(f"{long} games come again, {long} of them in two sources")


def test_rare_patterns_are_counted(healthy: Dataset) -> None:
    words = healthy.positions
    shapes = [["a1", "b1", "c1", "d1", "e1", "f1", "g1"], ["a1", "a2", "a3"]]
    found = pattern_finding(PatternRegressor(shapes, "connect_four", stages=1), healthy.game, words)
    has = Patterns(shapes, "connect_four").fit_transform(words).toarray() > 0
    seen = has.sum(0)
    rare = (seen > 0) & (seen < 4)
    (stage,) = found.rows
    assert stage["patterns"] == (seen > 0).sum() and stage["rows"] == len(words)
    assert stage["rare"] == rare.sum() / (seen > 0).sum()
    share = has[:, rare].any(1).mean()
    assert found.figure.startswith(f"{100 * share:.0f} % of positions") and not found.warning
    few = pattern_finding(PatternRegressor(shapes, "connect_four"), healthy.game, words[::60])
    assert "add games" in few.warning


def test_training_warns_of_data(
    healthy: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(healthy, "ridge")  # without a warning, which is an error in these tests
    monkeypatch.setattr(findings, "_FEWEST_ROWS", 1)
    monkeypatch.setattr(findings, "_MOST_RARE", 0.0)
    with pytest.warns(UserWarning, match="rare patterns .*: Their weights are hardly known"):
        train(healthy, "tuples2")
    (table,) = healthy.arrow_tables()
    wrong = {"score": -table["score"].to_numpy()}
    made = made_of([healthy], "x", {})
    data = write_dataset(tmp_path / "wrong", made, lambda _: [with_columns(table, wrong)])
    with pytest.warns(UserWarning, match="scores by side .*: Scores contradict the outcomes"):
        train(data, "ridge", target="outcome")

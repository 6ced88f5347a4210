"""Positions searched again: the scores of the search, whatever happens on the way."""

import signal
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from samuel.common.errors import UserError
from samuel.games import Position
from samuel.models import load_evaluator
from samuel.search import search, solve
from samuel.selfplay import Dataset, SelfplayPlan, generate, import_games, relabel
from tests.processes import TIMEOUT, eventually, start

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
            found = search(position, wpc, depth=3, exact_from=0, table_bits=10)
            assert row["score"] == pytest.approx(found.score)


def test_a_run_that_fails_before_its_first_part_leaves_nothing(
    data: Dataset, tmp_path: Path
) -> None:
    def fail(rows: int) -> None:
        raise UserError("the engine has gone")

    (tmp_path / "mine").mkdir()
    for out in ("new/deep", "mine"):
        with pytest.raises(UserError, match="the engine has gone"):
            relabel(data, tmp_path / out, "wpc", depth=1, exact_from=0, progress=fail)
    assert [one.name for one in tmp_path.iterdir()] == ["mine"]  # which is the user's
    assert len(relabel(data, tmp_path / "mine", "wpc", depth=1, exact_from=0)) == len(data)


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


def test_the_manifest_tells_how(deeper: Dataset) -> None:
    settings = deeper.manifest["settings"]
    assert settings == {"command": "relabel", "evaluator": "wpc", "depth": 3, "exact_from": 6}
    assert isinstance(deeper.manifest["evaluator_digest"], str)
    with pytest.raises(UserError, match=r"holds another run \(depth 3, not 4\)"):
        relabel(deeper, deeper.folder, "wpc", depth=4, exact_from=6)


@pytest.mark.parametrize("settings", [{"depth": 0}, {"depth": 500}, {"depth": 2, "exact_from": -1}])
def test_bad_settings_are_refused(data: Dataset, tmp_path: Path, settings: dict[str, int]) -> None:
    with pytest.raises(UserError, match=r" must be .*got"):
        relabel(data, tmp_path / "out", "classic", **settings)
    with pytest.raises(UserError, match="no evaluator called"):
        relabel(data, tmp_path / "out", "nobody", depth=2)
    with pytest.raises(UserError, match="jobs must be at least 1"):
        relabel(data, tmp_path / "out", "classic", depth=2, jobs=0)
    assert not (tmp_path / "out").exists()


def test_imported_games_get_scores(tmp_path: Path) -> None:
    lines = "a1b1a2b2a3\nb2a1c1a3a2c2b1b3c3\n"
    (tmp_path / "games.txt").write_text(lines)
    played = import_games([tmp_path / "games.txt"], tmp_path / "i", game="tic_tac_toe")
    assert played.frame()["score"].isna().all()
    scored = relabel(played, tmp_path / "r", "zero", depth=9).frame()
    assert scored["score"].iloc[4] == pytest.approx(0.999)  # a3 wins at once
    assert scored["score"].iloc[0] == 0  # perfect play draws


RUN = """
from samuel.games import Position
from samuel.search import search
from samuel.selfplay import Dataset, relabel
search(Position.start(), "classic", depth=1)  # LLVM's callbacks lose what interrupts them
try:
    relabel(Dataset.open({data!r}), {out!r}, "classic", depth=40, jobs={jobs},
            progress=lambda done: print(done, flush=True))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_a_long_search_at_once(data: Dataset, tmp_path: Path, jobs: int) -> None:
    script = tmp_path / "run.py"
    script.write_text(RUN.format(data=str(data.folder), out=str(tmp_path / "out"), jobs=jobs))
    process = start(script)
    watchdog = threading.Timer(TIMEOUT, process.kill)
    watchdog.start()
    assert eventually((tmp_path / "out/manifest.json").exists) and process.poll() is None
    time.sleep(1.5)  # into the first game, which would take years
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate()
    watchdog.cancel()
    assert out.splitlines()[-1:] == ["interrupted"], errors

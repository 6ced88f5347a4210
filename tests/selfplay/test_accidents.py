"""What may befall a run of self-play and its folder, and what is left then."""

import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from samuel.common.errors import UserError
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan
from tests.processes import TIMEOUT, start

PLAN = SelfplayPlan(game="tic_tac_toe", depth=1, epsilon=0.2, seed=6)
GAMES = 600  # two shards


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return generate(PLAN, GAMES, tmp_path_factory.mktemp("unbroken") / "data")


@pytest.fixture
def manifest_of(tmp_path: Path) -> dict[str, Any]:
    """Make a dataset at tmp_path / "data" and return its manifest."""
    generate(PLAN, GAMES, tmp_path / "data")
    manifest: dict[str, Any] = json.loads((tmp_path / "data/manifest.json").read_text())
    assert len(manifest["shards"]) == 2
    return manifest


def damaged(manifest: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield manifests that are JSON, but not what a run writes."""
    needed = ["format", "game", "settings", "evaluator_digest", "games", "complete", "shards"]
    for entry in needed:
        yield {name: value for name, value in manifest.items() if name != entry}
        if entry != "evaluator_digest":  # null where no evaluator had a part in it
            yield manifest | {entry: None}
        yield manifest | {entry: ["x"]}
    name, shard = next(iter(manifest["shards"].items()))
    for entry in shard:
        yield manifest | {"shards": {name: {k: v for k, v in shard.items() if k != entry}}}
        yield manifest | {"shards": {name: shard | {entry: [1]}}}
    yield manifest | {"shards": {name: None}}
    yield manifest | {"history": {}}
    yield manifest | {"counts": [3]}
    yield manifest | {"shards": {"../../elsewhere.parquet": shard}}


def test_a_manifest_with_wrong_entries_is_refused(
    manifest_of: dict[str, Any], tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    texts = map(json.dumps, damaged(manifest_of))
    for text in ("", "{", "[]", '{"format": 99}', *texts):
        (folder / "manifest.json").write_text(text)
        with pytest.raises(UserError, match=r"manifest\.json"):
            Dataset.open(folder)
        with pytest.raises(UserError, match=r"manifest\.json"):
            generate(PLAN, GAMES, folder)
        assert len(list(folder.glob("*.parquet"))) == 2


def test_leftovers_of_a_killed_run_are_cleared_away(unbroken: Dataset, tmp_path: Path) -> None:
    out = tmp_path / "data"
    generate(PLAN, 100, out)
    (out / "games-000000512.parquet.123.partial").write_bytes(b"half a shard")
    (out / "games-000000512.parquet").write_bytes(b"a shard that no manifest names")
    pd.testing.assert_frame_equal(generate(PLAN, GAMES, out).frame(), unbroken.frame())
    assert not list(out.glob("*.partial"))


def test_games_are_numbered_and_in_one_piece(unbroken: Dataset) -> None:
    frame = unbroken.frame()
    assert frame["game_id"].is_monotonic_increasing
    assert set(frame["game_id"]) == set(range(GAMES))
    assert (frame.groupby("game_id")["ply"].diff().dropna() == 1).all()


RUN = """
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan

def show(games, rows):
    print(games, flush=True)

try:
    generate(SelfplayPlan(depth=5, seed=8), 20_000, {out!r}, jobs={jobs}, progress=show)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_ctrl_c_ends_a_run_and_keeps_what_is_done(tmp_path: Path, jobs: int) -> None:
    script, out = tmp_path / "run.py", tmp_path / "data"
    script.write_text(RUN.format(out=str(out), jobs=jobs))
    process = start(script)
    watchdog = threading.Timer(TIMEOUT, process.kill)
    watchdog.start()
    assert process.stdout is not None
    while not list(out.glob("*.parquet")):
        assert process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.communicate()[0].endswith("interrupted\n")  # maybe within a line
    watchdog.cancel()
    assert process.returncode == 0
    kept = Dataset.open(out)
    assert not kept.manifest["complete"]
    assert 0 < kept.games < 20_000
    assert len(kept.frame()) == len(kept)
    same = generate(SelfplayPlan(depth=5, seed=8), 20, tmp_path / "same")
    pd.testing.assert_frame_equal(
        kept.frame().head(len(same)), same.frame(), check_categorical=False
    )

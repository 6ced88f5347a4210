"""Scores of outside engines as labels: whose they are, what fails, and where a run goes on."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import samuel
from samuel.arena.engines.process import EngineProtocolError
from samuel.arena.engines.uci import UciEngine
from samuel.arena.labelling import relabel_by_engine
from samuel.common.errors import UserError
from samuel.games import Position
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan
from tests.arena.engines.helpers import fake_nboard, stockfish

LABELS = ["score", "depth", "exact"]

# Scores a position by its pieces, for the side to move. It ends at a placement of the command line,
# always or the first time, or says no score at all.
_ENGINE = """
import os, sys, time
manner, place, log = sys.argv[1:]
worth = dict(p=-100, n=-300, b=-300, r=-500, q=-900, P=100, N=300, B=300, R=500, Q=900)
for line in sys.stdin:
    with open(log, "a") as file:
        file.write(line)
    words = line.split()
    if words[0] == "uci":
        print("id name Counter 1\\nuciok", flush=True)
    if words[0] == "isready":
        print("readyok", flush=True)
    if words[0] == "position":
        fen = words[2:4]
    if words[0] == "go":
        if fen[0] == place and (manner == "always" or not os.path.exists(log + ".failed")):
            open(log + ".failed", "w").close()
            sys.exit("Segmentation fault")
        if manner == "slow":
            time.sleep(1000)
        score = sum(worth.get(sign, 0) for sign in fen[0]) * (1 if fen[1] == "w" else -1)
        if manner not in ("mute", "moveless"):
            print(f"info depth 3 seldepth 5 score cp {score} nodes 9 pv e2e4")
        print("bestmove" if manner == "moveless" else "bestmove e2e4", flush=True)
    if words[0] == "quit":
        break
"""


def counter(folder: Path, manner: str = "plain", place: str = "") -> str:
    """Return an engine that counts pieces; its log is FOLDER/log."""
    (folder / "counter.py").write_text(_ENGINE)
    words = [sys.executable, str(folder / "counter.py"), manner, place, str(folder / "log")]
    return "uci:" + shlex.join(words)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    plan = SelfplayPlan("chess", "material", 1, epsilon=0.2, seed=3, opening_plies=8)
    return generate(plan, 8, tmp_path_factory.mktemp("labelling") / "data")


def test_scores_are_for_the_side_to_move(data: Dataset, tmp_path: Path) -> None:
    made = relabel_by_engine(data, tmp_path / "out", counter(tmp_path), nodes=400)
    frame, before = made.frame(), data.frame()
    pd.testing.assert_frame_equal(frame.drop(columns=LABELS), before.drop(columns=LABELS))
    asked = ~before["exact"]
    material = samuel.evaluate("material", "chess", made.positions)
    assert (frame["depth"][asked] == 3).all()
    assert (frame["exact"] == before["exact"]).all()
    assert frame["side"].nunique() == 2 and np.abs(material).max() > 3
    assert np.corrcoef(frame["score"][asked], material[asked])[0, 1] > 0.99
    assert made.manifest["settings"]["program"] == "Counter 1"
    told = (tmp_path / "log").read_text().splitlines()
    assert "go nodes 400" in told
    assert told.count("quit") == 1


def test_the_same_with_two_workers_and_after_an_interruption(
    data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samuel.arena.labelling.SHARD_ROWS", 200)
    monkeypatch.setattr("samuel.arena.labelling.TASK_ROWS", 50)
    engine, told = counter(tmp_path), []

    def interrupt(done: int) -> None:
        told.append(done)
        if done > len(data) - 50:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        relabel_by_engine(data, tmp_path / "a", engine, depth=2, jobs=2, progress=interrupt)
    kept = Dataset.open(tmp_path / "a")
    assert 0 < len(kept) < len(data)
    whole = relabel_by_engine(data, tmp_path / "a", engine, depth=2, progress=told.append)
    assert told[-1] == len(data) and whole.manifest["complete"]
    other = relabel_by_engine(data, tmp_path / "b", engine, depth=2, jobs=2)
    pd.testing.assert_frame_equal(whole.frame(), other.frame())
    with pytest.raises(UserError, match=r"contains another run \(depth 2, not 3\)"):
        relabel_by_engine(data, tmp_path / "a", engine, depth=3)


def test_an_engine_that_ends_is_started_once_more(data: Dataset, tmp_path: Path) -> None:
    placements = _placements(data)
    place = placements[100]
    for manner in ("always", "once"):
        (folder := tmp_path / manner).mkdir()
        engine = counter(folder, manner, place)
        if manner == "once":
            made = relabel_by_engine(data, folder / "out", engine, nodes=1)
            assert made.frame()["score"].notna().all() and "counts" not in made.manifest
            continue
        with pytest.warns(UserWarning, match="has no score: engine .*Segmentation fault"):
            made = relabel_by_engine(data, folder / "out", engine, nodes=1)
        without = [one == place for one in placements]
        assert made.frame()["score"].isna().tolist() == without
        assert made.manifest["counts"] == {"without_score": sum(without)}


def test_an_engine_that_cannot_forget_is_started_once_more(
    data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, calls = UciEngine.begin, []

    def failing(self: UciEngine, start: Position, opening: tuple[int, ...] = ()) -> None:
        calls.append(start)
        if len(calls) == 2:
            raise EngineProtocolError("confused")
        begin(self, start, opening)

    monkeypatch.setattr(UciEngine, "begin", failing)
    made = relabel_by_engine(data, tmp_path / "out", counter(tmp_path), nodes=1)
    assert made.frame()["score"].notna().all()
    assert (tmp_path / "log").read_text().splitlines().count("uci") == 2


def _placements(data: Dataset) -> list[str]:
    sides = data.frame()["side"]
    return [
        Position(data.game, tuple(words), side).text.split()[0]
        for words, side in zip(data.positions.tolist(), sides, strict=True)
    ]


def test_what_is_refused(data: Dataset, tmp_path: Path) -> None:
    out, plain = tmp_path / "out", counter(tmp_path)
    othello = generate(SelfplayPlan(depth=1), 2, tmp_path / "othello")
    for given, engine, limits, message in (
        (data, plain, {}, "needs a limit: give nodes, depth, or seconds"),
        (data, counter(tmp_path, "mute"), {"nodes": 9}, "8 positions in a row.* Counter 1 sent no"),
        (data, "gtp:cat", {"depth": 1}, "engines of gtp send no scores"),
        (data, "uci:no-such-engine", {"depth": 1}, "'no-such-engine' was not found"),
        (othello, plain, {"depth": 1}, "uci score in pawns, and othello counts in discs"),
        (othello, fake_nboard(tmp_path, "plain"), {"nodes": 9}, "nboard count no nodes"),
        (data, fake_nboard(tmp_path, "plain"), {"depth": 1}, "is for Othello, not for chess"),
    ):
        with pytest.raises(UserError, match=message):
            relabel_by_engine(given, out, engine, **limits)
    assert not list(out.glob("*.parquet"))
    with pytest.raises(UserError, match="8 positions in a row"):  # at once: it is not waited for
        relabel_by_engine(data, tmp_path / "other", counter(tmp_path, "moveless"), nodes=9)


RUN = """
from samuel.arena.labelling import relabel_by_engine
from samuel.selfplay.data.dataset import Dataset
try:
    relabel_by_engine(Dataset.open({data!r}), {out!r}, {engine!r}, nodes=1, jobs=2)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(stockfish() is None, reason="no Stockfish")
def test_stockfish(data: Dataset, tmp_path: Path) -> None:
    """It agrees on who stands better with our own search, and with itself, however many it is."""
    engine = f"uci:{stockfish()}"
    made = relabel_by_engine(data, tmp_path / "a", engine, nodes=400).frame()
    again = relabel_by_engine(data, tmp_path / "b", engine, nodes=400, jobs=2).frame()
    pd.testing.assert_frame_equal(made, again)
    ours = samuel.relabel(data, tmp_path / "c", "classic", depth=3).frame()
    clear = (ours["score"].abs() > 3) & ~ours["exact"]
    assert clear.sum() > 50 and made["score"].notna().all()
    assert (np.sign(made["score"]) == np.sign(ours["score"]))[clear].mean() > 0.9

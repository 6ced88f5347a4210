"""Datasets as files, and back."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from samuel.common.errors import UserError
from samuel.games import Position
from samuel.selfplay.data.combine import filter_rows
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.export import export
from samuel.selfplay.data.importing import import_games
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan
from tests.processes import ROOT

KEPT = ["game_id", "ply", "outcome", "move"]
"""What a transcript keeps of a game, with the positions."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return generate(
        SelfplayPlan(depth=1, epsilon=0.1, seed=3), 150, tmp_path_factory.mktemp("d") / "d"
    )


def rows_of(dataset: Dataset, *more: str) -> pd.DataFrame:
    return dataset.frame([*KEPT, *more, *(f"word_{k}" for k in range(dataset.game.words))])


@pytest.mark.parametrize("format", ["transcripts", "ggf"])
def test_games_come_back_as_they_were(data: Dataset, tmp_path: Path, format: str) -> None:
    assert export(data, tmp_path / "games", format) == 0
    back = import_games([tmp_path / "games"], tmp_path / "back")
    assert back.manifest["counts"]["left_out"] == {}
    frame, expected = rows_of(back), rows_of(data)
    # a pass among the opening moves, which are not recorded, cannot be seen
    early = expected["ply"] - frame["ply"]
    assert early.isin([0, 2]).all() and (early == 0).mean() > 0.9
    pd.testing.assert_frame_equal(frame.drop(columns="ply"), expected.drop(columns="ply"))
    # and from there on nothing changes at all
    export(back, tmp_path / "again/games", format)
    assert (tmp_path / "again/games").read_text().count("\n") == 150
    twice = import_games([tmp_path / "again/games"], tmp_path / "twice")
    pd.testing.assert_frame_equal(twice.frame(), back.frame())


def test_wthor_has_games_from_the_initial_position(data: Dataset, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no game from the initial position"):
        export(data, tmp_path / "games.wtb", "wthor")
    own = generate(
        SelfplayPlan(depth=1, epsilon=0.3, opening_plies=0, seed=4), 60, tmp_path / "own"
    )
    assert export(own, tmp_path / "games.wtb", "wthor") == 0
    content = (tmp_path / "games.wtb").read_bytes()
    assert len(content) == 16 + 60 * 68 and content[4:8] == bytes([60, 0, 0, 0])
    back = import_games([tmp_path / "games.wtb"], tmp_path / "back", format="wthor")
    assert back.manifest["counts"]["left_out"] == {}
    pd.testing.assert_frame_equal(rows_of(back), rows_of(own))
    small = generate(SelfplayPlan("othello_6x6", depth=1, opening_plies=0), 2, tmp_path / "small")
    with pytest.raises(UserError, match="WTHOR files are for the 8x8 board, not for othello_6x6"):
        export(small, tmp_path / "small.wtb", "wthor")
    assert not (tmp_path / "small.wtb").exists()


def test_a_file_of_the_wthor_base_is_written_as_it_was(tmp_path: Path) -> None:
    """But for who played where, and the theoretical results."""
    path = ROOT.parent / "shared/data/wthor/WTH_1978.wtb"
    if not path.exists():
        pytest.skip("the WTHOR base lies beside the project, in ../shared/data, and is not there")
    data = import_games([path], tmp_path / "data")
    export(data, tmp_path / "again.wtb", "wthor")
    given, again = (file.read_bytes()[16:] for file in (path, tmp_path / "again.wtb"))
    records = {given[k + 6 : k + 7] + given[k + 8 : k + 68] for k in range(0, len(given), 68)}
    assert len(again) == 68 * data.games
    for k in range(0, len(again), 68):
        assert again[k + 6 : k + 7] + again[k + 8 : k + 68] in records


NAMES = st.text(st.sampled_from('ab []()";{}\\\n\r,:%*;)1-0\u00e9\u2028\x00'), max_size=12)


def test_csv_holds_every_row(data: Dataset, tmp_path: Path) -> None:
    assert export(data, tmp_path / "rows.csv", "csv") == 0
    table, frame = pd.read_csv(tmp_path / "rows.csv"), data.frame()
    assert len(table) == len(frame)
    for name in ("game_id", "ply", "depth", "exact", "exploratory"):
        assert table[name].tolist() == frame[name].tolist()
    np.testing.assert_allclose(table["score"], frame["score"], rtol=1e-6)
    assert set(table["source"]) == {"classic"}
    for i in range(0, len(table), 997):
        position = Position.parse(table["position"][i])
        assert position.words == tuple(data.positions[i].tolist())
        assert position.side == frame["ply"][i] % 2
        assert data.game.notation.read_move(table["move"][i]) == frame["move"][i]


def test_games_with_gaps_are_left_out(data: Dataset, tmp_path: Path) -> None:
    late = filter_rows(data, tmp_path / "late", plies_left=(0, 30))
    assert export(late, tmp_path / "late.ggf", "ggf") == 0, "from a later position on it is whole"
    back = import_games([tmp_path / "late.ggf"], tmp_path / "back")
    assert back.frame()["move"].tolist() == late.frame()["move"].tolist()
    early = filter_rows(data, tmp_path / "early", plies=(9, 20))
    with pytest.raises(UserError, match="no whole game"):
        export(early, tmp_path / "early.txt", "transcripts")
    assert not (tmp_path / "early.txt").exists()
    near = filter_rows(data, tmp_path / "near", max_score=60.0)
    left_out = export(near, tmp_path / "near.txt", "transcripts")
    assert 0 < left_out < near.games
    assert len((tmp_path / "near.txt").read_text().splitlines()) == near.games - left_out

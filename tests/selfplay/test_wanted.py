"""Games of PGN chosen by their tags, and plies of them; what is read of files is told."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from samuel.common.errors import UserError
from samuel.common.packed import streams, watched
from samuel.selfplay.data.importing import import_games
from samuel.selfplay.data.wanted import WantedGames


def _tags(white: str, black: str, time: str = "") -> dict[str, str]:
    return {"whiteelo": white, "blackelo": black, "timecontrol": time}


def test_both_players_need_the_rating() -> None:
    wanted = WantedGames(2400)
    assert not wanted(_tags("2400", "2500"))
    assert wanted(_tags("2500", "2399")) == "rating below 2400"
    assert wanted(_tags("2500", "?")) == wanted({}) == "without ratings"


@pytest.mark.parametrize(
    ("wanted", "told", "fits"),
    [
        ("300+3", "300+3", True),
        ("300+3", "300", False),
        ("-", "-", True),
        ("180-", "180+2", True),
        ("180-", "179", False),
        ("180-", "40/9000:3600", True),
        ("180-900", "1000", False),
        ("180-900", "900.5+0.1", True),
        ("0-", "?", False),
        ("0-", "", False),
    ],
)
def test_time_controls_are_a_text_or_seconds(wanted: str, told: str, fits: bool) -> None:
    assert (WantedGames(time_control=wanted)(_tags("1", "1", told)) == "") is fits


def test_games_and_plies_are_chosen_and_counted(tmp_path: Path) -> None:
    games = []
    for white, moves in (("2500", "1. e4 e5 2. Nf3"), ("2300", "1. d4 {[%eval"), ("2600", "1. c4")):
        tags = f'[WhiteElo "{white}"]\n[BlackElo "2450"]\n[TimeControl "60+1"]\n[Result "1-0"]\n'
        games.append(f"{tags}\n{moves} 1-0\n")
    games[1] = games[1].replace(" {[%eval", "")
    path = tmp_path / "a.pgn"
    path.write_text("\n".join(games))
    told: list[tuple[int, int, int]] = []
    found = import_games(
        [path],
        tmp_path / "data",
        game="chess",
        min_rating=2400,
        time_control="60-",
        plies=(1, 9),
        progress=lambda *now: told.append(now),
    )
    counts = found.manifest["counts"]
    assert (counts["games"], counts["imported"], counts["other_plies"]) == (3, 2, 2)
    assert counts["left_out"] == {"rating below 2400": 1}
    assert counts["first_left_out"] == {"rating below 2400": "a.pgn, line 8"}
    assert sorted(found.frame()["ply"]) == [1, 2]
    assert told[-1] == (path.stat().st_size, 3, 2)


def test_only_files_with_tags_can_be_chosen_from(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a1b1a2b2a3\n")
    with pytest.raises(UserError, match=r"has no ratings and time controls .*need PGN"):
        import_games([tmp_path / "a.txt"], tmp_path / "data", game="tic_tac_toe", min_rating=1)
    with pytest.raises(UserError, match="begins after its end"):
        WantedGames(time_control="900-180")


@pytest.mark.parametrize("packed", [False, True])
def test_bytes_are_told_as_they_are_read(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "a"
    path.write_bytes(gzip.compress(bytes(100)) if packed else bytes(100))
    told: list[int] = []
    with watched(told.append), streams(path) as found:
        assert next(found).read(100) == bytes(100)
    assert sum(told) == path.stat().st_size


@pytest.mark.parametrize("packed", [False, True])
def test_who_watches_may_end_the_reading(tmp_path: Path, packed: bool) -> None:
    text = "e6f4e3f6g5d6e7f5c5\n" * 3
    (tmp_path / "a").write_bytes(gzip.compress(text.encode()) if packed else text.encode())

    def stop(read: int, games: int, rows: int) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        import_games([tmp_path / "a"], tmp_path / "data", progress=stop)
    assert [one.name for one in tmp_path.iterdir()] == ["a"]

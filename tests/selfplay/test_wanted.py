"""Games of PGN chosen by their tags, and plies of them; what is read of files is told."""

from __future__ import annotations

from pathlib import Path

import pytest

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

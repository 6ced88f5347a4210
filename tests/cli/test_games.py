"""`samuel games`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from samuel.games import Position, game_named
from tests.cli.conftest import Run

MATCH = "match classic wpc --depth 1 --pairs 3 --openings random --out event"


@pytest.fixture
def event(run: Run) -> None:
    run.json(MATCH)


@pytest.mark.usefixtures("event")
def test_the_list(run: Run) -> None:
    games = run.json("games event")["games"]
    assert [game["number"] for game in games] == [1, 2, 3, 4, 5, 6]
    assert {game["first"] for game in games} == {"classic", "wpc"}
    out = run.done("games event")
    assert "6 games" in out and all(game["moves"][:12] in out for game in games)
    assert "2 more" in run.done("games event --limit 4")


@pytest.mark.usefixtures("event")
def test_one_game(run: Run) -> None:
    game = run.json("games event --number 2")
    assert (game["number"], game["first"], game["second"]) == (2, "wpc", "classic")
    out = run.done("games event --number 2 --every 20")
    assert "wpc against classic" in out and "ply 8 (opening)" in out and "ply 20" in out
    assert game["moves"] in out.replace("\n", "")
    end = Position.start(game_named("othello"))
    for move in end.game.notation.read_moves(game["moves"]):
        if end.legal_moves() == ["pass"]:
            end = end.play("pass")
        end = end.play(move)
    while not end.is_terminal:
        end = end.play("pass")
    assert str(end).splitlines()[-1].strip() in out  # how many discs there are at the end


@pytest.mark.parametrize(
    ("test", "said"),
    [("", "counts them when it is run again"), ("--sprt 0,60 ", "ended, and are not counted")],
)
def test_games_beyond_those_counted_are_told_of(run: Run, test: str, said: str):
    run.json(f"match classic zero {test}--depth 1 --pairs 100 --openings random --out event")
    journal = Path("event/journal.jsonl")
    last = json.loads(journal.read_text().splitlines()[-1])
    with journal.open("a") as file:  # a pair that a second worker was playing
        file.write(json.dumps([one | {"number": 1000} for one in last]) + "\n")
    status, _, err = run("games event")
    assert status == 0 and err.count("\n") == 1
    assert re.search(r"\b\d+ more games in event", err) and said in err  # and those in play
    assert test or "2 more games in event" in err


@pytest.mark.usefixtures("event")
def test_games_of_a_player(run: Run) -> None:
    assert len(run.json("games event --only classic")["games"]) == 6
    assert run.json("games event --only faults")["games"] == []
    assert run.quiet("games event --only faults") == "0 games\n"


def test_other_games_have_boards_too(run: Run) -> None:
    run.json("match classic zero --game connect_four --depth 1 --pairs 1 --openings random --out e")
    out = run.done("games e --number 1")
    assert "ply 0" in out and "(opening)" in out


@pytest.mark.usefixtures("event")
def test_a_name_that_nobody_has_gets_one_line(run: Run) -> None:
    said = "has no player called 'clasic'; did you mean classic? there are classic, wpc, faults"
    assert said in run.refused("games event --only clasic")


@pytest.mark.parametrize(("name", "content"), [("games.parquet", b"PAR1"), ("event.json", b"{")])
@pytest.mark.usefixtures("event")
def test_a_damaged_folder_gets_one_line(
    run: Run, tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / "event" / name).write_bytes(content)
    assert name in run.refused("games event")


def test_a_folder_without_games_is_told(run: Run) -> None:
    assert "there is no folder none" in run.refused("games none")
    Path("empty").mkdir()
    assert "games.parquet is missing" in run.refused("games empty")
    assert "empty shows no tournament: event.json is missing" in run.refused("tournament empty")

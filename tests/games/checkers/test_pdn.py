"""Games of checkers in PDN, as people and other programs write them."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.checkers.pdn import FORMATS, read_pdn, write_pdn
from samuel.games.records import GameRecord, Records
from samuel.selfplay.data.export import export
from samuel.selfplay.data.importing import import_games

GAME = game_named("checkers")
GAME_TEXT = """[Event "A \\"match\\""]
[Black "One"]
[White "Two, {not} (a) comment"]
[Result "1-0"]

1. 10-14! {Denny; 1-0 [%clk 1]} 24-19 $1 2.11-15 (2. 11-16 27-24 (2... 22-18)) 19X10?!
3. 6:15 23-18 ; to the line's end 11-15
4. 14x23 27x11* {by its ends} 1-0
"""
# White has taken both of Black's men, or Black White's.
WON = '[FEN "{turn}:W{white}:B{black}"]\n1. {moves} {result}\n'
BY_WHITE = {"turn": "W", "white": "14,22", "black": "9", "moves": "14x5"}
BY_BLACK = {"turn": "B", "white": "24", "black": "11,19", "moves": "19x28"}


def read(folder: Path, text: str) -> Records:
    path = folder / "games.pdn"
    path.write_text(text, encoding="utf-8")
    (records,) = read_pdn(path, GAME)
    return records


def names_of(records: Records) -> list[str]:
    return [GAME.notation.write_move(int(move)) for move in records.moves]


def test_a_game_is_read(tmp_path: Path) -> None:
    records = read(tmp_path, GAME_TEXT.replace("\n", "\r\n"))
    assert " ".join(names_of(records)) == "10-14 24-19 11-15 19x10 6x15 23-18 14x23 27x18x11"
    assert records.may_stop and records.refused == {}
    assert FORMATS[0].is_one(GAME_TEXT.encode()) and not FORMATS[0].is_one(b"11-15 23-19")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[GameType "20"] 1. 32-28 1-0', "another game"),
        ("1. 11-15 22-18", "cut-off record"),
        ("1. 11-15 {22-18 1-0", "comment without an end"),
        ("1. 11-15 (22-18 1-0", "variation without an end"),
        ("1. 11-15 ll-18 22-18 1-0", "not understood: ll-18"),
        ('[FEN "B:W99:B1"] 1. 1-5 1-0', "not readable"),
        ("1. 11-18 1-0", "illegal move"),
        ("1. 44-3 1-0", "illegal move"),
        ('[FEN "W:W14:B9"] 1. 14x5 5-1 1-0', "moves after the end"),
        ('[Event "none"] 1-0', "no moves"),
        ('[Event "none"]\n[Result "1-0"]', "no moves"),
        ("1. 11-15 22-183 22-18 1-0", "not understood: 22-183"),
        ("1. 11-15 Cross 22-18 1-0", "not understood: Cross"),
        ('[Result "0-1"] 1. 11-15 22-18 1-0', "tag and terminator have different results"),
        ('1. 11-15 [Event "a\n22-18 1-0', "not understood: ["),
    ],
)
def test_games_that_are_refused(tmp_path: Path, text: str, reason: str) -> None:
    records = read(tmp_path, f"1. 11-15 1-0\n{text}\n")
    assert records.refused == {reason: 1} and len(records) == 1


PLAIN = "1. 11-15 22-18 2. 15x22 25x18"


EARLIER = '[FEN "B:W18,22-32:B1-12"]'
FROM_EARLIER = "1. 11-15 18x11 2. 8x15 1-0"


@pytest.mark.parametrize(
    "tags",
    [
        f'[Event "x"]\n{EARLIER}\n[White "c"]\n[White "c"]\n[Result "1-0"]',
        f'[Event "x"]\n{EARLIER}\n[Date "1"]\n[Date "2"]\n[Result "1-0"]',
        f'[Event "x"]\n[Date "1"]\n{EARLIER}\n{{adjourned}}\n[Result "1-0"]',
        f'[Event "x"]\n[Site "y"]\n\n{EARLIER}\n\n[Result "1-0"]',
        f'[Event "x"]\n\n{{note}}\n{EARLIER}\n[White "c"]\n[Result "1-0"]',
        f'{EARLIER}\n[Result "1-0"]\n[White "c"]\n[Event "x"]',
    ],
)
@pytest.mark.parametrize("before", ["", f'[White "a"]\n[Result "1-0"]\n{PLAIN} 1-0\n\n'])
def test_tags_belong_to_the_moves_after_them(tmp_path: Path, tags: str, before: str) -> None:
    own = Position.parse(EARLIER.split('"')[1], GAME).words
    records = read(tmp_path, f"{before}{tags}\n{FROM_EARLIER}\n")
    assert records.refused == {} and len(records) == (2 if before else 1)
    assert tuple(records.starts[-1].tolist()) == own
    kind = f"{before}{tags}\n{FROM_EARLIER}\n".replace(EARLIER, '[GameType "23"]')
    assert read(tmp_path, kind).refused == {"another game": 1}


@pytest.mark.parametrize(
    "moves",
    [
        "1. ... 11-15 22-18",
        "1 11-15 22-18 2 15x22 25x18",
        "1) 11-15 22-18 2) 15x22 25x18",
        "1.11-15 1...22-18 2.15x22 2... 25x18",
        "1. 11-15+ 22-18+/- 2. 15x22 +- 25x18=",
        "11-15 (+) 22-18 (!?) 15x22 $ 4 25x18 $12",
        "11-15!? 22-18?! 15x22* 25x18 \u00b1",
        "11 - 15 22 -18 15:22 25 x 18",
        "11\u201315 22\u221218 15\u00d722 25X18",
        "11-15 N 22-18 adjudicated",
        "11-15 (22-17 (23-18) {)} 15-19) 22-18 (see game 2) 15x22",
        '11-15 {a [Event "x"] {b} 22-18 ; c } {\n% {escaped\n15x22',
        '11-15 {a\n[Event "x"]\nb} 22-18',
        "11-15 [%clk 0:10:02] 22-18",
    ],
)
@pytest.mark.parametrize("result", ["1/2", "1/2-1/2", "1/2 - 1/2", "\u00bd-\u00bd", "1-1"])
def test_odd_tokens_lose_no_game(tmp_path: Path, moves: str, result: str) -> None:
    game = f'[Event "a"]\n{moves} {result}\n\n'
    records = read(tmp_path, game * 2)
    assert records.refused == {} and records.results.tolist() == [0, 0]
    assert names_of(records)[1] == "22-18"


@pytest.mark.parametrize("text", ["", "no game at all", "{1. 11-15 1-0}", "[[[["])
def test_what_is_no_such_file(tmp_path: Path, text: str) -> None:
    with pytest.raises(UserError, match="pdn has no game in PDN, such as"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "(",
        "{",
        "{}",
        '\n[A "b"]{',
        "1 ",
        "a",
        "1 -",
        "$ ",
        '"',
        "1-",
        "1.",
        '[A "',
        "1-0",
        '[A "\\',
        ";",
    ],
)
def test_hostile_input_is_read_in_no_time(tmp_path: Path, piece: str) -> None:
    """It takes a quarter of a second; by the square of its length it would be many minutes."""
    (tmp_path / "games.pdn").write_text('[A "b"]' + piece * 200_000)
    began = time.process_time()
    for records in read_pdn(tmp_path / "games.pdn", GAME):
        assert len(records) == 0
    assert time.process_time() - began < 60


def test_a_game_is_written_as_it_is_read(tmp_path: Path) -> None:
    position = Position.parse("W:W10,11,18,K19:BK7,1", GAME)
    moves = [GAME.notation.read_move(position.legal_moves()[0])]
    position = position.play(moves[0])
    moves.append(GAME.notation.read_move(position.legal_moves()[0]))
    start = Position.parse("W:W10,11,18,K19:BK7,1", GAME)
    for result, told in ((1.0, "0-1"), (-1.0, "1-0"), (0.0, "1/2-1/2"), (math.nan, "*")):
        text = write_pdn(GameRecord(start, 3, moves, ('a "b"', "c\\d"), result, "t"))
        assert f'[Result "{told}"]' in text and '[Black "a \\"b\\""]' in text
        records = read(tmp_path, text)
        assert records.moves.tolist() == moves and records.sides.tolist() == [1]
        assert tuple(records.starts[0].tolist()) == start.words


def test_a_dataset_goes_out_and_in(tmp_path: Path) -> None:
    """Two games from the middle that end on the board."""
    (tmp_path / "games.pdn").write_text(
        WON.format(**BY_WHITE, result="1-0") + WON.format(**BY_BLACK, result="0-1")
    )
    data = import_games([tmp_path / "games.pdn"], tmp_path / "data", game=GAME)
    assert export(data, tmp_path / "again.pdn", "pdn") == 0
    again = import_games([tmp_path / "again.pdn"], tmp_path / "again", game=GAME, format="pdn")
    assert len(data) == 2 and again.frame().drop(columns="source").equals(
        data.frame().drop(columns="source")
    )

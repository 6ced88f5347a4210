"""The folder of an event, and what may befall it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from samuel.arena.journal import EVENT, JOURNAL, read_journal
from samuel.arena.match import match
from samuel.arena.records import GAMES, MOST_PLAYERS
from samuel.arena.results import MatchResult
from samuel.arena.standings import read_match
from samuel.common.errors import UserError
from samuel.search.limits import Limits
from tests.processes import start

GAME, PAIRS = "tic_tac_toe", 10


def play(out: Path | None, a: str = "classic", **more: Any) -> MatchResult:
    options: dict[str, Any] = {"game": GAME, "pairs": PAIRS, "limits": Limits(2)}
    return match(a, "zero", out=out, **options | more)


def lines(out: Path) -> list[bytes]:
    return (out / JOURNAL).read_bytes().splitlines(keepends=True)


def without_times(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns=["seconds_first", "seconds_second"])


def require_same(one: MatchResult, other: MatchResult) -> None:
    pd.testing.assert_frame_equal(without_times(one.frame()), without_times(other.frame()))


@pytest.fixture(scope="module")
def unbroken() -> MatchResult:
    return play(None)


@pytest.mark.parametrize("cut", [1, 2, 100, -1])
def test_a_line_that_was_cut_off_is_played_again(
    tmp_path: Path, unbroken: MatchResult, cut: int
) -> None:
    """Cut `cut` bytes off the last line; -1 leaves nothing but its first byte."""
    play(tmp_path)
    whole = lines(tmp_path)
    last = whole[-1][:-cut] if cut > 0 else whole[-1][:1]
    (tmp_path / JOURNAL).write_bytes(b"".join(whole[:-1]) + last)
    assert len(read_journal(tmp_path)[1]) == PAIRS - 1
    require_same(play(tmp_path), unbroken)
    again = lines(tmp_path)
    assert again[:-1] == whole[:-1] and len(again) == PAIRS
    assert json.loads(again[-1])[0]["number"] == PAIRS - 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: line[:40] + b"\n",
        lambda line: b"\xff\xfe" + line,
        lambda line: b"[]\n",
        lambda line: line.replace(b'"moves"', b'"movse"', 1),
        lambda line: line.replace(b'"result":', b'"result":"x",', 1).replace(b",-1.0", b"", 1),
    ],
)
def test_a_damaged_line_gets_one_sentence_and_nothing_is_lost(
    tmp_path: Path, unbroken: MatchResult, damage: Callable[[bytes], bytes]
) -> None:
    play(tmp_path)
    whole = lines(tmp_path)
    content = b"".join([*whole[:3], damage(whole[3]), *whole[4:]])
    (tmp_path / JOURNAL).write_bytes(content)
    for attempt in (lambda: play(tmp_path), lambda: read_journal(tmp_path)):
        with pytest.raises(UserError, match=r"line 4 of .*journal\.jsonl is damaged; delete") as e:
            attempt()
        assert "\n" not in str(e.value)
        assert (tmp_path / JOURNAL).read_bytes() == content
    (tmp_path / JOURNAL).write_bytes(b"".join([*whole[:3], *whole[4:]]))  # as it says
    require_same(play(tmp_path), unbroken)


@pytest.mark.parametrize(
    "change",
    [
        {"number": -1},
        {"number": 0},  # which stands there already
        {"pairing": 2**40},
        {"opening": [99]},
        {"opening": [-3]},
        {"moves": [8, 8]},
        {"result": 1.5},
        {"result": 10**400},
        {"result": None},
        {"ending": "by magic"},
        {"fault": 2},
        {"nodes": [-1, 0]},
        {"first": 0},
    ],
    ids=str,
)
def test_what_no_match_writes_is_a_damaged_line(tmp_path: Path, change: dict[str, Any]) -> None:
    play(tmp_path)
    whole = lines(tmp_path)
    pair = json.loads(whole[3])
    for name in change:
        for game in pair if name in ("number", "pairing", "opening") else pair[1:]:
            game[name] = change[name]
    content = b"".join([*whole[:3], json.dumps(pair).encode() + b"\n", *whole[4:]])
    (tmp_path / JOURNAL).write_bytes(content)
    for attempt in (
        lambda: play(tmp_path),
        lambda: read_match(tmp_path),
        lambda: read_journal(tmp_path),
    ):
        with pytest.raises(UserError, match=r"line 4 of .*journal\.jsonl is damaged; delete"):
            attempt()
    assert (tmp_path / JOURNAL).read_bytes() == content


@pytest.mark.parametrize("pairing", [0, MOST_PLAYERS, MOST_PLAYERS + 1])
def test_a_match_with_pairs_of_other_sides_is_damaged(tmp_path: Path, pairing: int) -> None:
    play(tmp_path)
    journal = tmp_path / JOURNAL
    journal.write_text(journal.read_text().replace('"pairing":1', f'"pairing":{pairing}'))
    with pytest.raises(UserError, match="is damaged: its files contradict each other; run"):
        read_match(tmp_path)


@pytest.mark.parametrize(
    ("more", "difference"),
    [
        ({"seed": 1}, "seed 0, not 1"),
        ({"limits": Limits(3)}, r"classic: limits depth 2, not depth 3"),
        ({"limits_b": Limits(3)}, r"zero: limits depth 2, not depth 3"),
        ({"a": "zero"}, "classic: "),
        ({"exact_from": 3}, "exact_from 0, not 3"),
        ({"opening_plies": 3}, "other openings"),
        ({"game": "connect_four"}, "game tic_tac_toe, not connect_four"),
        ({"adjudicate_from": 3}, "adjudicate_from 0, not 3"),
    ],
)
@pytest.mark.filterwarnings("ignore:no game is adjudicated")
def test_another_event_is_refused_with_the_difference(
    tmp_path: Path, more: dict[str, Any], difference: str
) -> None:
    play(tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    message = (
        rf"contains another match, tournament or tuning run \(({difference}).*choose another folder"
    )
    with pytest.raises(UserError, match=message):
        play(tmp_path, **more)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_changed_model_of_the_same_name_is_another(tmp_path: Path) -> None:
    play(tmp_path)
    event = json.loads((tmp_path / EVENT).read_text())
    event["players"][0]["digest"] = "0" * 16
    (tmp_path / EVENT).write_text(json.dumps(event))
    with pytest.raises(UserError, match="has changed since"):
        play(tmp_path)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 99}'])
def test_a_damaged_event_file_gets_one_sentence(tmp_path: Path, content: str) -> None:
    play(tmp_path)
    before = (tmp_path / JOURNAL).read_bytes()
    (tmp_path / EVENT).write_text(content)
    with pytest.raises(
        UserError, match=r"event\.json (is damaged|was written by a newer)"
    ) as error:
        play(tmp_path)
    assert "\n" not in str(error.value)
    assert (tmp_path / JOURNAL).read_bytes() == before


HOLD = """
import sys, time
from pathlib import Path
from samuel.common.files import holding
with holding(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(1000)
"""


def test_a_folder_in_use_by_another_process_is_refused(
    tmp_path: Path, unbroken: MatchResult
) -> None:
    play(tmp_path)
    before = (tmp_path / JOURNAL).read_bytes()
    holder = start("-c", HOLD, tmp_path)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(UserError, match="another run is writing to"):
        play(tmp_path)
    assert (tmp_path / JOURNAL).read_bytes() == before
    holder.kill()
    holder.communicate()
    require_same(play(tmp_path), unbroken)


def test_a_second_run_in_the_same_process_is_refused(tmp_path: Path) -> None:
    said: list[str] = []

    def again(result: MatchResult) -> None:
        if not said:
            with pytest.raises(UserError) as error:
                play(tmp_path)
            said.append(str(error.value))

    play(tmp_path, progress=again)
    assert "another run is writing to" in said[0]


def test_more_pairs_later_go_on_in_the_same_folder(tmp_path: Path) -> None:
    half = play(tmp_path, pairs=PAIRS // 2)
    assert len(half.pairs) == PAIRS // 2
    first = lines(tmp_path)
    require_same(play(tmp_path), play(None))
    assert lines(tmp_path)[: len(first)] == first and len(lines(tmp_path)) == PAIRS
    # and fewer count fewer, but lose none
    with pytest.warns(UserWarning, match="7 more pairs in"):
        fewer = play(tmp_path, pairs=3)
    require_same(fewer, play(None, pairs=3))
    assert len(lines(tmp_path)) == PAIRS
    assert len(pd.read_parquet(tmp_path / GAMES)) == 6


@pytest.mark.parametrize("left", [4096, 8192, 16384, 24576])
def test_a_full_disk_gets_one_sentence_and_the_match_can_go_on(small_disk: Path, left: int) -> None:
    options: dict[str, Any] = {"game": "connect_four", "pairs": 40, "seed": 1}
    filler, out = small_disk / "filler", small_disk / "event"
    filler.write_bytes(b"x" * (256 * 1024 - left - 4096))
    with pytest.raises(UserError, match=r"the disk is full: .* was not written") as error:
        play(out, **options)
    assert "\n" not in str(error.value)
    filler.unlink()
    require_same(play(out, **options), play(None, **options))
    assert len({tuple(json.loads(line)[0]["opening"]) for line in lines(out)}) == 40
    assert len(lines(out)) == 40
    assert not list(out.glob("*.partial"))


def test_a_journal_is_read_line_by_line(tmp_path: Path, unbroken: MatchResult) -> None:
    """Only some lines at a time are in memory, and each has a limit."""
    play(out := tmp_path / "m")
    journal = out / JOURNAL
    many = journal.read_bytes()
    first = json.loads(many.split(b"\n")[0])
    with journal.open("wb") as file:
        for number in range(2500):
            file.write(json.dumps([{**one, "number": number} for one in first]).encode() + b"\n")
    assert [pair[0].number for pair in read_journal(out)[1]] == list(range(2500))
    changed = json.dumps([{**one, "number": 2500, "pairing": -1} for one in first]).encode()
    for last, line in ((changed + b"\n", 2501), (b"x" * (1 << 20), 2501)):
        with journal.open("ab") as file:
            length = file.tell()
            file.write(last)
        with pytest.raises(UserError, match=f"line {line} of .* is damaged"):
            read_journal(out)
        os.truncate(journal, length)

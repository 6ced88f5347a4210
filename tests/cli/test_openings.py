"""`samuel openings`: its JSON, what it writes, its manner of failing."""

import json
import re
import signal
from pathlib import Path

import pytest

from samuel.arena.openings import openings_for
from samuel.arena.openings.book import read_book, shipped_book
from samuel.games import game_named
from tests.processes import TIMEOUT, start

OTHELLO = game_named("othello")


def test_the_book_of_the_package(run):
    found = run.json("openings --show 3 --seed 5")
    book, expected = shipped_book(OTHELLO), openings_for(OTHELLO, seed=5)
    assert (found["game"], found["plies"], found["positions"]) == ("othello", 8, 67_245)
    assert (found["evaluator"], found["depth"]) == ("learned", book.depth)
    assert found["openings"] == len(expected)
    assert [line["moves"] for line in found["lines"]] == expected[:3].transcripts()
    for line in found["lines"]:
        assert abs(line["score"]) <= book.balance
    assert found["within"][-1]["openings"] == 67_245
    scores = [part["score"] for part in found["within"]]
    assert scores == sorted(scores)


def test_a_book_of_ones_own(run):
    made = run.json("openings --plies 5 --depth 2 --evaluator wpc --balance 0.1 --out mine.npz")
    assert (made["positions"], made["plies"], made["evaluator"]) == (322, 5, "wpc")
    assert len(read_book("mine.npz")) == 322
    looked_at = run.json("openings mine.npz --balance 0.1 --out mine.txt")
    assert {**looked_at, "seconds": 0, "out": 0} == {**made, "seconds": 0, "out": 0}
    lines = Path("mine.txt").read_text().splitlines()
    assert len(lines) == made["openings"] < 322
    text = run.json("openings mine.txt --show 1")
    assert (text["openings"], text["plies"], text["digest"]) == (len(lines), [5, 5], made["digest"])
    assert text["lines"][0]["score"] is None


def test_another_game(run):
    found = run.json("openings --game tic-tac-toe --plies 2 --depth 9 --balance 0 --show 9")
    # known: drawn are one reply to a corner, one to the centre, and three to an edge
    assert (found["positions"], found["openings"]) == (12, 5)


def test_tables_for_people(run):
    out = run.quiet("openings --balance 0.5 --show 2")
    assert "learned at depth" in out and "67,245" in out
    assert len(re.findall(r"^([a-h][1-8]){8}  [+-]0\.\d\d$", out, re.MULTILINE)) == 2
    Path("mine.txt").write_text("f5d6\nd3c5\nf5d6c3\n")
    status, out, err = run("openings mine.txt")
    assert status == 0 and "2 to 3" in out
    assert err.startswith("samuel: note: mine.txt: 1 of 3 openings equal others")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("openings nowhere.txt", "txt does not exist; openings must be balanced, random"),
        ("openings nowhere.npz", "file nowhere.npz does not exist"),
        ("openings mine.txt", "mine.txt, line 2: move 2"),
        ("openings mine.txt --plies 4", "not both"),
        ("openings fine.txt --balance 4", "no scores"),
        (
            "openings fine.txt --out mine.npz",
            "npz cannot be a book: transcripts have no scores; give a",
        ),
        ("openings --out .", "is a folder"),
        ("openings --plies 12 --out book.txt", "too many openings of 12 plies"),
        ("openings --plies 2 --evaluator nobody", "no evaluator called 'nobody'"),
        ("openings --plies 2 --cluster nonsense", "no scheduler answers at 'nonsense'"),
        (
            "openings --plies 1 --depth 1 --balance 0",
            "no opening is that balanced: the best has the score 2",
        ),
        ("openings --game tic-tac-toe", "samuel has no book of openings for tic_tac_toe; make one"),
        ("openings --game pig", "pig has dice, so there is no book of openings"),
        ("openings --game othello-4x4 --plies 40", "over after 40 plies"),
    ],
)
def test_bad_input_gets_one_line(run, line, message):
    Path("mine.txt").write_text("f5d6\nf5a1\n")
    Path("fine.txt").write_text("f5d6\n")
    assert message in run.refused(line)
    assert sorted(path.name for path in Path().iterdir()) == ["fine.txt", "mine.txt"]


def test_wrong_usage_exits_with_two(run):
    for line in ("--plies -1", "--depth 0", "--balance -1", "--show -1", "a b", "--plies x"):
        run.misused(f"openings {line}")


@pytest.mark.slow
def test_ctrl_c_ends_it_at_once(tmp_path: Path) -> None:
    program = "from samuel.cli.main import main; main()"
    line = f"openings --plies 7 --depth 14 --out {tmp_path / 'book.npz'} --jobs 2"
    process = start("-c", program, *line.split())
    assert process.stderr is not None and process.stderr.readline()  # it says that it works
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, out, err.split("\n")[-2:]) == (130, "", ["samuel: interrupted", ""])
    assert not list(tmp_path.iterdir())


def test_help_has_an_example_that_works(run):
    _, out, _ = run("openings --help")
    text = re.sub(r"\n +", " ", out)
    example = re.search(r"Example: samuel (openings .*)", text)
    assert example
    assert run.json(example[1])["out"] == "my_book.txt"
    assert json.dumps(Path("my_book.txt").read_text())

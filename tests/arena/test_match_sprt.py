"""Matches that stop by a sequential test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samuel.arena.duel import Task, play_task
from samuel.arena.journal import JOURNAL, read_journal
from samuel.arena.match import match
from samuel.arena.records import Pair, read_games
from samuel.arena.results import MatchResult
from samuel.arena.sequential.sprt import Sprt
from samuel.search.limits import Limits
from tests.processes import eventually

TEST = Sprt(0, 60)


def play(a: str = "classic", b: str = "zero", **more: Any) -> MatchResult:
    options: dict[str, Any] = {
        "pairs": 300,
        "limits": Limits(1),
        "openings": "random",
        "sprt": TEST,
        "seed": 2,
    }
    return match(a, b, **options | more)


@pytest.fixture(scope="module")
def stopped() -> MatchResult:
    return play()


def counts_after(result: MatchResult) -> np.ndarray:
    """Return the pentanomial counts (pairs, 5) after each pair."""
    points = (np.sign(result.results).sum(axis=1) + 2).astype(int)
    return np.cumsum(np.eye(5, dtype=np.int64)[points], axis=0)


def test_it_stops_at_the_first_pair_that_decides(stopped: MatchResult) -> None:
    counts = counts_after(stopped)
    decisions = [TEST.state(row).decision for row in counts]
    assert 10 < len(decisions) < 300
    assert set(decisions[:-1]) == {"continue"} and decisions[-1] == "H1"
    state = stopped.state
    assert state is not None and state.decision == "H1" and state.llr >= state.upper
    assert stopped.statistics.pentanomial == tuple(counts[-1])


def test_where_it_stops_does_not_depend_on_who_is_slow(
    stopped: MatchResult, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The pairs that end first are not the first that count."""

    def held_up(task: Task) -> list[Pair]:
        if task.numbers[0] == 0:
            journal = tmp_path / JOURNAL
            assert eventually(lambda: journal.read_bytes().count(b"\n") > len(stopped.pairs))
        return play_task(task)

    monkeypatch.setattr("samuel.arena.running.play_task", held_up)
    result = play(jobs=2, out=tmp_path)
    assert np.array_equal(result.results, stopped.results)
    assert result.state == stopped.state
    assert [pair[0].number for pair in result.pairs] == list(range(len(stopped.pairs)))
    _, pairs = read_journal(tmp_path)
    ended = [pair[0].number for pair in pairs]
    assert ended[0] != 0  # or nobody was held up
    assert len(set(ended)) == len(ended)
    # what was played beyond is kept, and not counted
    assert len(ended) > len(result.pairs)
    games = read_games(tmp_path)
    assert len(games) == result.statistics.games == 2 * len(stopped.pairs)
    assert games["pair"].max() == len(stopped.pairs) - 1


def test_what_the_result_says_of_its_test(stopped: MatchResult) -> None:
    said = stopped.as_dict()["sprt"]
    assert (said["elo0"], said["elo1"], said["model"]) == (0, 60, "normalized")
    assert said["decision"] == "H1" and said["llr"] >= said["upper"]
    assert play(sprt=None, pairs=3).as_dict()["sprt"] is None


@pytest.mark.filterwarnings("ignore:the games in .* were played under another test")
def test_another_test_of_the_same_games_goes_on(tmp_path: Path, stopped: MatchResult) -> None:
    quick = play(out=tmp_path, sprt=Sprt(0, 200, 0.2, 0.2))
    assert len(quick.pairs) < len(stopped.pairs)
    later = play(out=tmp_path)
    assert np.array_equal(later.results, stopped.results)
    assert len(read_games(tmp_path)) == 2 * len(stopped.pairs)
    again = play(out=tmp_path, sprt=Sprt(0, 200, 0.2, 0.2))
    assert again.state == quick.state
    numbers = [pair[0].number for pair in read_journal(tmp_path)[1]]
    assert len(set(numbers)) == len(numbers)

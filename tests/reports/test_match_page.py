"""The page of a match: what it says, what it draws, which games it shows, and reading one back."""

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samuel.arena.match import match
from samuel.arena.results import MatchResult
from samuel.arena.sequential.sprt import Sprt
from samuel.arena.standings import read_match
from samuel.arena.statistics import match_statistics
from samuel.common.displayable import NOTHING, share_with_interval
from samuel.games import game_named
from samuel.reports import write_page
from samuel.reports.match.tables import match_table, player_table, verdict
from samuel.reports.match.view import (
    boards_of,
    course,
    games_to_see,
    llr_figure,
    pair_figure,
    result_figure,
    score_figure,
)
from samuel.reports.scenes import boards_html
from samuel.search.limits import Limits
from tests.arena.fakes import game_row

LEAST, MOST = [[-10, -10]], [[10, 10]]


def played(result, fault=None, plies=10):
    ending = "solved" if fault is None else "crash"
    spent = {"nodes": (2000, 6000), "seconds": (0.02, 0.04), "turns": (10, 10)}
    return game_row(
        result, moves=tuple(range(plies)), ending=ending, decided=4, fault=fault, **spent
    )


def result_of(results, game="othello", sprt=None, names=("new", "old")):
    results = np.array(results, np.float32)
    pairs = tuple((played(float(one)), played(float(other))) for one, other in results)
    players = [{"name": name, "engine": None, "limits": "depth 1"} for name in names]
    about = {"openings": "random", "sprt": sprt and asdict(sprt)}
    event = {"kind": "match", "players": players, "about": about}
    return MatchResult(event, game_named(game), pairs)


def test_a_match_without_games_has_no_speeds():
    empty = replace(result_of([[0, 0]]), pairs=())
    assert empty.nodes_per_second == empty.seconds_per_move == (0, 0)
    assert empty.measured_speeds == (None, None)


def with_games(games):
    pairs = [(games[k], games[k + 1]) for k in range(0, len(games), 2)]
    return replace(result_of([[0, 0]]), pairs=tuple(pairs))


@pytest.fixture(scope="module")
def event(tmp_path_factory):
    """Return a small match and its folder."""
    folder = tmp_path_factory.mktemp("match") / "event"
    return match(
        "zero", "classic", game="othello_4x4", pairs=10, limits=Limits(depth=1),
        limits_b=Limits(depth=2), openings="random", opening_plies=3,
        exact_from=3, out=folder,
    )  # fmt: skip


# the course


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(*2 * [st.sampled_from([-6.0, 0.0, 2.0])]), min_size=1, max_size=12))
def test_the_course_is_what_a_match_that_long_would_say(results):
    test = Sprt(0, 40)
    points = course(result_of(results, sprt=test))
    assert points["pairs"].tolist() == list(range(1, len(results) + 1))
    for k, row in enumerate(points.itertuples(), 1):
        scores = (np.sign(np.array(results[:k])) + 1) / 2
        found = match_statistics(scores[:, 0], scores[:, 1])
        assert (row.score, row.score_low, row.score_high) == (
            found.score,
            found.score_low,
            found.score_high,
        )
        assert row.llr == test.llr(found.pentanomial)


def test_the_pictures_show_the_figures():
    test = Sprt(0, 40)
    result = result_of(12 * MOST + 3 * [[2, -2]] + 2 * [[0, 2]] + LEAST, sprt=test)
    bars = [bar.get_height() for bar in pair_figure(result).axes[0].containers[0]]
    assert bars == list(result.statistics.pentanomial) == [1, 0, 3, 2, 12]
    (axis,) = score_figure(result).axes
    low, high = axis.get_ylim()
    assert low < min(0.5, result.statistics.score_low) and high > result.statistics.score_high
    (axis,) = llr_figure(result).axes
    low, high = axis.get_ylim()
    assert low < test.lower and high > max(test.upper, result.state.llr)
    (axis,) = result_figure(result).axes
    shares = {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in axis.patches}
    counts = Counter(result.results.ravel().astype(int).tolist())
    assert {x: n for x, n in shares.items() if n} == {
        x: pytest.approx(100 * n / 36) for x, n in counts.items()
    }


# the words


@pytest.mark.parametrize(
    ("results", "says"),
    [
        (20 * MOST + 2 * LEAST, "new is stronger than old. new scored 90.9 % of the points"),
        (2 * MOST + 20 * LEAST, "new is weaker than old."),
        (9 * MOST + 10 * LEAST, "do not show whether new or old is stronger."),
        (40 * MOST, "of the points: at least +406 Elo (95 %)."),
    ],
)
def test_the_verdict_of_a_match_of_fixed_length(results, says):
    assert says in verdict(result_of(results))
    assert "nan" not in verdict(result_of(results))


@pytest.mark.parametrize(
    ("test", "results", "says"),
    [
        (Sprt(0, 60), 90 * MOST + 9 * LEAST, "new is stronger than old: it passed the test"),
        (Sprt(-60, 0), 90 * MOST + 9 * LEAST, "new is not 60 nElo weaker than old: it passed"),
        (Sprt(0, 60), 9 * MOST + 90 * LEAST, "new is not 60 nElo stronger than old: it failed"),
        (Sprt(-60, -5), 9 * MOST + 90 * LEAST, "new is weaker than old: it failed the test"),
        (Sprt(0, 1), MOST + LEAST, "The test is not decided."),
    ],
)
def test_the_verdict_of_a_sequential_test(test, results, says):
    result = result_of(results, sprt=test)
    found = result.statistics
    said = verdict(result)
    assert said.startswith(says)
    assert f": {found.elo:+.0f} Elo (95 %" in said


def test_the_table_of_figures():
    result = result_of(12 * MOST + 3 * [[2, -2]] + [[0, 0]] + LEAST)
    s = result.statistics
    rows = dict(match_table(result).rows)
    assert rows["games"] == "34: 27 won, 2 drawn, 5 lost"
    assert rows["score"] == share_with_interval(s.score, s.score_low, s.score_high)
    assert rows["Elo"].startswith(f"{s.elo:+.0f} (+")
    assert rows["normalized Elo"].startswith(f"{s.nelo:+.0f} (+")
    assert rows["mean result (discs)"].startswith("+6.47 (")  # 220 discs in 34 games


def test_the_table_of_players():
    results = [[4, 4], [-4, -4], [4, -2], [-4, 2]]
    result = result_of(results)
    # with the first move new won twice of four, as the second it won the first and the last game
    rows = {name: cells for name, *cells in player_table(result).rows}
    assert rows["score when moving first after the opening"] == ["50.0 %", "50.0 %"]
    assert rows["time per move"] == ["2 ms", "4 ms"]
    assert rows["nodes per second"] == ["100 k", "150 k"]
    rows = {name: cells for name, *cells in player_table(result_of([[4, 4], [4, 4]])).rows}
    assert rows["nodes per second"] == [NOTHING, "150 k"]  # of A in 0.08 s
    result = result_of([[4, -2], [4, 2], [4, -2]])
    rows = {name: cells for name, *cells in player_table(result).rows}
    assert rows["score when moving first after the opening"] == ["100.0 %", "66.7 %"]
    assert rows["score when moving second"] == ["33.3 %", "0.0 %"]


# the games


def test_faults_come_first_and_are_no_clear_wins():
    games = [played(x) for x in (4, 40, -2, 60, -50, 12, -30, 8)]
    games[5], games[7], games[0] = played(64, 1), played(-64, 0), played(64, 1)
    shown = games_to_see(with_games(games))
    assert [(2 * one.place + one.turn, one.why) for one in shown] == [
        (0, "Forfeited by old"),
        (3, "One of the clearest wins of new"),
        (4, "One of the clearest wins of old"),
        (2, "One of the closest games"),
        (5, "Forfeited by old"),
    ]
    only_faults = games_to_see(with_games([played(64, 1), played(-64, 0)]))
    assert [one.why[-3:] for one in only_faults] == ["old", "new"]


def stones(board, who):
    return board.count(f'fill="{dict(X="#16191c", O="#f7f7f2")[who]}" stroke')


def test_boards_go_from_the_opening_to_the_end_with_the_first_player_dark(event):
    for place, pair in enumerate(event.pairs):
        for turn, game in enumerate(pair):
            moves = game.line
            positions = boards_of(game.begin(event.game), moves, len(game.opening))
            assert len(positions) == min(6, len(game.moves) + 1)
            assert next(iter(positions)) == "after the opening, ply 3"
            assert f"at the end, ply {len(moves)}" in positions
            boards = [boards_html({"": position}) for position in positions.values()]
            name_of = event.game.notation.write_move
            placed = sum(name_of(move) != "pass" for move in moves[:3])
            assert stones(boards[0], "X") + stones(boards[0], "O") == 4 + placed
            dark, light = stones(boards[-1], "X"), stones(boards[-1], "O")
            empty = 16 - dark - light
            first = (turn + 3) % 2  # after three plies the second player has the move
            expected = dark - light + empty * np.sign(dark - light)
            assert game.result * (1 - 2 * first) == expected, (place, turn)


# the page


def test_the_page_stands_alone(event, tmp_path):
    both = zip(event.event["players"], ("A <1>", "B & C"), strict=True)
    told = {"players": [one | {"name": name} for one, name in both]}
    told["about"] = event.event["about"] | {"sprt": asdict(Sprt(0, 20))}
    named = replace(event, event=event.event | told)
    path = write_page(tmp_path / "page.html", named)
    page = path.read_text()
    assert "<title>A &lt;1&gt; against B &amp; C</title>" in page
    assert "A <1>" not in page and "B & C" not in page
    for heading in ("Difference in strength", "The sequential test", "Games to look at"):
        assert f"<h2>{heading}</h2>" in page
    assert "depth 1 against depth 2" in page and "random, 3 plies" in page
    assert page.count("<h3>") == 5 and page.count("<p></p>") == 0
    assert "http" not in page.replace("http://www.w3.org", "")
    assert not re.search(r"\bnan\b|\binf\b", re.sub("<[^>]*>", " ", page))
    for part in page.split("<svg")[1:]:
        ElementTree.fromstring(f"<svg{part.split('</svg>')[0]}</svg>".replace("xlink:", ""))


# a match read from its folder


def test_a_match_read_back_is_the_match(event):
    again = read_match(event.out)
    assert again.pairs == event.pairs and (again.results == event.results).all()
    assert again.results.dtype == np.float32
    assert again.as_dict() == event.as_dict()
    assert again.limits == event.limits == "depth 1 against depth 2"
    assert again.frame().equals(event.frame())

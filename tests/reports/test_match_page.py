"""The page of a match: what it says, what it draws, which games it shows, and reading one back."""

import json
import re
import shlex
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samuel.arena import match, tournament
from samuel.arena.records import PlayedGame, PlayedPair, Spent
from samuel.arena.results import MatchResult, read_match
from samuel.arena.sequential import Sprt
from samuel.arena.statistics import match_statistics
from samuel.cli.main import main
from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.reports.boards import STONES
from samuel.reports.match.games import boards_of, game_html, games_to_see
from samuel.reports.match.page import (
    figure_table,
    player_table,
    setting_table,
    verdict,
    write_match_page,
)
from samuel.reports.match.pictures import (
    course,
    llr_figure,
    pair_figure,
    result_figure,
    score_figure,
)
from samuel.reports.tables import NOTHING
from samuel.search.limits import Limits

MINUS = "\u2212"
LEAST, MOST = [[-10, -10]], [[10, 10]]


def played(result, fault=None, plies=10):
    ending = "solved" if fault is None else "crash"
    spent = (Spent(2000, 0.02, 10), Spent(6000, 0.04, 10))
    return PlayedGame(result, tuple(range(plies)), ending, 4, fault, "", spent)


def result_of(results, game="othello", sprt=None, settings=("depth 1",), names=("new", "old")):
    results = np.array(results, np.float32)
    pairs = tuple(
        PlayedPair(0, k, k % len(settings), (), (played(float(one)), played(float(other))))
        for k, (one, other) in enumerate(results)
    )
    limits = "; ".join(settings)
    return MatchResult(*names, limits, pairs, settings, "random", game_named(game), sprt)


def with_games(games):
    pairs = [
        PlayedPair(0, k // 2, 0, (), (games[k], games[k + 1])) for k in range(0, len(games), 2)
    ]
    return replace(result_of([[0, 0]]), pairs=tuple(pairs))


@pytest.fixture(scope="module")
def event(tmp_path_factory):
    """Return a small match at two depths, and its folder."""
    folder = tmp_path_factory.mktemp("match") / "event"
    limits = [Limits(depth=1), Limits(depth=2)]
    return match(
        "zero", "classic", game="othello_4x4", pairs=10, limits=limits,
        limits_b=[Limits(depth=2), Limits(depth=2)], openings="random", opening_plies=3,
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


def test_a_long_course_is_thinned():
    points = course(result_of(np.tile([[2, -2], [2, 2], [0, 2]], (1500, 1))))
    pairs = points["pairs"].to_numpy()
    assert len(pairs) == 1000 and (pairs[0], pairs[-1]) == (1, 4500)
    assert np.diff(pairs).min() >= 4 and np.diff(pairs).max() <= 5
    assert points["llr"].isna().all()


def test_the_pictures_show_the_figures():
    test = Sprt(0, 40)
    result = result_of(12 * MOST + 3 * [[2, -2]] + 2 * [[0, 2]] + LEAST, sprt=test)
    points = course(result)
    bars = [bar.get_height() for bar in pair_figure(result).axes[0].containers[0]]
    assert bars == list(result.statistics.pentanomial) == [1, 0, 3, 2, 12]
    (axis,) = score_figure(points, "new").axes
    low, high = axis.get_ylim()
    assert low < min(0.5, result.statistics.score_low) and high > result.statistics.score_high
    (axis,) = llr_figure(points, result.state).axes
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
        (20 * MOST + 2 * LEAST, "new is stronger than old. new scored 90.9% of the points"),
        (2 * MOST + 20 * LEAST, "new is weaker than old."),
        (9 * MOST + 10 * LEAST, "do not show whether new or old is stronger."),
        (40 * MOST, "discs per game: at least +406 Elo (95 %)."),
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
        (Sprt(0, 1), MOST + LEAST, "The test is not decided after 2 pairs of games."),
    ],
)
def test_the_verdict_of_a_sequential_test(test, results, says):
    result = result_of(results, sprt=test)
    found = result.statistics
    said = verdict(result)
    assert said.startswith(says)
    assert f": {found.elo:+.0f} Elo (95 %".replace("-", MINUS) in said


def test_games_without_a_unit_need_no_word_for_it():
    said = verdict(result_of([[1, -1], [1, 1]], game="connect_four"))
    assert "a mean result of +0.50 per game" in said
    assert "+5.00 discs per game" in verdict(result_of([[10, 0]]))


def test_the_table_of_figures():
    result = result_of(12 * MOST + 3 * [[2, -2]] + [[0, 0]] + LEAST)
    s = result.statistics
    rows = {name: cells for name, *cells in figure_table(result).rows}
    assert rows["games won, drawn, lost"][0] == "27, 2, 5"
    assert rows["score"] == [f"{s.score:.1%}", f"{s.score_low:.1%} to {s.score_high:.1%}"]
    assert rows["Elo"][0] == f"{s.elo:+.0f}" and rows["normalized Elo"][0] == f"{s.nelo:+.0f}"
    assert rows["mean result (discs)"][0] == "+6.47"  # 220 discs in 34 games


def test_certainty_is_not_claimed():
    rows = {name: cells for name, *cells in figure_table(result_of(40 * MOST)).rows}
    assert rows["likelihood of superiority"] == ["> 99.9%", ""]
    assert rows["Elo"][0] == NOTHING and rows["Elo"][1].startswith("at least +")


def test_settings_and_players():
    results = [[4, 4], [-4, -4], [4, -2], [-4, 2]]
    result = result_of(results, settings=("depth 1", "depth 2"))
    assert [row[:3] for row in setting_table(result).rows] == [
        ["depth 1", "4", "75.0%"],
        ["depth 2", "4", "25.0%"],
    ]
    # with the first move new won twice of four, as the second it won the first and the last game
    rows = {name: cells for name, *cells in player_table(result).rows}
    assert rows["score when moving first after the opening"] == ["50.0%", "50.0%"]
    assert rows["time per move"] == ["2 ms", "4 ms"]
    assert rows["nodes per second"] == ["100 k", "150 k"]
    rows = {name: cells for name, *cells in player_table(result_of([[4, 4], [4, 4]])).rows}
    assert rows["nodes per second"] == [NOTHING, "150 k"]  # of A in 0.08 s
    result = result_of([[4, -2], [4, 2], [4, -2]])
    rows = {name: cells for name, *cells in player_table(result).rows}
    assert rows["score when moving first after the opening"] == ["100.0%", "66.7%"]
    assert rows["score when moving second"] == ["33.3%", "0.0%"]


def test_faults_are_counted_against_who_made_them():
    result = with_games([played(64.0, fault=1), played(2.0), played(-64.0, fault=0), played(64.0)])
    rows = {name: cells for name, *cells in player_table(result).rows}
    assert rows["games forfeited (crash)"] == ["1", "1"]
    assert "new forfeited 1 of the 4 games." in verdict(result)
    assert "old forfeited 1 of the 4 games." in verdict(result)
    result = with_games([played(64.0, fault=1), played(2.0)])
    assert "new forfeited" not in verdict(result)
    assert player_table(result).rows[-1] == ["games forfeited (crash)", "0", "1"]
    assert len(player_table(with_games([played(2.0), played(2.0)])).rows) == 4


# the games


def test_five_games_to_look_at():
    games = [played(x) for x in (4, 40, -2, 62, -50, 12, -30, 8)]
    shown = games_to_see(with_games(games))
    assert [(2 * one.place + one.turn, one.why) for one in shown] == [
        (3, "One of the clearest wins of new"),
        (4, "One of the clearest wins of old"),
        (2, "One of the closest games"),
        (1, "One of the clearest wins of new"),
        (6, "One of the clearest wins of old"),
    ]


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


def test_among_equal_results_the_short_win_is_clear_and_the_long_game_close():
    games = [played(1.0, plies=n) for n in (9, 7, 40, 12)]
    shown = games_to_see(with_games(games))
    assert [(2 * one.place + one.turn, one.why[:18]) for one in shown] == [
        (1, "One of the cleares"),
        (2, "One of the closest"),
        (0, "One of the cleares"),
        (3, "One of the closest"),
    ]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(-64, 64), st.sampled_from([None, None, 0, 1])), max_size=20))
def test_no_game_is_shown_twice(outcomes):
    games = [played(float(r) if f is None else 64.0 * (2 * f - 1), f) for r, f in outcomes]
    games += [played(0.0)] * (2 - len(games) % 2)
    shown = games_to_see(with_games(games))
    assert len({one[1:] for one in shown}) == len(shown) == min(5, len(games))


def stones(board, who):
    return board.count(f'fill="{STONES[who]}" stroke')


def test_boards_go_from_the_opening_to_the_end_with_the_first_player_dark(event):
    for place, pair in enumerate(event.pairs):
        for turn, game in enumerate(pair.games):
            moves = (*pair.opening, *game.moves)
            boards = boards_of(pair.begin(event.game), moves, len(pair.opening))
            assert len(boards) == min(6, len(game.moves) + 1)
            assert "after the opening, ply 3" in boards[0]
            assert f"at the end, ply {len(moves)}" in boards[-1]
            name_of = event.game.notation.write_move
            placed = sum(name_of(move) != "pass" for move in moves[:3])
            assert stones(boards[0], "X") + stones(boards[0], "O") == 4 + placed
            dark, light = stones(boards[-1], "X"), stones(boards[-1], "O")
            empty = 16 - dark - light
            first = (turn + 3) % 2  # after three plies the second player has the move
            expected = dark - light + empty * np.sign(dark - light)
            assert game.result * (1 - 2 * first) == expected, (place, turn)


def test_the_words_over_a_game(event):
    for shown in games_to_see(event):
        pair, number = event.pairs[shown.place], 2 * shown.place + shown.turn
        row = event.frame().iloc[number]
        text = game_html(event, shown)
        assert f"Game {number + 1}, {row['setting']}: " in text
        assert f"{row['first']} (Black) against {row['second']} (White)" in text
        result = f"{pair.games[shown.turn].result:+zg} for zero".replace("-", MINUS)
        assert result in text and row["moves"] in text


def test_short_games_and_games_without_a_board(event, monkeypatch):
    assert len(boards_of(Position.start(event.game), event.pairs[0].opening, 3)) == 1
    monkeypatch.setattr("samuel.reports.match.games.position_svg", lambda *arguments: None)
    boards = boards_of(Position.start(event.game), event.pairs[0].opening, 2)
    assert boards[-1].startswith("<pre>at the end, ply 3\n") and "X" in boards[-1]


# the page


def test_the_page_stands_alone(event, tmp_path):
    named = replace(event, a="A <1>", b="B & C", sprt=Sprt(0, 20))
    path = write_match_page(tmp_path / "page.html", named)
    page = path.read_text()
    assert "<title>A &lt;1&gt; against B &amp; C</title>" in page
    assert "A <1>" not in page and "B & C" not in page
    for heading in (
        "Difference in strength",
        "The sequential test",
        "By setting",
        "Games to look at",
    ):
        assert f"<h2>{heading}</h2>" in page
    assert "depth 1 against depth 2; depth 2" in page and "random, 3 plies" in page
    assert page.count("<h3>") == 5 and page.count("<p></p>") == 0
    assert "http" not in page.replace("http://www.w3.org", "")
    assert not re.search(r"\bnan\b|\binf\b", re.sub("<[^>]*>", " ", page))
    for part in page.split("<svg")[1:]:
        ElementTree.fromstring(f"<svg{part.split('</svg>')[0]}</svg>".replace("xlink:", ""))


def test_what_there_is_not_has_no_section(tmp_path):
    alone = match(
        "classic", "zero", game="connect_four", pairs=2, limits=Limits(depth=1),
        openings="random",
    )  # fmt: skip
    page = write_match_page(tmp_path / "page.html", alone).read_text()
    assert "The sequential test" not in page and "By setting" not in page
    assert "Connect four: 2 openings" in page and "(result)" not in page


def test_a_page_that_cannot_be_written_is_not_begun(event, tmp_path):
    with pytest.raises(UserError, match="nothing to show"):
        write_match_page(tmp_path / "page.html", replace(event, pairs=()))
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="a file stands where a folder is needed"):
        write_match_page(tmp_path / "file" / "page.html", event)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# a match read from its folder


def test_a_match_read_back_is_the_match(event):
    again = read_match(event.out)
    assert again.pairs == event.pairs and (again.results == event.results).all()
    assert again.results.dtype == np.float32
    assert again.as_dict() == event.as_dict()
    assert (
        again.settings == event.settings == ("depth 1 against depth 2", "depth 2 against depth 2")
    )
    assert again.frame().equals(event.frame())


def test_pairs_in_any_order_and_pairs_after_the_stop(event, tmp_path):
    lines = (event.out / "journal.jsonl").read_text().splitlines()
    later = json.loads(lines[0]) | {"number": 99}
    for name in ("event.json", "games.parquet"):
        (tmp_path / name).write_bytes((event.out / name).read_bytes())
    lines = [*lines[::-1], json.dumps(later)]
    (tmp_path / "journal.jsonl").write_text("\n".join(lines) + "\n")
    assert read_match(tmp_path).pairs == event.pairs


def test_a_folder_that_is_no_match_gets_one_sentence(event, tmp_path):
    with pytest.raises(UserError, match=r"event\.json is missing"):
        read_match(tmp_path)
    for name in ("event.json", "journal.jsonl"):
        (tmp_path / name).write_bytes((event.out / name).read_bytes())
    with pytest.raises(UserError, match="holds no games"):
        read_match(tmp_path)
    (tmp_path / "games.parquet").write_bytes((event.out / "games.parquet").read_bytes())
    content = json.loads((tmp_path / "event.json").read_text())
    for key in ("kind", "players", "game", "about"):
        less = {name: value for name, value in content.items() if name != key}
        (tmp_path / "event.json").write_text(json.dumps(less))
        with pytest.raises(UserError, match="is damaged"):
            read_match(tmp_path)
    (tmp_path / "event.json").write_text(json.dumps(content))
    (tmp_path / "journal.jsonl").write_text("")
    with pytest.raises(UserError, match="is damaged"):
        read_match(tmp_path)


def test_a_tournament_is_no_match(tmp_path):
    tournament(
        ["classic", "zero"], game="tic_tac_toe", pairs=1, limits=Limits(depth=1),
        openings="random", out=tmp_path / "event",
    )  # fmt: skip
    with pytest.raises(UserError, match="is the folder of a round-robin, not of a match"):
        read_match(tmp_path / "event")


# the commands


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def run(line):
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(line))
        return int(stop.value.code or 0), *capsys.readouterr()

    return run


MATCH = "match classic zero --game tic_tac_toe --depth 1 --pairs 3 --openings random"


def test_a_match_with_its_page(run, tmp_path):
    status, out, _ = run(f"{MATCH} --sprt 0,20 --report pages/match.html --json")
    assert status == 0 and json.loads(out)["games"] == 6
    page = (tmp_path / "pages" / "match.html").read_text()
    assert "classic against zero" in page and "The sequential test" in page


def test_a_page_of_games_played_earlier(run, tmp_path):
    assert run(f"{MATCH} --sprt 0,20 --out event --report first.html")[0] == 0
    status, out, _ = run("games event --report page.html")
    assert status == 0 and "games" in out
    pages = [(tmp_path / name).read_text() for name in ("first.html", "page.html")]
    assert pages[0] == pages[1] and "The sequential test" in pages[0]


def test_a_report_that_cannot_be_written_is_refused_before_the_games(run, tmp_path):
    (tmp_path / "folder").mkdir()
    status, out, err = run(f"{MATCH} --out event --report folder")
    assert (status, out, err.count("\n")) == (1, "", 1) and "is a folder" in err
    assert not (tmp_path / "event").exists()
    status, out, err = run("games nowhere --report page.html")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert not (tmp_path / "page.html").exists()

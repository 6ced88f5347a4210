import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import numpy as np
import pytest

from samuel.arena.ratings import Games, rate
from samuel.common.displayable import share
from samuel.common.errors import UserError
from samuel.reports.html import write_page
from samuel.reports.tournament import (
    cross_table,
    los_table,
    results_between,
    standings_table,
    tournament_view,
)

NAMES = ["weak", "strong <1>", "absent"]
GAMES = Games.of(
    first=[1, 0, 1, 0, 1, 0], second=[0, 1, 0, 1, 0, 1], score=[1, 0, 1, 0.5, 1, 1],
    pair=[0, 0, 1, 1, 2, 2],
)  # fmt: skip


@pytest.fixture(scope="module")
def ratings():
    return rate(NAMES, GAMES, resamples=200)


def test_results_are_counted_from_both_sides():
    results = results_between(GAMES, 3)
    assert results[1, 0].tolist() == [4, 1, 1] and results[0, 1].tolist() == [1, 1, 4]
    assert results[2].sum() == 0 and np.trace(results.sum(axis=2)) == 0


def test_the_cross_table(ratings):
    table = cross_table(ratings, GAMES)
    assert list(table.columns)[-3:] == ["1", "2", "3"]
    assert [row[1] for row in table.rows] == ["strong <1>", "absent", "weak"]
    first, absent, last = table.rows
    assert first[2:] == ["", "", "75.0 %\n+4 =1 -1"] and last[2:] == ["25.0 %\n+1 =1 -4", "", ""]
    assert absent[2:] == ["", "", ""]
    assert table.tints == {(0, 4): 0.5, (2, 2): -0.5}


def test_standings_and_superiority(ratings):
    rows = standings_table(ratings).rows
    assert [row[0] for row in rows] == ["1", "2", "3"] and rows[-1][-1] == "\u2013"
    assert [row[3:5] for row in rows] == [["6", "75.0 %"], ["0", "\u2013"], ["6", "25.0 %"]]
    assert rows[0][2].startswith("+") and rows[2][2].startswith("-")
    assert len(los_table(ratings).rows) == 3
    shown = los_table(ratings)
    assert shown.rows[0][2] == shown.rows[2][4] == ""
    assert shown.rows[0][4] == share(ratings.los[1, 0])


def test_the_page_stands_alone(ratings, tmp_path):
    said = {"kind": "A & B", "numbers": (), "about": "Depth 4 <fast>"}
    result = SimpleNamespace(ratings=ratings, games=GAMES, **said)
    path = write_page(tmp_path / "page.html", tournament_view(result))
    page = path.read_text()
    assert "<title>Tournament: A &amp; B</title>" in page and "Depth 4 &lt;fast&gt;" in page
    assert "strong &lt;1&gt;" in page and "+4 =1 \u22121</small>" in page
    assert page.count("<table>") == 3 and page.count("<svg") == 1
    assert "http" not in page.replace("http://www.w3.org", "")
    for part in page.split("<svg")[1:]:
        ElementTree.fromstring(f"<svg{part.split('</svg>')[0]}</svg>".replace("xlink:", ""))
    with pytest.raises(UserError):
        write_page(tmp_path / "page.html" / "inside", tournament_view(result))

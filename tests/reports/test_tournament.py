import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import numpy as np
import pytest

from samuel.arena.ratings import Games, rate
from samuel.common.errors import UserError
from samuel.reports.tournament import (
    cross_table,
    los_table,
    results_between,
    standings_table,
    write_tournament_page,
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
    assert table.headings[-3:] == ["1", "2", "3"]
    assert [row[1] for row in table.rows] == ["strong <1>", "absent", "weak"]
    first, absent, last = table.rows
    assert first[4:] == ["6", "75.0%", "", "", "75.0%\n+4 =1 \u22121"]
    assert last[4:] == ["6", "25.0%", "25.0%\n+1 =1 \u22124", "", ""]
    assert absent[4:] == ["0", "\u2013", "", "", ""]
    assert first[2].startswith("+") and last[2].startswith("\u2212")


def test_standings_and_superiority(ratings):
    rows = standings_table(ratings).rows
    assert [row[0] for row in rows] == ["1", "2", "3"] and rows[-1][-1] == "\u2013"
    assert len(los_table(ratings).rows) == 3
    shown = los_table(ratings)
    assert shown.rows[0][2] == shown.rows[2][4] == ""
    assert shown.rows[0][4] == f"{ratings.los[1, 0]:.1%}"


def test_the_page_stands_alone(ratings, tmp_path):
    said = {"kind": "A & B", "numbers": (), "about": "Depth 4 <fast>"}
    result = SimpleNamespace(ratings=ratings, games=GAMES, **said)
    path = write_tournament_page(tmp_path / "page.html", result)
    page = path.read_text()
    assert "<title>Tournament: A &amp; B</title>" in page and "Depth 4 &lt;fast&gt;" in page
    assert "strong &lt;1&gt;" in page and "+4 =1 \u22121" in page
    assert page.count("<table>") == 2 and page.count("<svg") == 1
    assert "http" not in page.replace("http://www.w3.org", "")
    for part in page.split("<svg")[1:]:
        ElementTree.fromstring(f"<svg{part.split('</svg>')[0]}</svg>".replace("xlink:", ""))
    with pytest.raises(UserError):
        write_tournament_page(tmp_path / "page.html" / "inside", result)

"""One drawing of tables and pictures: on a page, in a terminal and in a notebook."""

from pathlib import Path

import pytest
from markupsafe import Markup

from samuel.cli.common import console, show
from samuel.common.displayable import Picture, Table
from samuel.reports.html import html_of, typeset, write_page
from samuel.reports.views import View

TABLE = Table(
    "Results <1>",
    ["", "player & co", "score", "page"],
    [["1", "a <b>", "75.0 %\n+3 =0 -1", Path("/runs/x/page.html")], ["2", "c", "", ""]],
    ["A note: -1.", "samuel match \\\n  --pairs -5"],
    tints={(0, 2): 0.5},
)
FOLDED = Table("Details", ["", ""], [["key", "value"]], detail=True)
PICTURE = Picture("Results <1>", lambda: Markup("<svg/>"), ["Bars."], subtitle="Upper")
VIEW = View("Title", ["About <it>.", "", "More."], [TABLE, PICTURE, FOLDED])


def test_a_page_escapes_links_folds_and_tints(tmp_path: Path) -> None:
    page = write_page(tmp_path / "page.html", VIEW).read_text()
    assert "<title>Title</title>" in page and "About &lt;it&gt;." in page and "<p></p>" not in page
    assert page.count("<section>") == 2 and page.count("<h2>Results &lt;1&gt;</h2>") == 1
    assert "<h3>Upper</h3>" in page and "<svg/>" in page and "<th>score</th>" in page
    assert "<details><summary>1 rows</summary>" in page and page.count("<thead>") == 1
    assert "75.0 %<br><small>+3 =0 \N{MINUS SIGN}1</small>" in page and "background:#c8503c" in page
    assert "<p>A note: \N{MINUS SIGN}1.</p>" in page and "--pairs -5</pre>" in page
    assert '<td class="text">a &lt;b&gt;</td>' in page
    notebook = html_of(VIEW, "/runs")
    assert '<a href="x/page.html">x/page.html</a>' in notebook and "<title>" not in notebook


def test_a_terminal_shows_all_but_details(capsys: pytest.CaptureFixture[str]) -> None:
    show(VIEW, console())
    shown = capsys.readouterr().out
    for words in ("Results <1>", "a <b>", "+3 =0 -1", "page.html", "A note: -1.", "About <it>."):
        assert words in shown
    assert "Details" not in shown and "Bars" not in shown


def test_columns_of_numbers_are_told_from_words() -> None:
    cells = [["+1 (-2 to +3)", "< 0.1 %", "\u2013", "at least +3", "3 pairs", "x"]]
    assert Table("", ["a"] * 6, cells).words == [5]
    assert Table("", ["", ""], [["games", "3"]]).words == [0, 1]


def test_minus_and_order_are_typeset_but_options_and_names_are_not() -> None:
    assert typeset("-1 <= x-1 >= --pairs") == "\u22121 \u2264 x-1 \u2265 --pairs"

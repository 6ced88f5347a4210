"""The board in a real browser: whole games by clicking, analysis, reasons, reports.

Needs Chromium and playwright (`make browser`); pictures of what is seen lie in build/screenshots.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.play.web.looks import LONG, SIZES, faults_of
from tests.processes import TIMEOUT

pytestmark = pytest.mark.slow


@pytest.fixture(params=SIZES)
def page(browser: Any, address: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page that has been opened, and looks right and has had no error when it is closed."""
    opened = browser.new_page(viewport=SIZES[request.param], bypass_csp=True)
    opened.set_default_timeout(LONG)
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.goto(address)
    opened.wait_for_selector("#board svg")
    yield opened
    assert errors == [] and opened.locator("#error").is_hidden(), opened.inner_text("#error")
    assert not faults_of(opened, f"board {request.node.name}", [request.param])
    opened.close()


def click_a_move(page: Any) -> None:
    """Click the way of some legal move, place by place."""
    before = page.evaluate("document.querySelectorAll('#legal button').length")
    assert before
    for _ in range(12):
        buttons = page.locator("#confirm:not([hidden]) button")
        if buttons.count():
            buttons.first.click()
            return
        places = page.locator("#board .place.can:not(.chosen)")
        if not places.count():
            places = page.locator("#board .place.can")
        if not places.count():
            return
        turn = page.input_value("#transcript")
        places.first.click()
        page.wait_for_timeout(60)
        if page.input_value("#transcript") != turn:
            return


@pytest.mark.parametrize("game", ["othello", "checkers", "backgammon"])
def test_a_whole_game_is_played_by_clicking(page: Any, game: str) -> None:
    page.select_option("#game", game)
    page.wait_for_function(f"document.querySelector('#board svg').ariaLabel.includes('{game}')")
    page.select_option("#level-1", "1")
    until = time.monotonic() + TIMEOUT
    while time.monotonic() < until:
        text = page.inner_text("#status")
        if "wins" in text or "a draw" in text:
            break
        if page.locator("#board .place.can").count():
            click_a_move(page)
        else:
            page.wait_for_timeout(30)
    assert "wins" in page.inner_text("#status") or "a draw" in page.inner_text("#status")


def begin_chess(page: Any, fen: str = "") -> None:
    """Show chess on the board, two people playing it from a position."""
    page.select_option("#game", "chess")
    page.wait_for_selector("#board svg:not(.stale) .figure")
    page.select_option("#who-1", "")
    if fen:
        page.locator("#text details").evaluate("(one) => { one.open = true; }")
        page.fill("#position", fen)
        page.click("#set-position")
        page.wait_for_function(
            f"document.querySelector('#transcript').value.startsWith('{fen.split()[0]}')"
        )


def play_chess(page: Any, *moves: str) -> None:
    """Click the squares of moves such as `e2e4`, and wait until each of them is played."""
    for move in moves:
        played = page.locator("#played button").count()
        for square in (move[:2], move[2:4]):
            page.click(f"#board [data-place={square}]")
        if move[4:]:
            page.click(f"#confirm [data-move={move}]")
        page.wait_for_selector(f"#played button >> nth={played}")


def written(page: Any) -> str:
    """Return the moves of the game as the page shows them."""
    return " ".join(page.locator("#played button").all_inner_texts())


def test_castling_en_passant_and_mate_are_clicked(page: Any) -> None:
    begin_chess(page)
    play_chess(page, "e2e4", "a7a6", "e4e5", "d7d5", "e5d6")  # takes the pawn that it passes
    assert page.locator("#board [data-place=d5] .figure").count() == 0
    play_chess(page, "e7d6", "g1f3", "g8f6", "f1e2", "f8e7", "e1g1", "e8h8")  # both castle
    for square, said in (("g1", "White king"), ("f1", "White rook"), ("g8", "Black king")):
        label = page.get_attribute(f"#board [data-place={square}]", "aria-label")
        assert label == f"{square}, {said}"
    names = "e4 a6 e5 d5 exd6 exd6 Nf3 Nf6 Be2 Be7 O-O O-O"
    assert written(page) == names
    page.click("#undo")
    assert page.locator("#played button").count() == len(names.split())  # to be played again
    assert written(page) == names
    begin_chess(page, "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
    play_chess(page, "a1a8")
    assert written(page) == "Ra8#" and page.inner_text("#status").startswith("White wins")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_pawn_is_promoted_to_what_is_chosen(page: Any, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    begin_chess(page, "r3k3/1P6/8/8/8/8/6p1/4K3 w - - 0 1")
    page.click("#board [data-place=b7]")
    page.click("#board [data-place=a8]")
    choice = page.locator("#confirm button")
    assert choice.all_inner_texts() == [" bxa8=Q+", " bxa8=R+", " bxa8=B", " bxa8=N"]
    assert choice.locator("svg .figure.first").count() == 4
    play_chess(page, "b7a8n", "g2g1q")
    assert written(page) == "bxa8=N g1=Q+"
    label = page.get_attribute("#board [data-place=a8]", "aria-label")
    assert label == "a8, White knight"


def test_a_position_is_analysed_to_depth_ten(page: Any) -> None:
    page.click("#tab-analyse")
    page.select_option("#evaluators", ["learned", "classic"])
    page.fill("#depth", "10")
    page.click("#go")
    page.wait_for_selector("#found [data-depth='10']")
    assert page.locator("#board .score").count() >= 4
    page.locator("#found .judged button").nth(2).click()  # the best line, as far as its third move
    page.wait_for_function("document.querySelector('#transcript').value.length === 6")
    page.wait_for_selector("#graph .point >> nth=3")


def test_reasons_are_drawn(page: Any) -> None:
    page.click("#tab-why")
    page.click("#why-go")
    page.wait_for_selector("#why-parts tbody tr")
    assert page.locator("#why-parts tbody tr").count() > 20
    page.select_option("#why-first", "f5")
    page.select_option("#why-second", "d3")
    page.click("#why-go")
    page.wait_for_function(
        "document.querySelector('#why-parts th:last-child').textContent === 'difference'"
    )
    page.select_option("#why-second", "")
    page.click("#why-go")
    page.wait_for_selector("#why-parts button")


def test_the_first_page_links_the_reports(page: Any) -> None:
    link = page.locator("#reports a", has_text="run/report.html").first
    with page.expect_popup() as opened:
        link.click()
    opened.value.wait_for_selector("svg")
    opened.value.close()
    page.click("#tab-why")
    assert page.locator("#reports").is_hidden()


def test_the_keyboard_plays(page: Any) -> None:
    page.locator("#board .place.can").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('#transcript').value.length >= 4")
    page.keyboard.press("h")
    page.wait_for_function("document.querySelector('#hints').textContent.length > 3")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("document.querySelector('#transcript').value === ''")


def test_ten_pages_at_once_stay_responsive(browser: Any, address: str) -> None:
    pages = [browser.new_page(bypass_csp=True) for _ in range(10)]
    for one in pages:
        one.set_default_timeout(LONG)
        one.goto(address)
        one.wait_for_selector("#board svg")
        one.click("#tab-analyse")
        one.click("#go")
    for one in pages:
        one.wait_for_selector("#found .judged")
    pages[0].click("#tab-play")  # each of these is waited for, so long
    pages[0].locator("#board .place.can").first.click()
    pages[0].wait_for_function("document.querySelector('#transcript').value.length >= 2")
    for one in pages:
        one.close()

"""The board in a browser: first paint, clicks, a long analysis, and ten pages at once.

    python -m benchmarks.board --minutes 10

Needs Chromium and playwright (`make browser`). Times are the page's own, without the engine's
thinking; memory is what the server's process has resident.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.common import record
from tests.processes import environment

_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
_PAINTED = (
    "() => performance.getEntriesByType('paint')"
    ".find((entry) => entry.name === 'first-contentful-paint')?.startTime"
)
_CLICKED = """async () => {
  const button = document.querySelector("#legal button");
  const began = performance.now();
  button.click();
  while (button.isConnected || !document.querySelector("#legal button")) {
    await new Promise((done) => requestAnimationFrame(done));
  }
  return performance.now() - began;
}"""
_CLICKS, _PAGES = 12, 10


def main(minutes: float = 10.0) -> None:
    """Measure all of it against a server of its own."""
    from playwright.sync_api import sync_playwright

    program = "from samuel.cli.main import main; main()"
    server = subprocess.Popen(
        [sys.executable, "-c", program, "board", "--port", "0", "--no-browser"],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    address = server.stdout.readline().split()[1]
    try:
        with sync_playwright() as playwright:
            path = shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=path, args=_FLAGS)
            rows = [*_page(browser, address), *_pages(browser, address)]
            rows += _analysis(browser, address, server.pid, minutes)
    finally:
        server.terminate()
    record("board", rows)


def _opened(browser: Any, address: str) -> Any:
    page = browser.new_page(viewport={"width": 1280, "height": 900}, bypass_csp=True)
    page.goto(address)
    page.wait_for_selector("#board svg")
    return page


def _page(browser: Any, address: str) -> list[dict[str, Any]]:
    """First paint, warm, and clicks of two persons who play each other."""
    _opened(browser, address).close()
    page = _opened(browser, address)
    painted = page.evaluate(_PAINTED)
    return [
        _row("first paint", painted, "ms"),
        _row("a click answered, median", statistics.median(_clicks(page)), "ms"),
    ]


def _clicks(page: Any) -> list[float]:
    page.select_option("#who-1", "")
    page.click("#new")
    page.wait_for_timeout(300)
    return [page.evaluate(_CLICKED) for _ in range(_CLICKS)]


def _pages(browser: Any, address: str) -> list[dict[str, Any]]:
    """The same on the last of ten pages, while the others analyse."""
    pages = [_opened(browser, address) for _ in range(_PAGES)]
    for page in pages[:-1]:
        page.click("#tab-analyse")
        page.fill("#depth", "30")
        page.click("#go")
    time.sleep(3)
    times = _clicks(pages[-1])
    for page in pages:
        page.close()
    title = f"a click answered beside {_PAGES - 1} pages that analyse"
    return [
        _row(f"{title}, median", statistics.median(times), "ms"),
        _row(f"{title}, the slowest", max(times), "ms"),
    ]


def _analysis(browser: Any, address: str, pid: int, minutes: float) -> list[dict[str, Any]]:
    """Resident memory after a first half minute, and how it grows while a page analyses on."""
    page = _opened(browser, address)
    page.click("#tab-analyse")
    page.fill("#depth", "60")
    page.click("#go")
    time.sleep(min(30, 15 * minutes))
    first = _resident(pid)
    most, until = first, time.monotonic() + 60 * minutes
    while time.monotonic() < until:
        time.sleep(1)
        most = max(most, _resident(pid))
    return [
        _row("memory of the server that analyses", first, "MB"),
        _row(f"its growth in {minutes:g} minutes, at the most", most - first, "MB"),
    ]


def _resident(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (kilobytes,) = [line.split()[1] for line in lines if line.startswith("VmRSS")]
    return int(kilobytes) / 1024


def _row(what: str, number: float, unit: str) -> dict[str, Any]:
    return {"what": what, "measured": round(number, 1), "unit": unit}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    main(parser.parse_args().minutes)

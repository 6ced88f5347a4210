"""How a page looks in a browser: its pictures, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FIND = (Path(__file__).parent / "faults.js").read_text()
SHOTS = Path(__file__).parents[3] / "build" / "screenshots"
SIZES = {"wide": {"width": 1280, "height": 900}, "narrow": {"width": 390, "height": 844}}
SCHEMES = ("light", "dark")
LONG = 120_000
"""Milliseconds that a busy machine may take for what is compiled on the way."""


def faults_of(page: Any, name: str, sizes: Iterable[str] = SIZES) -> dict[str, list[str]]:
    """Return what is wrong with an open page by its looks, each of which is kept as a picture."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    found = {}
    for size in sizes:
        page.set_viewport_size(SIZES[size])
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            if faults := _settled(page):
                found[f"{size}, {scheme}"] = faults
            file = re.sub(r"[^\w.-]+", "-", f"{name} {size} {scheme}")
            page.screenshot(path=SHOTS / f"{file}.png", full_page=True)
    return found


def _settled(page: Any) -> list[str]:
    """Return the faults that stay: a page that is still drawing has some for a moment."""
    faults: list[str] = page.evaluate(FIND)
    for _ in range(20):
        if not faults:
            break
        page.wait_for_timeout(250)
        faults = page.evaluate(FIND)
    return faults

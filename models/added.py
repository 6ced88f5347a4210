"""What an evaluator knows besides: files that stand after its name, each after a plus sign."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

STORE_SIGN = b"samuel: positions learned by rote, 1\n"
"""What a file of positions learned by rote begins with."""


def name_and_file(text: str) -> tuple[str, str]:
    """Return the evaluator's name, or what stands before the last file, and that file.

    The file is "" where there is no plus sign. A name of either may have one itself: of several
    readings the one counts whose file is there and whose evaluator is a folder, of others the last.
    """
    readings = [(text[:k], text[k + 1 :]) for k, sign in enumerate(text) if sign == "+"]
    if not readings or os.path.isdir(text):
        return text, ""
    return max(
        readings,
        key=lambda one: (os.path.isfile(one[1]), os.path.isdir(one[0]), len(one[0])),
    )


def evaluator_alone(text: str) -> str:
    """Return the evaluator's name or folder without the files that are added to it."""
    base, file = name_and_file(text)
    return evaluator_alone(base) if file else base


def is_store(path: Path | str) -> bool:
    """Return whether a file says that it has positions learned by rote, whole or not."""
    with contextlib.suppress(OSError, ValueError):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read(len(STORE_SIGN)) == STORE_SIGN
    return False

"""Numbers in the commands of boards, as both servers read them."""

from __future__ import annotations

from typing import TypeVar

Number = TypeVar("Number", int, float)

_LARGEST = 1e9
"""Seconds, plies or moves; computing with many more of them overflows."""


def number_said(text: str, kind: type[Number]) -> Number:
    """Return the number that a text is.

    Raises
    ------
    ValueError
        It is none, not finite, or larger than anything that can be meant.
    """
    number = kind(text)
    if not -_LARGEST <= number <= _LARGEST:  # of nan, too
        raise ValueError(text)
    return number

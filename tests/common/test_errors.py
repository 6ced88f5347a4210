"""Sentences that all errors share: what was meant, what range, what can be shown."""

from __future__ import annotations

import math
from typing import Any

import pytest

from samuel.common.errors import (
    UserError,
    printable,
    require_number,
    require_plain_name,
    unknown,
)


def test_the_error_says_what_was_meant() -> None:
    error = unknown("game", "Othelo", ["connect_four", "othello"], "or a file")
    assert str(error) == (
        "there is no game called 'Othelo'; did you mean othello? "
        "there are connect_four, othello; or a file"
    )
    assert str(unknown("set", "x", [], of="hex")) == "hex has no set called 'x'"
    many = unknown("column", "mobilty", ["mobility", *(f"square_{n}" for n in range(199))])
    assert str(many) == "there is no column called 'mobilty'; did you mean mobility?"


@pytest.mark.parametrize(
    "value", [0, 120, -1, 999_999, math.nan, math.inf, 2.5, "8", True, 10**400]
)
def test_a_whole_number_has_a_range(value: Any) -> None:
    with pytest.raises(UserError, match=r"depth must be an integer from 1 to 119 \(got .*\)"):
        require_number("depth", value, 1, 119)


def test_what_a_terminal_would_obey_is_written_out() -> None:
    assert printable("a\x1b[31mb\x07\r\u202e\u2028\ud800") == (
        r"a\x1b[31mb\x07\r\u202e\u2028\ud800"
    )
    assert printable("Züge, 黒 — f5d6\n\tc3 é") == "Züge, 黒 — f5d6\n\tc3 é"


def test_things_of_a_users_have_names_of_one_kind() -> None:
    for name in ("othello_6x6", "edax-wide-network", "gen_1", "5", "dáma"):
        require_plain_name("a game", name)
    wrong = ("", " ", "a b", "a\nb", "a\n", "../x", "-x", "a,b", "a=b", "[red]x[/red]", "x" * 101)
    for name in wrong:
        with pytest.raises(
            UserError, match="the name of a game must be letters, digits, _ and -, at"
        ):
            require_plain_name("a game", name)

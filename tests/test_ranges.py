"""Every number that Python functions take has a range, and is refused before any work begins."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, get_args

import pytest

import samuel
from samuel.arena.event import EventOptions
from samuel.arena.openings.choice import openings_for
from samuel.common.errors import UserError
from samuel.common.public import options_of
from samuel.games import Position, game_named
from samuel.games.perft import divide, perft
from samuel.learning.generations.settings import checked
from samuel.models import load_evaluator
from samuel.search.reference.explanation import explain_position

OTHELLO = game_named("othello")
START = Position.start(OTHELLO)
SENSELESS = (-1, math.nan, math.inf, "2", 10**400)


def _settings(**changes: Any) -> Any:
    return checked(samuel.LearnOptions(**changes))


def _plan(**changes: Any) -> Any:
    return samuel.SelfplayPlan(**changes).checked()


_MATCH = functools.partial(samuel.match, "classic", "wpc")
_FIELD = functools.partial(samuel.tournament, ["classic", "wpc", "zero"])
_OPENINGS = functools.partial(openings_for, OTHELLO, pairs=2)
_EXPLAIN = functools.partial(explain_position, START, load_evaluator("zero"))


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (_MATCH, "pairs"),
        (_MATCH, "timeout"),
        (_MATCH, "exact_from"),
        (_MATCH, "adjudicate_from"),
        (_MATCH, "opening_plies"),
        (_MATCH, "balance"),
        (_MATCH, "epsilon"),
        (_MATCH, "seed"),
        (_FIELD, "pairs"),
        (_FIELD, "timeout"),
        (_OPENINGS, "plies"),
        (_OPENINGS, "balance"),
        (_EXPLAIN, "depth"),
        (EventOptions, "timeout"),
        (EventOptions, "jobs"),
        (_plan, "depth"),
        (_plan, "nodes"),
        (_plan, "epsilon"),
        (_plan, "temperature"),
        (_plan, "exact_from"),
        (_plan, "opening_plies"),
        (_plan, "seed"),
        (samuel.FitOptions, "blend"),
        (samuel.FitOptions, "td_lambda"),
        (samuel.FitOptions, "stages"),
        (_settings, "depth"),
        (_settings, "match_depth"),
        (_settings, "games"),
        (_settings, "last"),
        (_settings, "held_out"),
        (_settings, "temperature"),
        (_settings, "gate_pairs"),
        (_settings, "curve_pairs"),
        (functools.partial(samuel.Sprt, 0), "elo1"),
        (functools.partial(samuel.Sprt, 0, 5), "alpha"),
        (functools.partial(perft, START), "depth"),
        (functools.partial(divide, START), "depth"),
    ],
)
def test_senseless_numbers_are_refused_in_a_sentence(
    function: Callable[..., Any], name: str
) -> None:
    for value in SENSELESS:
        if (name, value) == ("jobs", -1):
            continue
        with pytest.raises(UserError) as refused:
            function(**{name: value})
        assert str(refused.value).count("\n") == 0


@pytest.mark.parametrize("depth", [120, 999_999])
def test_a_depth_beyond_the_search_is_refused(depth: int) -> None:
    for ask in (
        lambda: samuel.Limits(depth),
        lambda: _plan(depth=depth),
        lambda: _settings(match_depth=depth),
        lambda: _EXPLAIN(depth=depth),
    ):
        with pytest.raises(UserError, match=rf"depth must be .* 1 to 119 \(got {depth}\)"):
            ask()


def test_every_seed_of_a_public_function_has_a_range() -> None:
    named = [getattr(samuel, name) for name in dir(samuel)]
    functions = [one for one in named if hasattr(one, "__wrapped__")]
    seeded = [one for one in functions if "seed" in options_of(one)]
    assert len(seeded) > 8
    for function in seeded:
        kind = options_of(function)["seed"].kind
        assert any(getattr(mark, "least", None) == 0 for mark in get_args(kind)), function

"""Options that are said once, and what is built from them."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer

from samuel.cli.command import command
from samuel.cli.options import Built, JsonOption


def pair_of(a: Annotated[int, typer.Option()] = 1, b: Annotated[int, typer.Option()] = 2) -> Any:
    return a, b


PairOptions = Annotated[tuple[int, int], Built(pair_of)]


def test_a_parameter_is_built_from_options_of_which_one_may_have_its_name() -> None:
    found: list[Any] = []

    @command("testing")
    def run(name: str, *, a: PairOptions, json: JsonOption = False) -> None:
        found.append((name, a, json))

    options = inspect.signature(run).parameters
    assert list(options) == ["name", "a", "b", "seed", "plugin", "json"]
    assert options["a"].default == 1
    run(name="x", a=3, b=4, seed=0, plugin=None, json=True)
    assert found == [("x", (3, 4), True)]

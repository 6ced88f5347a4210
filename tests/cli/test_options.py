"""Options that are said once, and what is built from them."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import pytest
import typer

from samuel.cli.app import command as whole_command
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


def test_every_subcommand_takes_the_options_of_all(capsys: pytest.CaptureFixture[str]) -> None:
    def alone(group: Any) -> Any:
        for name in group.commands:
            one = group.commands[name]
            yield from alone(one) if hasattr(one, "commands") else [one]

    for one in alone(whole_command()):
        names = {parameter.name for parameter in one.params}
        assert names >= {"seed", "plugin", "json"}, one.name

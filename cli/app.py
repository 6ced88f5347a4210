"""The subcommands of `samuel`, each imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer
import typer.main

from samuel.cli.subcommands import typer_function

NAMES = (
    *("try", "selfplay", "train", "compare", "match", "tournament", "learn", "league", "sprt"),
    *(
        "openings",
        "games",
        "play",
        "levels",
        "board",
        "gtp",
        "nboard",
        "gomocup",
        "uci",
        "search",
        "explain",
        "solve",
        "endings",
        "rote",
        "perft",
        "evaluate",
    ),
    *(
        "models",
        "export",
        "import",
        "check",
        "train-policy",
        "train-probcut",
        "select",
        "grow",
        "dataset",
        "pool",
    ),
)
"""The subcommands, in the order of `samuel --help`; a file of this folder each."""
_PLACES = {
    "train-policy": "train.policy",
    "learn": "learn.group",
    "import": "importing",
}
"""Where those are that have another place."""

COMMANDS = {
    "match": "match",
    "tournament": "tournament",
    "search": "search",
    "solve": "solve",
    "selfplay": "selfplay",
    "train": "train.model",
    "train-probcut": "train.probcut",
    "compare": "compare",
    "select": "select",
    "grow": "grow",
    "evaluate": "evaluate",
    "try": "trying",
    "dataset info": "dataset:info",
    "dataset merge": "dataset:merge",
    "dataset split": "dataset:split",
    "dataset dedupe": "dataset:dedupe",
    "dataset filter": "dataset:filter_rows",
    "dataset book": "dataset:book",
    "dataset relabel": "dataset:relabel",
    "dataset reference": "dataset:reference",
    "dataset import": "dataset:import_",
    "dataset export": "dataset:export",
}
"""Those whose options are derived (cli/derive.py), and where they are in this folder; those of a
group after its name."""
GROUPS = {
    "dataset": "Look at datasets, and make new ones of them or of files.\n\n"
    "Example: samuel dataset info data/gen0",
}
"""Groups of subcommands that are derived, and their help texts."""

_MANNER: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": "rich",
}
app = typer.Typer(
    name="samuel",
    help="Learn evaluation functions of board games: generate, train, compare, match.",
    no_args_is_help=True,
    **_MANNER,
)


class _Commands(Mapping[str, Any]):
    """The subcommands by name, those of a group where it is named; one at a time is imported."""

    def __init__(self, names: Sequence[str], group: str = "") -> None:
        self._names, self._group = names, group

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        whole = f"{self._group} {name}".strip()
        if whole in COMMANDS:
            alone = typer.Typer(**_MANNER)
            alone.command(name)(typer_function(whole, COMMANDS[whole]))
            found: Any = typer.main.get_command(alone)
            found.name = name
            return found
        if name in GROUPS:
            found = typer.main.get_group(
                typer.Typer(no_args_is_help=True, help=GROUPS[name], **_MANNER)
            )
            names = [one.removeprefix(f"{name} ") for one in COMMANDS if one.startswith(f"{name} ")]
            found.name, found.commands = name, _Commands(names, name)
            return found
        module = importlib.import_module(f"samuel.cli.{_PLACES.get(name, name)}")
        group = getattr(module, "app", None)
        if group is not None:
            found = typer.main.get_group(group)
        else:
            alone = typer.Typer(**_MANNER)
            alone.command(name)(module.run)
            found = typer.main.get_command(alone)
        found.name = name
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _print_version(asked: bool) -> None:
    if asked:
        from samuel.versions import version_of

        known = version_of("samuel-learning")
        print(f"samuel {known}" if known else "samuel, run from its sources")
        raise typer.Exit


@app.callback()
def samuel(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Say which.")
    ] = False,
) -> None:
    """Learn evaluation functions of board games: generate, train, compare, match."""


def command() -> Any:
    """Return the whole command."""
    group: Any = typer.main.get_group(app)
    group.commands = _Commands(NAMES)
    return group

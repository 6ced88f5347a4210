"""The subcommands of `samuel`, each imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from samuel.cli.subcommands import typer_function
from samuel.errors import warn_of_old_name

PANELS = {
    "Data": ("selfplay", "dataset"),
    "Learning": ("train", "compare", "select", "grow", "learn", "try"),
    "Strength": ("match", "tournament", "pool", "league", "sprt", "openings", "games", "levels"),
    "Search": ("search", "explain", "solve", "perft", "evaluate"),
    "Play": ("play", "board", "serve"),
    "Models": ("models",),
}
"""The subcommands, as `samuel --help` shows them."""
NAMES = tuple(name for names in PANELS.values() for name in names)
_PLACES = {
    "learn": "learn.group",
    "models list": "models",
    "models export": "export",
    "models import": "importing",
    "models check": "check",
    "models rote": "rote",
    "models endings": "endings",
}
"""Where those are that have another place."""

COMMANDS = {
    "match": "match",
    "tournament": "tournament",
    "search": "search",
    "solve": "solve",
    "selfplay": "selfplay",
    "train": "train.model",
    "serve gtp": "serve:gtp",
    "serve nboard": "serve:nboard",
    "serve uci": "serve:uci",
    "serve ucci": "serve:uci",
    "serve gomocup": "serve:gomocup",
    "models probcut": "train.probcut",
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
    "serve": "Play against boards and managers of other people, by their protocols.\n\n"
    "Example: samuel serve gtp --level 6",
    "models": "List evaluators, recipes and features; show, check, export and import models.\n\n"
    "Example: samuel models list --game connect_four\n\n"
    "Example: samuel models runs/ridge",
}
"""Groups of subcommands, and their help texts."""
DEFAULT = {"models": "list"}
"""What of a group is meant where none of its subcommands is named."""
MOVED = {
    **{name: f"serve {name}" for name in ("gtp", "nboard", "uci", "gomocup")},
    **{name: f"models {name}" for name in ("export", "import", "check", "rote", "endings")},
    "train-probcut": "models probcut",
    "train-policy": "learn policy",
}
"""What subcommands were called before, and what they are called now."""

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
        if name in MOVED and not self._group:
            group, _, command = MOVED[name].partition(" ")
            return _under_old_name(name, self[group].commands[command])
        if name not in self._names:
            raise KeyError(name)
        whole = f"{self._group} {name}".strip()
        if name in GROUPS and not self._group:
            return _in_panel(_group(name), name)
        module = None if whole in COMMANDS else importlib.import_module(_place(whole))
        if getattr(module, "app", None) is not None:
            found: Any = typer.main.get_group(module.app)  # type: ignore[union-attr]
        else:
            run = typer_function(whole, COMMANDS[whole]) if module is None else module.run
            alone = typer.Typer(**_MANNER)
            alone.command(name)(run)
            found = typer.main.get_command(alone)
        found.name = name
        return found if self._group else _in_panel(found, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _place(name: str) -> str:
    return f"samuel.cli.{_PLACES.get(name, name)}"


class _Group(typer.core.TyperGroup):
    """A group whose `usual` subcommand is meant where none is named."""

    usual = ""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the usual subcommand in front where none is named."""
        if self.usual and not (args and (args[0] in self.commands or args[0] == "--help")):
            args = [self.usual, *args]
        return super().parse_args(ctx, args)


def _group(name: str) -> Any:
    """Return a group of subcommands."""
    made = typer.Typer(cls=_Group, no_args_is_help=True, help=GROUPS[name], **_MANNER)
    made.callback()(lambda: None)
    found: Any = typer.main.get_group(made)
    every = [*COMMANDS, *_PLACES]
    names = [one.removeprefix(f"{name} ") for one in every if one.startswith(f"{name} ")]
    found.name, found.commands, found.usual = name, _Commands(names, name), DEFAULT.get(name, "")
    found.help = GROUPS[name]
    return found


def _in_panel(found: Any, name: str) -> Any:
    """Return a subcommand that the help shows where it belongs."""
    found.rich_help_panel = next(panel for panel, names in PANELS.items() if name in names)
    return found


def _under_old_name(name: str, found: Any) -> Any:
    """Return a subcommand that says what it is called now."""
    invoke = found.invoke

    def told(context: Any) -> Any:
        warn_of_old_name(f"samuel {name}", f"samuel {MOVED[name]}")
        return invoke(context)

    found.name, found.hidden, found.invoke = name, True, told
    return found


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

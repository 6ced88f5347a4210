"""The subcommands of `samuel`, each imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from samuel.cli.help import help_text
from samuel.cli.subcommands import MisuseError, table, typer_function

PANELS = {
    "Data: games, and the positions to learn from": ("selfplay", "dataset"),
    "Learning: make an evaluator from data, or by self-play": (
        "train",
        "compare",
        "select",
        "try",
        "learn",
    ),
    "Strength: measure evaluators by matches": (
        "match",
        "tournament",
        "bench",
        "sprt",
        "games",
    ),
    "Search: examine single positions": ("search", "explain", "solve", "perft", "evaluate"),
    "Play: against an evaluator, yourself or with another program": ("play", "board", "serve"),
    "Models: list, check, export and import": ("models",),
}
"""The subcommands, as `samuel --help` shows them."""
NAMES = tuple(name for names in PANELS.values() for name in names)

COMMANDS = {
    "match": "match",
    "tournament": "tournament",
    "bench": "bench",
    "sprt": "sprt",
    "games": "games",
    "search": "search",
    "explain": "explain",
    "solve": "search:solve",
    "perft": "search:perft",
    "selfplay": "selfplay",
    "train": "train",
    "play": "play",
    "board": "play:board",
    "serve gtp": "serve:gtp",
    "serve nboard": "serve:nboard",
    "serve uci": "serve:uci",
    "serve ucci": "serve:uci",
    "serve gomocup": "serve:gomocup",
    "models list": "models.listing",
    "models check": "models.check",
    "models export": "models.exchange:export",
    "models import": "models.exchange:import_",
    "models tune": "models.tune",
    "models probcut": "models.probcut",
    "models rote": "models.stores:rote",
    "learn": "learn.run",
    "learn compare": "learn.compare",
    "compare": "compare",
    "select": "select",
    "evaluate": "evaluate",
    "try": "select:try_",
    "dataset info": "dataset:info",
    "dataset merge": "dataset:merge",
    "dataset split": "dataset:split",
    "dataset dedupe": "dataset:dedupe",
    "dataset filter": "dataset:filter_rows",
    "dataset relabel": "dataset:relabel",
    "dataset import": "dataset:import_",
    "dataset export": "dataset:export",
}
"""Those whose options are derived (cli/derive.py), and where they are in this folder; those of a
group after its name, which may be a command as well."""
GROUPS = {
    "dataset": "Show, import, combine and change datasets.\n\n"
    "A dataset is a folder of positions with labels: the outcome of the game, and the score of a "
    "search where one is known. `samuel selfplay` makes one.\n\n"
    "Example: samuel dataset info data/gen0",
    "serve": "Run samuel as an engine for other programs: GTP, NBoard, UCI, UCCI, Gomocup.\n\n"
    "Enter the command in the other program as the command of an engine (docs/engines.md).\n\n"
    "Example: samuel serve gtp --level 6",
    "models": "List evaluators, recipes and features; check, export and import models.\n\n"
    "Without a subcommand it is `samuel models list`.\n\n"
    "Example: samuel models list --game connect_four\n\n"
    "Example: samuel models runs/ridge",
}
"""Groups of subcommands that are no commands themselves, and their help texts."""
DEFAULT = {"models": "list"}
"""Subcommand of a group that is meant where none is named."""
ABOUT = (
    "Learn evaluation functions of board games: play games, fit models, measure their strength."
    "\n\n`samuel COMMAND --help` describes a command and its options.\n\n"
    "Example: samuel match classic zero --depth 2 --pairs 20"
)
"""First words of `samuel --help`."""
_MANNER: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": "rich",
}


class _Commands(Mapping[str, Any]):
    """The subcommands by name, those of a group where it is named; one at a time is imported."""

    def __init__(self, names: Sequence[str], group: str = "") -> None:
        self._names, self._group = names, group

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        whole = f"{self._group} {name}".strip()
        if whole in GROUPS or _members(whole):
            found = _group(whole)
        else:
            found = _alone(whole, typer_function(whole, COMMANDS[whole]))
        found.name = name
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class _Command(typer.core.TyperCommand):
    """Command with samuel's help text."""

    path = ""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        about = table()[self.path]
        print(help_text(self.get_usage(ctx), about["about"], about["options"]))


class _Group(typer.core.TyperGroup):
    """A group whose `usual` subcommand is meant where none is named."""

    path = ""
    usual = ""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the usual subcommand in front where none is named."""
        if self.usual and not (args and (args[0] in self.commands or args[0] == "--help")):
            args = [self.usual, *args]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        if not self.path:
            commands = {title: _abouts(names) for title, names in PANELS.items()}
            version = ("--version", "Show the version and exit.")
            print(help_text(self.get_usage(ctx), ABOUT, (), commands, [version]))
            return
        options = table()[self.path]["options"] if self.path in COMMANDS else []
        names = [f"{self.path} {name}" for name in _members(self.path)]
        commands = {"Commands": _abouts(names)}
        print(help_text(self.get_usage(ctx), _about(self.path), options, commands))


app = typer.Typer(name="samuel", cls=_Group, no_args_is_help=True, **_MANNER)


def _about(name: str) -> str:
    about: str = GROUPS.get(name) or table()[name]["about"]
    return about


def _abouts(names: Sequence[str]) -> dict[str, str]:
    """Return what each of some subcommands does, by the last word of its name."""
    return {name.rpartition(" ")[2]: _about(name).partition("\n\n")[0] for name in names}


def _members(group: str) -> list[str]:
    return [name.removeprefix(f"{group} ") for name in COMMANDS if name.startswith(f"{group} ")]


def _group(name: str) -> Any:
    """Return a group of subcommands, with options of its own where it is a command as well."""
    is_command = name in COMMANDS
    made = typer.Typer(cls=_Group, no_args_is_help=not is_command, **_MANNER)
    if is_command:
        run = typer_function(name, COMMANDS[name])
        made.callback(invoke_without_command=True)(_unless_followed(run))
    else:
        made.callback(help=GROUPS[name])(lambda: None)
    found: Any = typer.main.get_group(made)
    found.path = name
    members = _members(name)
    found.commands, found.usual = _Commands(members, name), DEFAULT.get(name, "")
    return found


def _unless_followed(run: Any) -> Any:
    """Return a command that gives way to a subcommand which is named after it."""

    def called(context: typer.Context, **typed: Any) -> None:
        if context.invoked_subcommand is None:
            run(context, **typed)
            return
        for parameter in context.command.params:
            if typed.get(str(parameter.name)) is not None:
                asked = f"{context.command_path} {context.invoked_subcommand} {parameter.opts[0]}"
                raise MisuseError(f"options follow the subcommand: type {asked} ...")

    called.__signature__ = run.__signature__  # type: ignore[attr-defined]
    called.__annotations__, called.__doc__ = run.__annotations__, run.__doc__
    return called


def _alone(name: str, run: Any) -> Any:
    """Return a subcommand that is no group."""
    made = typer.Typer(**_MANNER)
    made.command(name, cls=_Command)(run)
    found: Any = typer.main.get_command(made)
    found.path = name
    return found


def _print_version(asked: bool) -> None:
    if asked:
        from samuel.common.versions import version_of

        known = version_of("samuel-learning")
        print(f"samuel {known}" if known else "samuel (run from its sources)")
        raise typer.Exit


@app.callback()
def samuel(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Run a subcommand."""


def command() -> Any:
    """Return the whole command."""
    group: Any = typer.main.get_group(app)
    group.commands = _Commands(NAMES)
    return group

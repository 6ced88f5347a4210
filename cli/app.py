"""The commands of `samuel`, each imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from cyclopts import (
    App,
    CycloptsError,
    MissingArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from samuel.cli.help import help_text
from samuel.common.errors import nearest, unknown

PANELS = {
    "Data: games, and the positions to learn from": ("selfplay", "dataset"),
    "Learning: make an evaluator from data, or by self-play": (
        *("train", "compare", "select", "try", "learn"),
    ),
    "Strength: measure evaluators by matches": (
        *("match", "tournament", "bench", "sprt", "games", "tune"),
    ),
    "Search: examine single positions": ("search", "explain", "solve", "perft", "evaluate"),
    "Play: against an evaluator, yourself or with another program": ("play", "board", "serve"),
    "Models: list, check, export and import": ("models",),
}
"""The commands, as `samuel --help` shows them."""

COMMANDS = {
    "match": "Play a match of A against B and report which is stronger, and by how much.",
    "tournament": "Play a tournament and rate the players by their games.",
    "bench": "Rank all players of a game: its evaluators and the installed engines.",
    "sprt": "Evaluate a sequential test (SPRT) of strength, and estimate the first player's Elo.",
    "tune": "Tune numbers of a search by matches (SPSA).",
    "games": "List the games of a match or tournament, or show one as boards.",
    "search": "Search a position and show the best move, its score and the expected line.",
    "explain": "Draw a small search as a tree, with the order of visits, windows and cutoffs.",
    "solve": "Solve positions exactly: score, best move and best line to the end.",
    "perft": "Count the leaves of the full game tree, to test the rules of a game.",
    "selfplay": "Play games and store their positions with scores and outcomes in a dataset.",
    "train": "Fit a model to a dataset, measure it on held-out games and save it.",
    "play": "Play a game in the terminal. Type moves, or help.",
    "board": "Play and analyse in a browser.",
    "serve gtp": "Play as an engine by GTP, the Go Text Protocol.",
    "serve nboard": "Play and analyse as an engine by the NBoard protocol.",
    "serve uci": "Play chess or Chinese chess as an engine by UCI, or Chinese chess by UCCI.",
    "serve ucci": "Play chess or Chinese chess as an engine by UCI, or Chinese chess by UCCI.",
    "serve gomocup": "Play five in a row as an engine by the Gomocup protocol, for Piskvork and "
    "the like.",
    "models list": "List the evaluators, recipes and features of a game, or describe one "
    "evaluator.",
    "models check": "Check games, features and evaluators on positions of random games.",
    "models export": "Write a pattern model, a network or a linear model to a file for other "
    "programs.",
    "models import": "Import a network of chess that bullet has trained as a model.",
    "models tune": "Tune the terms of another program from a CSV of coefficients.",
    "models probcut": "Fit the parameters of selective search (ProbCut) for an evaluator.",
    "models wdl": "Fit chances of a win, a draw and a loss to the scores and results of a dataset.",
    "learn": "Learn by self-play: play games, fit a candidate, promote it if it wins a match, "
    "repeat.",
    "learn compare": "Compare learning algorithms: equal budgets, several seeds each, one common "
    "rating.",
    "compare": "Compare models on the same held-out games and list the best first.",
    "select": "Rank the features of a game by the error that they remove, and suggest how many to "
    "use.",
    "evaluate": "Evaluate positions without search, from the side to move.",
    "try": "Measure the strength that your own feature or evaluator adds.",
    "dataset info": "Show what a dataset has: counts, plies, outcomes and a few boards.",
    "dataset check": "Check a dataset for labels that cannot be, and for patterns that are rarely "
    "seen.",
    "dataset merge": "Merge datasets of one game into one. Games get new numbers; sources are "
    "kept.",
    "dataset split": "Split a dataset in two by games. All rows of a game stay together.",
    "dataset dedupe": "Merge all rows of a position, up to symmetry, into one with averaged "
    "labels.",
    "dataset filter": "Keep the rows of a dataset that meet all given conditions.",
    "dataset relabel": "Search every position of a dataset again, deeper or with a better "
    "evaluator.",
    "dataset import": "Import games or labelled positions from files as a dataset.",
    "dataset export": "Export a dataset to a file: labelled positions, or whole games.",
}
"""The first sentence of the help of each command."""
_PLACES = {
    "sprt": "match:sprt",
    "tune": "match:tune",
    "bench": "tournament:bench",
    "games": "tournament:games",
    "solve": "search:solve",
    "perft": "search:perft",
    "evaluate": "search:evaluate",
    "board": "play:board",
    "serve ucci": "serve:uci",
    "models list": "models:run",
    "models import": "models:import_",
    "learn": "learn.run:run",
    "learn compare": "learn.compare:run",
    "compare": "train:compare",
    "try": "select:try_",
    "dataset filter": "dataset:filter_rows",
    "dataset import": "dataset:import_",
}
"""Places of commands whose names do not say them, "module:function" in this folder."""
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
"""Groups of commands that are no commands themselves, and their help texts."""
ABOUT = (
    "Learn evaluation functions of board games: play games, fit models, measure their strength."
    "\n\n`samuel COMMAND --help` describes a command and its options.\n\n"
    "Example: samuel match classic zero --depth 2 --pairs 20"
)
"""First words of `samuel --help`."""


def place_of(name: str) -> str:
    """Return the place of a command, "module:function": `match:run`, `dataset:merge`."""
    group, _, last = name.rpartition(" ")
    return "samuel.cli." + _PLACES.get(name, f"{group}:{last}" if group else f"{name}:run")


def about(name: str) -> str:
    """Return the first sentence of the help of a command or a group."""
    return COMMANDS.get(name) or GROUPS[name].partition("\n\n")[0]


def members(group: str) -> list[str]:
    """Return the names of a group's commands."""
    return [name for name in COMMANDS if name.startswith(f"{group} ")]


class Group(App):
    """Commands of one first word, and a default command where `default` names one."""

    def help_print(self, tokens: Any = None, *, console: Any = None) -> None:
        """Print the help of the command that the words name."""
        chain, apps, _ = self.parse_commands(tokens)
        name = " ".join(word for word in chain if not word.startswith("-"))
        print(_help(name, apps[-1].default_command, tokens or ()))

    def version_print(self, console: Any = None) -> None:
        """Print the version."""
        from samuel.common.versions import version_of

        known = version_of("samuel-learning")
        print(f"samuel {known}" if known else "samuel (run from its sources)")


def group_app(name: str) -> Group:
    """Return a group of commands, none of which is imported."""
    made = Group(name=name, help=GROUPS.get(name, ""), version_flags=())
    _add(made, members(name))
    return made


def command() -> Group:
    """Return the whole command."""
    made = Group(
        name="samuel",
        help=ABOUT,
        version_flags=("--version",),
        result_action="return_value",
        print_error=False,
        exit_on_error=False,
        suppress_keyboard_interrupt=False,
    )
    _add(made, [name for names in PANELS.values() for name in names])
    made.register_install_completion_command(help="Install completion for your shell and exit.")
    return made


def _help(name: str, function: Any, words: Sequence[str]) -> str:
    """Return the help of a command or a group, with the defaults of the game that words name."""
    usage = f"Usage: samuel {name}".rstrip()
    if not name:
        commands = {title: {one: about(one) for one in names} for title, names in PANELS.items()}
        first = [
            ("--version", "Show the version and exit."),
            ("--install-completion", "Install completion for your shell and exit."),
        ]
        return help_text(f"{usage} COMMAND [OPTIONS]", ABOUT, (), commands, first)
    own = {one.rpartition(" ")[2]: about(one) for one in members(name)}
    commands = {"Commands": own} if own else {}
    if function is None:
        return help_text(f"{usage} COMMAND [OPTIONS]", GROUPS[name], (), commands)
    said = GROUPS.get(name) or function.about
    arguments = "".join(f" {one}" for one in function.arguments)
    options, groups = function.help_of(words)
    flag = "--algorithms" if name == "learn compare" else "--algorithm"
    more = (
        {f"More options, described by samuel {name} {flag} NAME --help": groups} if groups else {}
    )
    return help_text(f"{usage} [OPTIONS]{arguments}", said, options, commands, more=more)


def _add(app: App, names: Iterable[str]) -> None:
    for name in names:
        last = name.rpartition(" ")[2]
        if members(name) and name in ("learn", "models"):  # a command as well
            app.command(f"samuel.cli.{name}:app", name=last, help=about(name))
        elif members(name):
            app.command(group_app(name))
        else:
            app.command(place_of(name), name=last, help=about(name), version_flags=())


def _unknown_option(typed: str, names: Iterable[str]) -> str:
    """Return that there is no such option, and which may have been meant: dashes do not count."""
    flag, has_value, _ = typed.partition("=")
    flags = {name.lstrip("-"): name for name in names if name.startswith("--")}
    if has_value and flag.lstrip("-") in flags:
        return f"{flag} does not accept a value"
    near = nearest(flag.lstrip("-"), flags)
    return f"unknown option {flag}" + "".join(f"; did you mean {flags[one]}?" for one in near)


def misuse(error: CycloptsError) -> str:
    """Return what was typed wrongly, and where to read more."""
    chain = [*(error.command_chain or ())]
    where = " ".join(["samuel", *chain])
    if isinstance(error, UnknownOptionError):
        names = [name for one in error.argument_collection for name in one.names]
        said = _unknown_option(error.token.keyword or error.token.value, names)
    elif isinstance(error, UnknownCommandError) and error.app is not None:
        first, names = (error.unused_tokens or [""])[0], [*error.app]
        if first.startswith("-"):
            said = _unknown_option(first, names)
        else:
            known = [name for name in names if not name.startswith("-")]
            said = str(unknown("command", first, known))
    elif isinstance(error, MissingArgumentError) and error.argument is not None:
        said = f"{error.argument.name} needs a value"
    elif isinstance(error, UnusedCliTokensError):
        first = (error.unused_tokens or [""])[0]
        if " ".join([*chain, first]) in COMMANDS:
            typed = (error.root_input_tokens or [])[len(chain) :]
            flag = next(word for word in typed if word.startswith("-"))
            return f"options follow the subcommand: type {where} {first} {flag} ..."
        said = f"unexpected argument {first!r}"
    else:
        said = f"{str(error)[:1].lower()}{str(error)[1:]}".removesuffix(".")
    return f"{said}; see {where} --help"

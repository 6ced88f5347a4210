"""Options of commands: those of the public function that a command calls, and its own.

The signature, the annotations and the docstring of the function, and those of the command, say all
there is to say (common/options.py). cyclopts parses them; an option that is not typed is not
passed. The part of a parameter's docstring from "In Python" on is for callers in Python, and not
in the help.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Annotated, Any, TypeAlias

from cyclopts import Parameter

from samuel.cli.defaults import LearnHelp, with_defaults
from samuel.cli.typed import LAST, TypedOption, flag_of, placed, typed_options, value_of
from samuel.common.errors import OptionError
from samuel.common.options import Argument, Range, described, marks_of, read_text
from samuel.common.public import options_of

Given: TypeAlias = dict[str, Any]
"""Options of the public function that were typed, by name."""
LEARN = "samuel.learning.generations.loop:learn"
"""The public function whose options depend on the algorithm."""
_OUTPUTS = ("out", "out_a", "out_b", "report")
"""Options that name files or folders to write."""
_SEVERAL = inspect.Parameter.VAR_POSITIONAL


class MisuseError(Exception):
    """The command was typed wrongly; the message says how."""


def _of_all(
    seed: Annotated[int, Range(0, (1 << 32) - 1)] = 0,
    plugin: list[str] | None = None,
    trust: list[str] | None = None,
    json: bool = False,
) -> None:
    """Have the options that every command takes, whether it makes use of them or not.

    Parameters
    ----------
    seed
        Seed of every random choice.
    plugin
        Python file with your own features, evaluators or games.
    trust
        Python types, joined by commas, to load from saved estimators. Name only types whose
        author you trust.
    json
        Print one JSON object instead of text.
    """


def _of_several(
    evaluator: str | None = None,
    game: str | None = None,
    report: str | None = None,
    cluster: str | None = None,
    jobs: int = -1,
) -> None:
    """Have options that several commands declare, and need not describe.

    Parameters
    ----------
    evaluator
        Evaluator: a name (samuel models lists them), or the folder of a model. By default the
        game's own.
    game
        Game: a name, or a Python file that registers one. By default the game of the evaluators,
        or Othello.
    report
        HTML page with figures to write.
    cluster
        Address of the scheduler of a dask cluster to run on, such as tcp://host:8786. It needs the
        extra `dask`.
    jobs
        Number of workers; -1 for one per core.
    """


class Subcommand:
    """A command: a function, and the options that it and a public function have.

    The function takes, as `given`, those options of the public function that were typed, and
    options of its own, documented in its docstring.
    """

    def __init__(self, function: Any, of: str | None, doing: str, without: Sequence[str]) -> None:
        self.function, self.of, self.doing, self.without = function, of, doing, without
        self.__name__, self.__module__ = function.__name__, function.__module__
        self._flags: dict[str, str] = {}  # as they were typed last, by option

    @property
    def public(self) -> Any:
        """The public function that the command calls; None for none."""
        module, _, name = (self.of or "").partition(":")
        return getattr(importlib.import_module(module), name) if self.of else None

    @property
    def about(self) -> str:
        """The text of the help, one line per paragraph."""
        head, of = _head(self.function), _head(self.public) if self.of else ""
        first, _, rest = head.partition("\n\n")
        return f"{of if of and first.startswith('Run `samuel ') else first}\n\n{rest}".strip()

    @cached_property
    def options(self) -> list[TypedOption]:
        """The options in the order of the help."""
        of = options_of(self.public) if self.of else {}
        own, common = options_of(self.function), options_of(_of_all)
        own.pop("given", None)
        taken = {name: one for name, one in of.items() if name not in {*own, *self.without}}
        first = {name: one for name, one in (taken | own).items() if marks_of(one.kind, Argument)}
        chosen = first | taken
        chosen |= {name: one for name, one in own.items() if name not in first}
        chosen |= {name: one for name, one in common.items() if name not in chosen}
        for name in LAST:
            chosen[name] = chosen.pop(name)
        told = {name: one for name, one in of.items() if one.about and name not in self.without}
        others, here = options_of(_of_several) | told | common, described(self.function)
        chosen |= {name: replace(chosen[name], about=here[name]) for name in here if name in taken}
        without = {*common} - {*of, *own, "plugin", "trust"}
        groups = {name: one.group for name, one in of.items()}
        typed = (typed for one in chosen.values() for typed in typed_options(one, others))
        return [placed(one, groups, one.name in without) for one in typed]

    def help_of(self, words: Sequence[str]) -> tuple[list[TypedOption], dict[str, str]]:
        """Return the options that the help describes, and the flags that it names, by group.

        Words of the command line may name a game and a learning algorithm.
        """
        if self.of != LEARN:
            return with_defaults(self.options, words), {}
        shown = LearnHelp(self.options, words)
        return shown.described(), shown.groups()

    @property
    def arguments(self) -> list[str]:
        """The arguments as the usage has them."""
        typed = [(one, one.metavar + "..." * one.repeated) for one in self.options if not one.flag]
        return [metavar if one.required else f"[{metavar}]" for one, metavar in typed]

    @cached_property
    def __signature__(self) -> inspect.Signature:
        parameters = [self._parameter(one) for one in self.options]
        return inspect.Signature(sorted(parameters, key=lambda one: one.kind))

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]  # cyclopts asks for both
        return {name: one.annotation for name, one in self.__signature__.parameters.items()}

    def _parameter(self, option: TypedOption) -> inspect.Parameter:
        has_no = option.kind is bool and option.default is not False
        mark = Parameter(
            name=option.flag or option.metavar,
            help=option.about,
            negative=f"--no-{option.flag[2:]}" if has_no else (),
            negative_iterable=(),
            allow_leading_hyphen=bool(option.flag),
            converter=None if option.kind is bool else self._reader(option),
            show_default=False,
            required=option.required if option.repeated and not option.flag else None,
        )
        if option.repeated and not option.flag:  # also where options are between the words
            several: Any = Annotated[option.kind, mark]
            return inspect.Parameter(option.name, _SEVERAL, annotation=several)
        kind = list[option.kind] if option.repeated else option.kind  # type: ignore[name-defined]
        return inspect.Parameter(
            option.name,
            inspect.Parameter.KEYWORD_ONLY if option.flag else inspect.Parameter.POSITIONAL_ONLY,
            default=inspect.Parameter.empty if option.required else None,
            annotation=Annotated[kind if option.required else kind | None, mark],
        )

    def _reader(self, option: TypedOption) -> Callable[[Any, Sequence[Any]], Any]:
        """Return the function that reads the words of an option."""

        def read(_: Any, tokens: Sequence[Any]) -> Any:
            flag = tokens[0].keyword or option.metavar
            self._flags[option.name] = flag
            values = [value_of(option, flag, token.value) for token in tokens]
            return values if option.repeated and option.flag else values[0]

        return read

    def __call__(self, *arguments: Any, **typed: Any) -> None:
        """Run the command with what was typed, so that an interruption is one line."""
        from samuel.cli.interrupts import interruptible
        from samuel.cli.progress import telling

        for k, one in enumerate(one for one in self.options if not one.flag):
            words = arguments[k:]
            typed[one.name] = (list(words) or None) if one.repeated else next(iter(words), None)
        unused = {one.name for one in self.options if one.unused}
        typed = {
            name: value for name, value in typed.items() if value is not None and name not in unused
        }

        def work() -> None:
            self._require_outputs(typed)
            with telling(self.doing), self._flags_in_errors(typed):
                prepare(typed.get("plugin"), typed.get("trust"))
                own, known = inspect.signature(self.function).parameters, options_of(self.function)
                rest = {name: typed.pop(name) for name in [*typed] if name in own}
                given = {name: typed[name] for name in typed if name not in ("plugin", "trust")}
                rest = {name: read_text(known[name], value) for name, value in rest.items()}
                self.function(**({"given": given} if "given" in own else {}), **rest)

        interruptible(work)

    def _require_outputs(self, typed: Mapping[str, Any]) -> None:
        """Raise UserError where an output cannot be written, before any work."""
        from samuel.common.files import require_file, require_folder, require_name

        for one in self.options:
            if one.name in _OUTPUTS and one.name in typed:
                require_name(typed[one.name])
                require = require_file if one.metavar == "FILE" else require_folder
                require(typed[one.name])

    @contextlib.contextmanager
    def _flags_in_errors(self, typed: Mapping[str, Any]) -> Iterator[None]:
        """Make an error about an option one about the flag that was typed."""
        asked = dict(typed)
        try:
            yield
        except OptionError as error:
            if error.name not in asked:
                raise
            name, other = (
                f"--no-{flag_of(one)[2:]}"
                if asked.get(one) is False
                else self._flags.get(one, flag_of(one))
                if one in asked
                else one
                for one in (error.name, error.other)
            )
            raise MisuseError(str(error.called(name, other=other))) from None


def subcommand(
    of: str | None = None, *, doing: str, without: Sequence[str] = ()
) -> Callable[[Callable[..., None]], Subcommand]:
    """Make a function a command, which calls the public function at `of`, "module:function"."""
    return lambda function: Subcommand(function, of, doing, without)


def _head(function: Any) -> str:
    """Return a docstring up to its sections, one line per paragraph."""
    text = inspect.getdoc(function) or ""
    head = re.split(r"^\w[\w ]*\n-{3,}$", text, maxsplit=1, flags=re.MULTILINE)[0]
    return "\n\n".join(" ".join(part.split()) for part in head.strip().split("\n\n"))


def prepare(plugins: Sequence[str] | None, trusted: Sequence[str] | None) -> None:
    """Load the user's files, and trust the types that the user names."""
    if plugins:
        from samuel.games.plugins import load_plugins

        load_plugins(plugins)
    if trusted:
        from samuel.common.options import names_in
        from samuel.models.saved.loading import trust

        trust([name for names in trusted for name in names_in(names)])

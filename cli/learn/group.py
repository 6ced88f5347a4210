"""`samuel learn`: a command of its own, what it compares, and what it does again."""

from __future__ import annotations

import inspect
from typing import Any

import typer

from samuel.cli.learn import again, compare, run
from samuel.cli.train import policy

app = typer.Typer(no_args_is_help=False)
app.command("compare")(compare.run)
app.command("again")(again.run)
app.command("policy")(policy.run)


def _alone(context: typer.Context, **given: Any) -> None:
    if context.invoked_subcommand is None:
        run.run(**given)
        return
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if source is not None and source.name == "COMMANDLINE":
            asked = f"samuel learn {context.invoked_subcommand} {parameter.opts[0]} ..."
            raise typer.BadParameter(f"options follow the subcommand: {asked}")


_context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
_own = inspect.signature(run.run).parameters
_alone.__doc__ = run.run.__doc__
_alone.__signature__ = inspect.Signature([_context, *_own.values()])  # type: ignore[attr-defined]
_alone.__annotations__ = {"context": typer.Context} | run.run.__annotations__
app.callback(invoke_without_command=True)(_alone)

"""Entry points put together at run time, from a text or a closure and the functions it names."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from numba.core.typing.templates import Signature

from samuel.common.errors import UserError
from samuel.kernels.digest import source_digest
from samuel.kernels.jit import jit, make_ready

_NO_NUMBER = (
    r"Casting (OptionalType\(\w+\)|none) to|No conversion from none"
    r"|Function\(float32\)[^>]*>>> [^(]*\((?!float|u?int|bool)"
)
"""Messages of numba where a function, or `float32` of it, is no number on some path."""
_USABLE = " (use numbers, arrays, and functions under @samuel.jit)"


def compose(
    name: str,
    source: str,
    parts: dict[str, Any],
    signature: Signature,
    returns: str = "a number",
    called: str | None = None,
) -> Any:
    """Return the entry point `name` of `source`, a text put together at run time."""
    return made_ready(compose_later(name, source, parts, signature), returns, called)


def compose_later(name: str, source: str, parts: dict[str, Any], signature: Signature) -> Any:
    """Return the same, compiled on first use: for what mostly is a part of other kernels."""
    # numba imports the module of a cached function when it loads it
    namespace = dict(parts) | {"__name__": __name__}
    exec(compile(source, f"{name}.composed", "exec"), namespace)
    return _composed(namespace[name], source, parts.values(), signature)


def compose_closure(function: Callable[..., Any], signature: Signature) -> Any:
    """Return a function that closes over others, put together at run time, as an entry point."""
    parts = [cell.cell_contents for cell in function.__closure__ or ()]
    constants = [part for part in parts if isinstance(part, int | float)]
    return made_ready(_composed(function, f"{function.__qualname__} {constants}", parts, signature))


def made_ready(composed: Any, returns: str = "a number", called: str | None = None) -> Any:
    """Return an entry point after compiling it, or loading it."""
    try:
        make_ready([composed])
    except Exception as error:  # numba has errors of its own, and lets others through
        raise UserError(_in_one_line(called or composed.__name__, str(error), returns)) from error
    return composed


def _composed(
    function: Callable[..., Any], text: str, parts: Iterable[Any], signature: Signature
) -> Any:
    """Name a composition by what was put together."""
    which = hashlib.sha256(text.encode())
    for part in parts:
        plain = getattr(part, "py_func", part)
        code = getattr(plain, "__code__", None)
        if code is not None:
            which.update(f" {code.co_filename} {plain.__qualname__}".encode())
            if plain.__closure__ or plain.__defaults__:
                # made by a function of the user's: one name may stand for several
                which.update(source_digest(plain).encode())
    function.__qualname__ = f"{function.__name__}_{which.hexdigest()[:12]}"
    return jit(signature, forceinline=True)(function)


def _in_one_line(name: str, report: str, returns: str) -> str:
    """Return what matters of numba's report on a function that somebody else wrote."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", report)
    if re.search(_NO_NUMBER, text):
        return f"{name} cannot be compiled: not every path through it ends in a return of {returns}"
    functions = re.findall(r"<function (\w+) at", text)
    places = [p for p in re.findall(r'File "([^"]+)", line (\d+)', text) if p[0].endswith(".py")]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reason = next(
        (x for x in lines if not x.startswith(("Failed in", "During"))), "no reason given"
    )
    bound = re.match(r"Cannot bind 'args=.* to signature '(\(.*\))[^)]*' due", reason)
    if bound:
        reason = f"it takes {bound[1]}, and is called with other arguments"
    where = f", line {places[-1][1]} of {Path(places[-1][0]).name}" if places else ""
    text = f"{functions[-1] if functions else name} cannot be compiled{where}: {reason}"
    return f"{text}{_USABLE if 'Untyped global' in reason else ''}"

"""Ctrl-C: one line and exit status 130, whenever it comes.

While a command starts there is nothing to put in order, and much that would turn an exception
into noise: imports, the parsing of options, callbacks that Python calls from C. There the process
ends at once. In the command itself a KeyboardInterrupt is raised, as anywhere, and whatever
becomes of it on its way out is an interruption.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

R = TypeVar("R")

STATUS = 130
"""The exit status of what a signal SIGINT has ended, as shells have it."""
_LINE = "samuel: interrupted"
_LATER = 0.05
"""Seconds until an interruption that was lost is raised once more."""
_has_come = False


def end_at_once() -> None:
    """From now on let Ctrl-C end the process with its line."""
    # a process in the background of a shell ignores Ctrl-C, and keeps to it
    if _is_main() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
        # registered first it comes last: when Python takes itself down, all that is to be done is
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def _end(_signal: int, _frame: Any) -> NoReturn:
    with contextlib.suppress(OSError):
        os.write(2, f"\n{_LINE}\n".encode())
    os._exit(STATUS)


def interruptible(work: Callable[[], R]) -> R:
    """Do what Ctrl-C ends by a KeyboardInterrupt, and turn what comes of that into the line."""
    before, hook = signal.getsignal(signal.SIGINT), sys.unraisablehook
    is_ours = _is_main() and before is _end
    sys.unraisablehook = _raise_again
    try:
        if is_ours:
            signal.signal(signal.SIGINT, _raise)
        found = work()
        if is_ours:
            signal.signal(signal.SIGINT, _end)
        return found
    except BaseException as error:
        if is_ours:
            signal.signal(signal.SIGINT, _end)
        if not _comes_of_interruption(error):
            raise
        import typer

        print(f"\n{_LINE}", file=sys.stderr)
        # Python ends by the signal, and not with a status, where a KeyboardInterrupt has passed an
        # exec of text, as a named tuple's; the next such exec takes that back
        exec("")
        raise typer.Exit(STATUS) from None
    finally:
        if not _has_come:  # else the process ends, and half-made objects may still complain
            sys.unraisablehook = hook


def _raise(_signal: int, _frame: Any) -> NoReturn:
    global _has_come
    _has_come = True
    raise KeyboardInterrupt


def _raise_again(lost: Any) -> None:
    """Raise an interruption once more that came in a callback, where Python can only print it."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        # from another thread and a little later: raised here, it would end with this function;
        # to the main thread, which it wakes where that waits
        main = threading.main_thread().ident
        threading.Timer(_LATER, signal.pthread_kill, [main, signal.SIGINT]).start()
    elif not _has_come:
        sys.__unraisablehook__(lost)


def _comes_of_interruption(error: BaseException | None) -> bool:
    """Return whether it is one, or an error that one met: a lock to give back that was not had."""
    seen: list[BaseException] = []  # where one is raised anew, contexts may lead in a circle
    while error is not None and error not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.append(error)
        error = error.__context__ or error.__cause__
    return False


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()

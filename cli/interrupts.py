"""Ctrl-C: one line and exit status 130, whenever it comes.

While a command starts there is nothing to put in order, and much that would turn an exception
into noise: imports, the parsing of options, callbacks that Python calls from C. There the process
ends at once. In the command itself a KeyboardInterrupt is raised, as anywhere.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any, NoReturn

STATUS = 130
"""The exit status of what a signal SIGINT has ended, as shells have it."""
_LINE = "samuel: interrupted"
_LATER = 0.05
"""Seconds until an interruption that was lost is raised once more."""


def end_at_once() -> None:
    """From now on let Ctrl-C end the process with its line."""
    # a process in the background of a shell ignores Ctrl-C, and keeps to it
    if _is_main() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def _end(_signal: int, _frame: Any) -> NoReturn:
    with contextlib.suppress(OSError):
        os.write(2, f"\n{_LINE}\n".encode())
    os._exit(STATUS)


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt inside, and turn one that gets here into the line."""
    before, hook = signal.getsignal(signal.SIGINT), sys.unraisablehook
    if _is_main() and before is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.unraisablehook = _raise_again
    try:
        yield
    except KeyboardInterrupt:
        import typer

        print(f"\n{_LINE}", file=sys.stderr)
        raise typer.Exit(STATUS) from None
    finally:
        sys.unraisablehook = hook
        if before is _end:
            signal.signal(signal.SIGINT, _end)


def _raise_again(lost: Any) -> None:
    """Raise an interruption once more that came in a callback, where Python can only print it."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        # from another thread and a little later: raised here, it would end with this function
        threading.Timer(_LATER, signal.raise_signal, [signal.SIGINT]).start()
    else:
        sys.__unraisablehook__(lost)


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()

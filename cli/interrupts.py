"""Ctrl-C, SIGTERM and SIGHUP: one line and exit status 128 + signal, whenever they come.

While a command starts there is nothing to put in order, and much that would turn an exception
into noise: imports, the parsing of options, callbacks that Python calls from C. There the process
ends at once. In the command itself a KeyboardInterrupt is raised, as anywhere, and whatever
becomes of it on its way out is an interruption.
"""

from __future__ import annotations

import _thread
import atexit
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

R = TypeVar("R")

_SIGNALS = [one for one in signal.Signals if one.name in ("SIGINT", "SIGTERM", "SIGHUP")]
"""Ctrl-C; what batch systems send; what a terminal that is closed sends, but not on Windows."""
_LATER = 0.05
"""Seconds until an interruption that was lost is raised once more."""
_has_come = 0
"""The signal that has come; 0 for none."""
_is_lost = False
"""True while an interruption was lost in a callback and is not raised once more."""


def end_at_once() -> None:
    """End the process with a line when one of these signals comes."""
    for number in _SIGNALS if _is_main() else ():
        # what a process ignores from its start, in the background or under nohup, it goes on to
        if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
            signal.signal(number, _end)
            # registered first it comes last: when Python takes itself down, all is done
            atexit.register(signal.signal, number, signal.SIG_IGN)


def _line(number: int) -> str:
    by = "" if number == signal.SIGINT else f" by {signal.Signals(number).name}"
    return f"\nsamuel: interrupted{by}\n"


def _status(number: int) -> int:
    """Return the exit status of what a signal has ended, as shells have it."""
    return 128 + number


def _end(number: int, _frame: Any) -> NoReturn:
    with contextlib.suppress(OSError):
        os.write(2, _line(number).encode())
    os._exit(_status(number))


def interruptible(work: Callable[[], R]) -> R:
    """Do work that signals interrupt, and turn an interruption into a line and an exit status."""
    global _is_lost
    hook, ours = sys.unraisablehook, [n for n in _SIGNALS if signal.getsignal(n) is _end]
    sys.unraisablehook = _raise_again
    try:
        _handle(ours, _raise)
        found = work()
        _handle(ours, _end)
        return found
    except BaseException as error:
        _handle(ours, _end)
        if not (_is_lost or _comes_of_interruption(error)):
            raise
        _is_lost = False
        number = _has_come or signal.SIGINT
        with contextlib.suppress(OSError):  # the terminal may be gone
            print(_line(number), end="", file=sys.stderr, flush=True)
        # Python ends by the signal, and not with a status, where a KeyboardInterrupt has passed an
        # exec of text, as a named tuple's; the next such exec takes that back
        exec("")
        raise SystemExit(_status(number)) from None
    finally:
        if not _has_come:  # else the process ends, and half-made objects may still complain
            sys.unraisablehook = hook


def _handle(numbers: list[signal.Signals], handler: Callable[[int, Any], NoReturn]) -> None:
    for number in numbers if _is_main() else ():
        signal.signal(number, handler)


def _raise(number: int, _frame: Any) -> NoReturn:
    global _has_come, _is_lost
    _has_come, _is_lost = _has_come or number, False
    raise KeyboardInterrupt


def _raise_again(lost: Any) -> None:
    """Raise an interruption once more that came in a callback, where Python can only print it."""
    global _is_lost
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _is_lost = True
        # from another thread and a little later: raised here, it would end with this function;
        # to the main thread, which it wakes where that waits
        threading.Timer(_LATER, _send_again, [_has_come or signal.SIGINT]).start()
    elif not _has_come:
        sys.__unraisablehook__(lost)


def _send_again(number: int) -> None:
    main = threading.main_thread().ident
    if _is_lost and main is not None:
        if sys.platform == "win32":
            _thread.interrupt_main(signal.Signals(number))
        else:
            signal.pthread_kill(main, number)


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

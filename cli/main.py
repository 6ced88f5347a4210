"""The `samuel` command: how it begins and ends, in every case."""

from __future__ import annotations

import atexit
import codecs
import contextlib
import gc
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from samuel.cli.interrupts import end_at_once

_UNUSED: Any = object()
"""Replaces a console of rich, whose import takes as long as the help of samuel."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; exit with 0 when done, 1 when it failed, 2 on wrong usage.

    Without arguments they are those of the process, which then is the command's own: Ctrl-C ends
    it, and what goes on is told where there is no terminal.
    """
    if arguments is None:
        end_at_once()  # before anything else
        _open_the_closed()
        _take_any_encoding()
        os.environ["MPLBACKEND"] = "agg"  # pages are drawn without a screen
        if os.environ.get("COLUMNS") == "0":  # not known, as some programs say it
            del os.environ["COLUMNS"]
        # what imports make is there to stay: going over it again and again, and once more at the
        # end, takes a third of the time of a short command
        gc.set_threshold(200_000)
        atexit.register(gc.freeze)
    import warnings

    from samuel.cli.progress import own_the_process
    from samuel.common.errors import PluginNeededError, UserError

    typed = sys.argv[1:] if arguments is None else arguments
    if arguments is None:
        own_the_process()
    from cyclopts import CycloptsError

    from samuel.cli.app import command, misuse
    from samuel.cli.options import MisuseError

    warnings.showwarning = _show_warning
    try:
        try:
            command()([*typed], console=_UNUSED, error_console=_UNUSED)
            sys.exit(0)
        finally:
            sys.stdout.flush()  # what cannot be written is not left to Python's own end
    except CycloptsError as error:
        _fail(misuse(error), 2)
    except MisuseError as error:
        _fail(str(error), 2)
    except PluginNeededError as error:
        import shlex

        line = shlex.join(typed)
        _fail(f"{error}; type: samuel {line} {error.options}" if error.options else str(error))
    except UserError as error:
        _fail(str(error))
    except BrokenPipeError:
        # the reader of our output has gone: nothing more to say
        _drop_output()
        sys.exit(1)
    except MemoryError:
        _fail("out of memory; try less data, a smaller table or a simpler model")
    except RuntimeError as error:
        if "can't start new thread" not in str(error):
            raise
        _fail(
            "the system refuses another thread, for lack of memory or by a limit (ulimit -u, -v); "
            "raise the limit, or try --jobs 1"
        )
    except OSError as error:
        from samuel.common.files import FULL, is_full, is_nowhere

        if is_nowhere():
            _fail("the current folder is gone; change to one that is there")
        _drop_output()
        if is_full(error):
            _fail(FULL.format(error.filename or "the output"))
        _fail(f"{error.filename or 'the system'}: {error.strerror or error}")


def _open_the_closed() -> None:
    """Open the null device for standard streams that are closed."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
            os.set_inheritable(descriptor, True)
            setattr(sys, name, open(descriptor, "w" if descriptor else "r"))  # noqa: SIM115


_PLAIN = {"±": "+/-", "…": "...", "█": "#", "●": "x", "○": "o", "◉": "X", "◎": "O", "·": "."}
_PLAIN |= dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPkqrbnp", strict=True))
"""Replacements for characters of ours that an encoding lacks."""


def _take_any_encoding() -> None:
    """Let the standard streams replace what their encodings lack."""
    codecs.register_error("samuel.plain", _plainly)
    for stream, errors in (
        (sys.stdin, "replace"),
        (sys.stdout, "samuel.plain"),
        (sys.stderr, "samuel.plain"),
    ):
        with contextlib.suppress(AttributeError, ValueError):  # another object; read from before
            stream.reconfigure(errors=errors)  # type: ignore[union-attr]


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """Return what is written instead of characters that an encoding lacks: an error handler."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    import unicodedata

    def plain(character: str) -> str:
        parts = unicodedata.normalize("NFKD", character).encode("ascii", "ignore")
        return _PLAIN.get(character) or parts.decode() or "?"

    return "".join(map(plain, error.object[error.start : error.end])), error.end


def _drop_output() -> None:
    """Discard unwritten output, which Python would report at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, status: int = 1) -> NoReturn:
    from samuel.common.errors import printable, without_middle

    said = printable(without_middle(message).replace("\n", " "))
    if re.search(r"[\udc80-\udcff]|\\udc[89a-f][0-9a-f]", said):
        said += (
            f" (a name has bytes that are not {sys.getfilesystemencoding()}: rename it, or set "
            "LC_ALL to the locale in which it was written)"
        )
    if said:
        print(f"samuel: {said}", file=sys.stderr)
    sys.exit(status)


_shown: set[str] = set()


def _show_warning(message: Any, *_details: Any, **_more: Any) -> None:
    from samuel.common.errors import printable, without_middle

    note = f"samuel: note: {printable(without_middle(str(message)))}"
    if note not in _shown:
        _shown.add(note)
        print(note, file=sys.stderr)

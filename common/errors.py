"""Errors whose text is meant for the person at the keyboard, and the sentences they share."""

from __future__ import annotations

import difflib
import math
import numbers
import os
import re
import reprlib
import shlex
import sys
import unicodedata
from collections.abc import Iterable
from typing import Any

_MOST_LISTED, _MOST_BESIDE_A_HINT = 100, 30
"""Names that an error lists, and where it has one that may have been meant; else none."""
_LEAST_LIKE = 0.65
"""Similarity from which on a name may have been meant; "plies" is not "pairs"."""
_LONGEST_BEGINNING, _LONGEST_END = 3000, 1000
"""Characters of a message; files may hold lines without end."""
_LARGEST = sys.float_info.max
_MOST_WORKERS = 1024
_SMALLEST_SAID, _LARGEST_SAID = 1e-5, 10_000_000
"""Bounds beyond these are there for the arithmetic, and only named to those who exceed them."""
_UNPRINTABLE = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
"""Unicode's categories of what moves a cursor, turns a line around or cannot be shown."""


class UserError(Exception):
    """Error in an argument, an option or a file; the message names the fault and the remedy.

    The command line prints the message as one line and exits with status 1.
    """


class OptionError(UserError):
    """An option has a value that it cannot have; the message begins with the option's name."""

    def __init__(self, name: str, fault: str, other: str = "") -> None:
        super().__init__(" ".join(filter(None, [name, fault, other])))
        self.name, self.fault, self.other = name, fault, other

    def called(self, name: str, scale: float = 1, other: str | None = None) -> OptionError:
        """Return the error about the option by another name, under which numbers are smaller."""
        return OptionError(name, self.fault, self.other if other is None else other)


class RangeError(OptionError):
    """A number is out of its range."""

    def __init__(self, name: str, value: object, least: float, most: float) -> None:
        if isinstance(value, int):
            given = reprlib.repr(value)
        else:
            given = f"{value:.12g}" if isinstance(value, numbers.Real) else printable(str(value))
        super().__init__(name, f"must be {_range_said(value, least, most)} (got {given})")
        self.value, self.least, self.most = value, least, most

    def called(self, name: str, scale: float = 1, other: str | None = None) -> OptionError:
        """Return the error about the option by another name, its numbers in the units of that."""
        if scale == 1 or isinstance(self.value, bool) or not isinstance(self.value, numbers.Real):
            return RangeError(name, self.value, self.least, self.most)
        numbers_said = (
            float(f"{number / scale:.12g}") for number in (self.value, self.least, self.most)
        )
        return RangeError(name, *numbers_said)


class ForfeitError(UserError):
    """An engine forfeits one game after the other."""

    def __init__(self, player: str, reason: str) -> None:
        super().__init__(
            f"{player} {reason}; repair the engine and give another --out, or leave the engine out"
        )
        self.player, self.reason = player, reason


class PluginNeededError(UserError):
    """Error: a file of data needs what files of a person's own define, and these were not named."""

    def __init__(self, message: str, files: Iterable[str] = ()) -> None:
        names = list(dict.fromkeys(files))
        paths = [name if os.path.isfile(name) else f"PATH/TO/{name}" for name in names]
        self.options = " ".join(f"--plugin {shlex.quote(path)}" for path in paths)
        if names:
            made_with = f"it was made with {' and '.join(names)}"
            message = f"{message}; {made_with}: add {self.options} (in Python, load_plugin)"
        super().__init__(message)


def unknown(
    what: str, name: object, known: Iterable[str], more: str = "", *, of: str | None = None
) -> UserError:
    """Return the error that there is no `what` called `name`; it names what may have been meant."""
    names = list(dict.fromkeys(known))
    near = nearest(str(name), names)
    said = f"{'there is' if of is None else f'{of} has'} no {what} called {str(name)!r}"
    hint = f"did you mean {near[0]}?" if near else ""
    most = _MOST_BESIDE_A_HINT if near else _MOST_LISTED
    listed = f"there are {', '.join(names)}" if 0 < len(names) <= most else ""
    rest = "; ".join(filter(None, [listed, more]))
    return UserError("; ".join(filter(None, [said, " ".join(filter(None, [hint, rest]))])))


def nearest(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """Return the names that `name` may be a slip of the hand for, the nearest first."""
    plain = {one.lower(): one for one in known}
    near = difflib.get_close_matches(name.lower(), plain, most, _LEAST_LIKE)
    return [plain[one] for one in near]


def require_number(
    what: str, value: object, least: float = -math.inf, most: float = math.inf
) -> None:
    """Raise RangeError unless `value` is None or a finite number from `least` to `most`.

    Where `least` is an int, so is the value.
    """
    if value is None:
        return
    kind = numbers.Integral if isinstance(least, int) else numbers.Real
    if isinstance(value, kind) and not isinstance(value, bool):
        number: Any = value
        # numpy's narrower numbers take no constant as large; Python's ints know no infinity
        is_finite = abs(number) <= _LARGEST if isinstance(value, int) else abs(number) < math.inf
        if least <= number <= most and (kind is numbers.Integral or is_finite):
            return
    raise RangeError(what, value, least, most)


def _range_said(value: object, least: float, most: float) -> str:
    """Return which numbers are in a range, without a bound that only machines come near."""
    sort = "an integer" if isinstance(least, int) else "a number"
    number: Any = value if isinstance(value, numbers.Real) else math.nan
    if _LARGEST_SAID < most < number < math.inf:
        return f"{sort}, at most {_written(most)}"
    if 0 < least < _SMALLEST_SAID and 0 < (near := round(most, 1)) - most < _SMALLEST_SAID:
        return f"{sort} above 0 and below {_written(near)}"
    if most <= _LARGEST_SAID:
        return f"{sort} from {_written(least)} to {_written(most)}"
    if not math.isfinite(least):
        return sort if isinstance(least, int) else "a finite number"
    if 0 < least < _SMALLEST_SAID:
        return f"{sort} above 0"
    return f"{sort}, at least {_written(least)}"


def require_plain_name(what: str, name: object) -> None:
    """Raise UserError unless a user's thing may have that name in commands, files and pages."""
    if not (isinstance(name, str) and re.fullmatch(r"\w[\w-]{0,99}", name)):
        raise UserError(
            f"the name of {what} must be letters, digits, _ and -, at most 100, and not begin "
            f"with - (got {reprlib.repr(name)})"
        )


def require_workers(jobs: int) -> None:
    """Raise UserError unless `jobs` is a number of workers; below 0, of cores left out."""
    require_number("jobs", jobs, -_MOST_WORKERS, _MOST_WORKERS)
    if jobs == 0:
        raise OptionError("jobs", "must be at least 1, or -1 for one worker per core (got 0)")


def _written(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.12g}"


def printable(text: str) -> str:
    r"""Return text with everything that is no letter, sign or blank written out, as `\x1b`.

    Names come from files, folders, plugins and engines; what a terminal or a page would obey
    instead of showing it is made visible. Line ends and tabs of the program's own text stay.
    """
    return re.sub(r"[^\n\t -~]", lambda found: _shown(found[0]), text)


def plain_name(name: str) -> str:
    """Return a name as one line of characters that can be shown; others become blanks."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())


def c_comment(text: str) -> str:
    """Return text as one line that neither ends a comment in C nor begins one."""
    return plain_name(text).replace("*/", "* /").replace("/*", "/ *")


def without_middle(text: str) -> str:
    """Return text that a terminal can show: of a very long one the beginning and the end."""
    if len(text) <= _LONGEST_BEGINNING + _LONGEST_END:
        return text
    return f"{text[:_LONGEST_BEGINNING]} ... {text[-_LONGEST_END:]}"


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _UNPRINTABLE:
        return character
    return character.encode("unicode_escape").decode("ascii")


def one_line(error: BaseException) -> str:
    """Return the first line of what an error says."""
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
